import { decodeBody, hasMediaType, type ServerRequest } from '@mintmark/internal'

import { refusal } from '../error/refusal.ts'
import { parseJson } from '../values/json-body.ts'

/**
 * The JSON of a request's body (RFC 7644 §3.8).
 * @throws ScimError 415 — reason `media_type`; the reasons of `parseJson`.
 */
export function readMessage(request: ServerRequest): unknown {
  // RFC 7644 §3.8: application/scim+json, and application/json.
  if (!hasMediaType(request, ['application/scim+json', 'application/json'])) throw refusal('media_type')
  const text = decodeBody(request.body)
  // RFC 8259 §8.1: JSON is UTF-8.
  if (text === undefined) throw refusal('body_malformed')
  return parseJson(text)
}
