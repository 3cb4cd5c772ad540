import { decodeBody, mediaType, type ServerRequest } from '@mintmark/core/http'

import { refusal } from '../error/refusal.ts'
import { parseJson } from '../values/json-body.ts'

/**
 * The JSON of a request's body (RFC 7644 §3.8).
 * @throws ScimError 415 — reason `media_type`; the reasons of `parseJson`.
 */
export function readMessage(request: ServerRequest): unknown {
  // RFC 7644 §3.8: application/scim+json, and application/json.
  if (!isScimMessage(request)) throw refusal('media_type')
  const text = decodeBody(request.body)
  // RFC 8259 §8.1: JSON is UTF-8.
  if (text === undefined) throw refusal('body_malformed')
  return parseJson(text)
}

function isScimMessage(request: ServerRequest): boolean {
  const type = mediaType(request)
  const header = request.headers.get('content-type') ?? ''
  const isOtherCharset = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(?:;|$))/i.test(header)
  const isCompressed = (request.headers.get('content-encoding') ?? 'identity') !== 'identity'
  return (type === 'application/scim+json' || type === 'application/json') && !isOtherCharset && !isCompressed
}
