import { parseParameters } from '@mintmark/core/http'
import { type ServerRequest, decodeBody, hasMediaType, isStorable, isTooDeep, repeatsMember } from '@mintmark/internal'
import type { z } from 'zod'

import { type AdminRefusalReason, refuse } from '../error/refusals.ts'

/**
 * Parses the JSON body of a request. Refuses members that the schema does not define.
 * @throws AdminError `media_type` | `body_malformed` | `body_invalid`.
 */
export function readBody(request: ServerRequest, schema: z.ZodType): unknown {
  // RFC 9110 §15.5.16.
  // RFC 7396 §4: a merge patch is JSON too.
  if (!hasMediaType(request, ['application/json', 'application/merge-patch+json'])) throw refuse('media_type')
  const text = decodeBody(request.body)
  // RFC 8259 §8.1: JSON is UTF-8. Text that is nested too deeply is not parsed.
  if (text === undefined || isTooDeep(text)) throw refuse('body_malformed')
  const value = parseJson(text)
  // RFC 8259 §4: the meaning of a repeated member differs between parsers, so a proxy may have checked another value.
  if (repeatsMember(text)) throw refuse('body_malformed')
  // RFC 9110 §15.5.1: some stores cannot store such characters.
  if (!isStorable(value)) throw refuse('body_invalid')
  return parseBySchema(value, schema, 'body_invalid')
}

/**
 * Parses a value by its schema.
 * @throws AdminError with the reason.
 */
function parseBySchema(value: unknown, schema: z.ZodType, reason: AdminRefusalReason): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const path = pathOf(result.error.issues[0])
  // RFC 6901 §3. The pointer contains only names that the API could define, and never a value, because it is sent back.
  const pointer = path.every((part) => /^[a-z_0-9]{1,64}$/.test(String(part)))
    ? path.map((part) => `/${String(part)}`).join('')
    : undefined
  // RFC 9110 §15.5.1.
  throw refuse(reason, { pointer: pointer === '' ? undefined : pointer })
}

/** Returns the path of the member that is unknown, missing or invalid. */
function pathOf(issue: z.core.$ZodIssue | undefined): readonly PropertyKey[] {
  if (issue === undefined) return []
  return issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refuse('body_malformed', { cause })
  }
}

/**
 * Parses the query of a request. Unknown parameters are refused, because a misspelled filter would list everything.
 * @throws AdminError `query_invalid`.
 */
export function readQuery(request: ServerRequest, schema: z.ZodType): unknown {
  const list = parseParameters(request.url.search.slice(1), 16)
  if ('malformed' in list) throw refuse('query_invalid')
  const query = new Map(list)
  // RFC 9110 §15.5.1: a repeated parameter is ambiguous.
  if (query.size < list.length || !isStorable(list)) throw refuse('query_invalid')
  return parseBySchema(Object.fromEntries(query), schema, 'query_invalid')
}

/**
 * Parses the version in `If-Match` (RFC 9110 §13.1.1); undefined for any version.
 * @throws AdminError `version_mismatch` for an entity tag that this server does not issue.
 */
export function readVersion(request: ServerRequest): number | undefined {
  const header = request.headers.get('if-match')?.trim()
  if (header === undefined || header === '*') return undefined
  const match = /^"(\d{1,15})"$/.exec(header)
  // RFC 9110 §13.1.1: the comparison is strong. A list of tags is refused: a client has read one version.
  if (match?.[1] === undefined) throw refuse('version_mismatch')
  return Number(match[1])
}

/** Returns the entity tag of a version (RFC 9110 §8.8.3). */
export const versionTag = (version: number): string => `"${version}"`
