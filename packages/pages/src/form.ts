import { decodeBody, mediaType, parseParameters, type ServerRequest } from '@mintmark/core/http'
import type { ParameterList } from '@mintmark/internal'

/** The fields of a posted form as they came; `undefined` when the request is no well-formed form of reasonable size. */
export function formFields(request: ServerRequest): ParameterList | undefined {
  if (request.method !== 'POST') return undefined
  if (mediaType(request) !== 'application/x-www-form-urlencoded' || request.repeatedHeaders.has('content-type')) {
    return undefined
  }
  const text = decodeBody(request.body)
  const fields = text === undefined ? undefined : parseParameters(text, mostFields)
  return fields === undefined || 'malformed' in fields ? undefined : fields
}

/** The field's value; `undefined` when it is absent or ambiguous, because it came more than once. */
export function singleField(fields: ParameterList, name: string): string | undefined {
  const values = fieldValues(fields, name)
  return values.length === 1 ? values[0] : undefined
}

/** All values of a field that may repeat. */
export const fieldValues = (fields: ParameterList, name: string): readonly string[] =>
  fields.filter(([field]) => field === name).map(([, value]) => value)

/** A consent form with this many scopes is more than a person would read. */
const mostFields = 128
