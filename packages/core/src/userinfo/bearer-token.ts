import { OAuthError } from '../error/oauth-error.ts'
import { mediaType, type ServerRequest } from '../http/index.ts'
import { readForm, readQuery, refuseRepeated } from '../parameters/read-parameters.ts'

/**
 * Reads the bearer token of a request: from the Authorization header, or from the form of a POST (RFC 6750 §2.1, §2.2).
 * @returns `undefined` when the request has none, which deserves a bare challenge (RFC 6750 §3.1).
 * @throws OAuthError invalid_request — reason `bearer_twice` | `bearer_in_query` and those of the form; invalid_token —
 *   reason `bearer_malformed`.
 */
export function readBearerToken(request: ServerRequest): string | undefined {
  // RFC 9700 §4.3.2: addresses end up in logs and histories, so a token in one is refused even when it is good.
  if (readQuery(request).get('access_token') !== undefined) {
    throw new OAuthError('invalid_request', 'Do not send access tokens in the query.', { reason: 'bearer_in_query' })
  }
  const header = readHeader(request)
  const form = readFormToken(request)
  // RFC 6750 §2: not more than one method in a request.
  if (header !== undefined && form !== undefined) throw sentTwice()
  return header ?? form
}

function readHeader(request: ServerRequest): string | undefined {
  const header = request.headers.get('authorization')
  if (header === undefined) return undefined
  // RFC 6750 §2: not more than one token; a repeated Authorization header is two.
  if (request.repeatedHeaders.has('authorization')) throw sentTwice()
  // RFC 9110 §11.1: the scheme's name is case-insensitive. RFC 6750 §2.1: b64token.
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)
  if (match?.[1] === undefined) {
    throw new OAuthError('invalid_token', 'The access token is not valid.', { reason: 'bearer_malformed' })
  }
  return match[1]
}

function readFormToken(request: ServerRequest): string | undefined {
  // RFC 6750 §2.2: in the form of a POST only.
  if (request.method !== 'POST' || mediaType(request) !== 'application/x-www-form-urlencoded') return undefined
  return refuseRepeated(readForm(request)).get('access_token')
}

const sentTwice = (): OAuthError =>
  new OAuthError('invalid_request', 'Send the access token in one way.', { reason: 'bearer_twice' })
