import type { ServerRequest } from '@mintmark/core/http'

import { refusal } from '../error/refusal.ts'

/**
 * Holds a write to the version that the caller has seen (RFC 7644 §3.14, RFC 9110 §13.1.1), or to none of those that it names
 * (§13.1.2). Our tags are weak, and compared so.
 * @throws ScimError 412 — reason `version_mismatch`.
 */
export function checkPreconditions(request: ServerRequest, version: string): void {
  const tags = request.headers.get('if-match')
  // RFC 9110 §13.1.1: none of the tags is the current one.
  if (tags !== undefined && !listsTag(tags, version)) throw refusal('version_mismatch')
  // RFC 9110 §13.1.2: a PUT with `*` means a resource that is not there yet.
  if (isNotModified(request, version)) throw refusal('version_mismatch')
}

/** Whether the caller has this version already (RFC 9110 §13.1.2): then 304 is the answer to a GET. */
export function isNotModified(request: ServerRequest, version: string): boolean {
  const tags = request.headers.get('if-none-match')
  return tags !== undefined && listsTag(tags, version)
}

const listsTag = (tags: string, version: string): boolean =>
  tags.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(version))

/** RFC 9110 §8.8.3.2: weak comparison looks at the opaque part. */
const opaque = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
