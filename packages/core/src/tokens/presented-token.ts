import { mediaType, type ServerRequest } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import { readForm, readQuery, refuseRepeated } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import { type MutualTls, proveCertificate } from '../sender/client-certificate.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'
import { verifyAccessToken, type VerifiedAccessToken, type VerifyAccessTokenDependencies } from './access-token.ts'
import { isSameKey } from '../permissions/status.ts'

export interface PresentedTokenDependencies extends VerifyAccessTokenDependencies {
  readonly dpop: DpopVerifier
  readonly mutualTls: MutualTls | undefined
}

/** The endpoint of this server that a token is presented to, and the time. */
interface Presentation {
  /** The public address of the endpoint. */
  readonly url: string
  /** The scope values that give access to it. */
  readonly scopes: readonly string[]
  readonly now: EpochSeconds
}

/**
 * Verifies the access token of a request, and that its sender holds the key that the token is bound to. The token may have
 * been revoked, and may lack the scope.
 * @throws OAuthError invalid_token — reason `bearer_missing` | `access_token_invalid` | `access_token_audience` |
 *   `access_token_bound` | `access_token_key_mismatch` | `access_token_certificate_mismatch`; the errors of
 *   `readAccessToken` and of DPoP proofs.
 */
export async function verifyPresentedToken(
  request: ServerRequest,
  endpoint: Presentation,
  deps: PresentedTokenDependencies,
): Promise<{ readonly token: VerifiedAccessToken; readonly proof: VerifiedProof | undefined }> {
  const presented = readAccessToken(request)
  // RFC 6750 §3.1: a request without a token gets a bare challenge.
  if (presented === undefined) throw refuse('bearer_missing')
  const { scheme, accessToken } = presented
  if (scheme === 'Bearer') {
    const token = await verifyToken(accessToken, endpoint, deps)
    // RFC 9449 §7.2: a bound token is not a bearer token, and a request with a proof must not use the scheme Bearer.
    if (token.possession.kind === 'dpop' || request.headers.has('dpop'))
      throw refuse('access_token_bound', { clientId: token.clientId })
    if (token.possession.kind === 'mtls') await requireCertificate(request, token, deps)
    return { token, proof: undefined }
  }
  const proof = await deps.dpop.verify(request, { url: endpoint.url, accessToken }, endpoint.now)
  const token = await verifyToken(accessToken, endpoint, deps)
  // RFC 9449 §7.1: the proof must be made with the key that the token is bound to.
  if (token.possession.kind !== 'dpop' || token.possession.jkt !== proof.jkt)
    throw refuse('access_token_key_mismatch', { clientId: token.clientId })
  await deps.dpop.use(proof, endpoint.now)
  return { token, proof }
}

/** @throws OAuthError invalid_token — reason `access_token_certificate_mismatch`. */
async function requireCertificate(
  request: ServerRequest,
  { possession, clientId }: VerifiedAccessToken,
  { mutualTls }: PresentedTokenDependencies,
): Promise<void> {
  const proven = await proveCertificate(request, mutualTls)
  // RFC 8705 §3: the connection must use the certificate that the token is bound to.
  if (proven === undefined || !isSameKey(possession, proven))
    throw refuse('access_token_certificate_mismatch', { clientId })
}

async function verifyToken(
  presented: string,
  { scopes, now }: Presentation,
  deps: PresentedTokenDependencies,
): Promise<VerifiedAccessToken> {
  const token = await verifyAccessToken(presented, now, deps)
  if (token === undefined) throw refuse('access_token_invalid')
  // RFC 9068 §4: tokens for other audiences are not accepted. A token without the scope is refused later, with an error
  // that names the scope.
  const isForThisServer = token.audience.includes(deps.issuer) || !scopes.some((scope) => token.scopes.includes(scope))
  if (!isForThisServer) {
    const { clientId, familyId, audience } = token
    const audiences = { presentedAudience: audience, expectedAudience: [deps.issuer] }
    throw refuse('access_token_audience', { clientId, familyId, ...audiences })
  }
  return token
}

/** An access token as it was presented. */
interface PresentedToken {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly accessToken: string
}

/**
 * Reads the access token of a request from the Authorization header (RFC 6750 §2.1, RFC 9449 §7.1), or from the form of
 * a POST (RFC 6750 §2.2).
 * @returns `undefined` when there is none; the response is then a bare challenge (RFC 6750 §3.1).
 * @throws OAuthError invalid_request — reason `bearer_twice` | `bearer_in_query`, or a reason of `readForm`;
 *   invalid_token — reason `bearer_malformed`.
 */
export function readAccessToken(request: ServerRequest): PresentedToken | undefined {
  // RFC 9700 §4.3.2: URLs end up in logs and histories, so even a valid token is refused there.
  if (readQuery(request).get('access_token') !== undefined) throw refuse('bearer_in_query')
  const header = readHeader(request)
  const form = readFormToken(request)
  // RFC 6750 §2: not more than one method in a request.
  if (header !== undefined && form !== undefined) throw refuse('bearer_twice')
  return header ?? (form === undefined ? undefined : { scheme: 'Bearer', accessToken: form })
}

function readHeader(request: ServerRequest): PresentedToken | undefined {
  const header = request.headers.get('authorization')
  if (header === undefined) return undefined
  // RFC 6750 §2: not more than one token; a repeated Authorization header contains two.
  if (request.repeatedHeaders.has('authorization')) throw refuse('bearer_twice')
  // RFC 9110 §11.1: the scheme's name is case-insensitive. RFC 6750 §2.1: b64token.
  const match = /^(?:bearer|(dpop)) +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)
  if (match?.[2] === undefined) throw refuse('bearer_malformed')
  return { scheme: match[1] === undefined ? 'Bearer' : 'DPoP', accessToken: match[2] }
}

function readFormToken(request: ServerRequest): string | undefined {
  // RFC 6750 §2.2: only in the form of a POST.
  if (request.method !== 'POST' || mediaType(request) !== 'application/x-www-form-urlencoded') return undefined
  return refuseRepeated(readForm(request)).get('access_token')
}
