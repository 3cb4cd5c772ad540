import { seconds } from '@mintmark/storage-interface'
import * as base64url from 'jose/base64url'

import {
  compareEntityTags,
  type Header,
  json,
  readyResponse,
  type ServerRequest,
  type ServerResponse,
  sha256,
} from '@mintmark/internal'

/** Responds to a request for a document: with the whole document, or with 304 if the caller's copy is current. */
export type PublicDocument = (request: ServerRequest) => ServerResponse

/** How long anyone may cache a document (RFC 9111 §5.2.2.1). Keys are announced for at least as long before they sign. */
export const documentMaxAge = seconds(300)

/**
 * Creates an endpoint for a public JSON document that anyone may cache for `documentMaxAge`. Its bytes and entity tag
 * are computed once; a caller with the current tag gets 304 (RFC 9110 §13.1.2). Request parameters are ignored.
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
  return (request) => {
    const condition = request.headers.get('if-none-match')
    return condition !== undefined && compareEntityTags(condition, tag) === 'match' ? unchanged : full
  }
}
