import { decodeBody, mediaType, parseParameters, type ServerRequest } from '@mintmark/core/http'
import type { ParameterList } from '@mintmark/internal'

/** Returns the fields of a posted form, or `undefined` when the request is not a well-formed form of at most 128 fields. */
export function formFields(request: ServerRequest): ParameterList | undefined {
  if (request.method !== 'POST') return undefined
  if (mediaType(request) !== 'application/x-www-form-urlencoded' || request.repeatedHeaders.has('content-type')) {
    return undefined
  }
  const text = decodeBody(request.body)
  const fields = text === undefined ? undefined : parseParameters(text, maxFields)
  return fields === undefined || 'malformed' in fields ? undefined : fields
}

/** Returns the value of a field, or `undefined` when the form has no such field or more than one. */
export function singleField(fields: ParameterList, name: string): string | undefined {
  const values = fieldValues(fields, name)
  return values.length === 1 ? values[0] : undefined
}

/** Returns all values of a field that may be repeated. */
export const fieldValues = (fields: ParameterList, name: string): readonly string[] =>
  fields.filter(([field]) => field === name).map(([, value]) => value)

/** A person would not read a consent form with more scopes than this. */
const maxFields = 128
