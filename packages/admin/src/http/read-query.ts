import { parseParameters, type ServerRequest } from '@mintmark/core/http'
import type { z } from 'zod'

import { AdminError } from '../error/admin-error.ts'
import { isStorable } from '../text.ts'
import { fitting } from './read-body.ts'

/**
 * Parses the query of a request. Unknown parameters are refused, because a misspelled filter would list everything.
 * @throws AdminError `query_invalid`.
 */
export function readQuery(request: ServerRequest, schema: z.ZodType): unknown {
  const list = parseParameters(request.url.search.slice(1), 16)
  // RFC 9110 §15.5.1.
  if ('malformed' in list) throw new AdminError('query_invalid')
  const query = new Map(list)
  // RFC 9110 §15.5.1: a repeated parameter is ambiguous.
  if (query.size < list.length || query.has('__proto__') || !isStorable(list)) throw new AdminError('query_invalid')
  return fitting(Object.fromEntries(query), schema, 'query_invalid')
}

/**
 * Parses the version in `If-Match` (RFC 9110 §13.1.1); undefined for any.
 * @throws AdminError `version_mismatch` for an entity tag that this server does not issue.
 */
export function readVersion(request: ServerRequest): number | undefined {
  const header = request.headers.get('if-match')?.trim()
  if (header === undefined || header === '*') return undefined
  const match = /^"(\d{1,15})"$/.exec(header)
  // RFC 9110 §13.1.1: the comparison is strong. A client that has read one version needs one tag.
  if (match?.[1] === undefined) throw new AdminError('version_mismatch')
  return Number(match[1])
}

/** The entity tag of a version (RFC 9110 §8.8.3). */
export const versionTag = (version: number): string => `"${version}"`
