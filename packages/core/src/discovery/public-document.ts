import { seconds } from '@mintmark/storage-interface'
import * as base64url from 'jose/base64url'

import { type Header, json, readyResponse, type ServerRequest, type ServerResponse, sha256 } from '@mintmark/internal'

/** Answers a request for a document: in full, or that the reader's copy is still good. */
export type PublicDocument = (request: ServerRequest) => ServerResponse

/** How long anybody may keep a document. Keys are announced for longer than that before they sign (RFC 9111 §5.2.2.1). */
export const documentMaxAge = seconds(300)

/**
 * Makes a JSON document that anybody may read and keep for `documentMaxAge`. Its bytes and their entity tag are made once;
 * a reader who has them is told so with 304 (RFC 9110 §13.1.2). The request's parameters are not looked at.
 */
export async function publicDocument(value: object): Promise<PublicDocument> {
  const digest = await sha256(JSON.stringify(value))
  const tag = `"${base64url.encode(digest.subarray(0, 16))}"`
  const validators: readonly Header[] = [
    ['Cache-Control', `public, max-age=${documentMaxAge}`],
    ['ETag', tag],
  ]
  const full = readyResponse(json(200, value, validators))
  const unchanged = readyResponse({ status: 304, headers: validators, body: undefined })
  return (request) => (hasTag(request.headers.get('if-none-match'), tag) ? unchanged : full)
}

/** RFC 9110 §13.1.2: a list of tags, compared weakly, because a proxy that compresses marks ours as weak. */
const hasTag = (condition: string | undefined, tag: string): boolean =>
  condition !== undefined && condition.split(',').some((item) => [tag, `W/${tag}`, '*'].includes(item.trim()))
