import type { ServerRequest } from '@mintmark/core/http'

import { AdminError } from '../error/admin-error.ts'

/** The entity tag of a version (RFC 9110 §8.8.3). */
export const versionTag = (version: number): string => `"${version}"`

/**
 * The version that `If-Match` holds a write to (RFC 9110 §13.1.1); undefined for any.
 * @throws AdminError `version_mismatch` for a tag that is none of ours.
 */
export function readVersion(request: ServerRequest): number | undefined {
  const header = request.headers.get('if-match')?.trim()
  if (header === undefined || header === '*') return undefined
  const match = /^"(\d{1,15})"$/.exec(header)
  // RFC 9110 §13.1.1: tags are compared strongly, and one is enough for a client that has read one version.
  if (match?.[1] === undefined) throw new AdminError('version_mismatch')
  return Number(match[1])
}
