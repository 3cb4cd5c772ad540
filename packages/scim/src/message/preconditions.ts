import type { ServerRequest } from '@mintmark/core/http'

import { refusal } from '../error/refusal.ts'

/**
 * Checks If-Match (RFC 7644 §3.14, RFC 9110 §13.1.1) and If-None-Match (§13.1.2) of a write. Our tags are weak and compared
 * weakly.
 * @throws ScimError 412 — reason `version_mismatch`.
 */
export function checkPreconditions(request: ServerRequest, version: string): void {
  const tags = request.headers.get('if-match')
  // RFC 9110 §13.1.1: none of the tags matches.
  if (tags !== undefined && !listsTag(tags, version)) throw refusal('version_mismatch')
  // RFC 9110 §13.1.2: one of the tags matches; `*` matches any existing resource.
  if (isNotModified(request, version)) throw refusal('version_mismatch')
}

/** Whether If-None-Match lists this version, so that a GET responds with 304 (RFC 9110 §13.1.2). */
export function isNotModified(request: ServerRequest, version: string): boolean {
  const tags = request.headers.get('if-none-match')
  return tags !== undefined && listsTag(tags, version)
}

const listsTag = (tags: string, version: string): boolean =>
  tags.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(version))

/** RFC 9110 §8.8.3.2: weak comparison ignores the W/ prefix. */
const opaque = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
