import {
  type Clock,
  type Endpoint,
  json,
  mediaType,
  noStore,
  type ServerRequest,
  type ServerResponse,
  withHeaders,
} from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, OAuthStorage } from '@mintmark/storage-interface'
import type { FamilyStatus, Possession } from '@mintmark/storage-interface/stores'

import { encryptAnswer } from '../clients/encrypt-answer.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import type { Journal } from '../events.ts'
import { chosenAlgorithm, signJwt } from '../keys/jws.ts'
import { readForm, readQuery, refuseRepeated } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import { type MutualTls, proveCertificate } from '../sender/client-certificate.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'
import {
  statusOfAccessToken,
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from './access-token.ts'
import { computeUserinfoClaims, type ClaimsDependencies } from './claims.ts'
import { type Active, isSameKey } from './status.ts'

export interface UserinfoEndpointDependencies extends VerifyAccessTokenDependencies, ClaimsDependencies {
  readonly storage: OAuthStorage
  readonly clock: Clock
  readonly journal: Journal
  readonly dpop: DpopVerifier
  readonly keySets: RemoteKeySets
  readonly mutualTls: MutualTls | undefined
}

/** `GET|POST /userinfo` (OIDC Core §5.3): claims about the user for whom the access token was issued. */
export const userinfoEndpoint =
  (deps: UserinfoEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const { token, proof } = await verifyPresented(request, now, deps)
    const { family: status, scopes } = await requireActiveUser(token, now, deps.storage)
    requireOpenid(scopes)
    const claims = await userinfoClaims({ ...token, scopes }, status, deps)
    const { client, user } = status
    deps.journal.record(request, { type: 'userinfo.answered', clientId: client.clientId, userId: user.userId })
    const response = await userinfoResponse(claims, { client, now }, deps)
    return proof === undefined ? response : withHeaders(response, await deps.dpop.headers(proof, now))
  }

async function verifyPresented(
  request: ServerRequest,
  now: EpochSeconds,
  deps: UserinfoEndpointDependencies,
): Promise<{ readonly token: VerifiedAccessToken; readonly proof: VerifiedProof | undefined }> {
  const presented = readAccessToken(request)
  // RFC 6750 §3.1: a request without a token gets a bare challenge.
  if (presented === undefined) throw refuse('bearer_missing')
  const { scheme, accessToken } = presented
  if (scheme === 'Bearer') {
    const token = await verifyToken(accessToken, now, deps)
    // RFC 9449 §7.2: a bound token is not a bearer token, and a request with a proof is not one either.
    if (token.possession.kind === 'dpop' || request.headers.has('dpop')) throw refuse('access_token_bound')
    if (token.possession.kind === 'mtls') await requireCertificate(request, token.possession, deps)
    return { token, proof: undefined }
  }
  const proof = await deps.dpop.verify(request, { url: `${deps.issuer}/userinfo`, accessToken }, now)
  const token = await verifyToken(accessToken, now, deps)
  // RFC 9449 §7.1: the key of the proof is that of the token.
  if (token.possession.kind !== 'dpop' || token.possession.jkt !== proof.jkt) throw refuse('access_token_key_mismatch')
  await deps.dpop.use(proof, now)
  return { token, proof }
}

/** @throws OAuthError invalid_token — reason `access_token_certificate_mismatch`. */
async function requireCertificate(
  request: ServerRequest,
  bound: Possession,
  { mutualTls }: UserinfoEndpointDependencies,
): Promise<void> {
  const proven = await proveCertificate(request, mutualTls)
  // RFC 8705 §3: the certificate of the connection is that of the token.
  if (proven === undefined || !isSameKey(bound, proven)) throw refuse('access_token_certificate_mismatch')
}

async function verifyToken(
  presented: string,
  now: EpochSeconds,
  deps: UserinfoEndpointDependencies,
): Promise<VerifiedAccessToken> {
  const token = await verifyAccessToken(presented, now, deps)
  if (token === undefined) throw refuse('access_token_invalid')
  // RFC 9068 §4: tokens for other audiences are not accepted. With `openid` this server is an audience.
  const isForUs = token.audience.includes(deps.issuer) || !token.scopes.includes('openid')
  if (!isForUs) throw refuse('access_token_audience')
  return token
}

async function requireActiveUser(
  token: VerifiedAccessToken,
  now: EpochSeconds,
  storage: OAuthStorage,
): Promise<ActiveTokenOfUser> {
  const status = await statusOfAccessToken(token, now, storage)
  if (status === undefined) throw refuse('access_token_inactive')
  // OIDC Core §5.3: a client's own token has no user.
  if (status.kind !== 'user') throw refuse('access_token_without_user')
  return status
}

interface ActiveTokenOfUser {
  readonly family: Active<FamilyStatus>
  readonly scopes: readonly string[]
}

function requireOpenid(scopes: readonly string[]): void {
  // OIDC Core §5.3: the token must have been issued for OpenID Connect.
  if (!scopes.includes('openid')) throw refuse('openid_not_granted')
}

async function userinfoClaims(
  { scopes, audience, subject: sub }: Pick<VerifiedAccessToken, 'scopes' | 'audience' | 'subject'>,
  { user, family, client }: Active<FamilyStatus>,
  deps: UserinfoEndpointDependencies,
): Promise<JsonObject> {
  const subject = { user, client, scopes, audience, claimsRequest: family.claimsRequest, organization: undefined }
  const claims = await computeUserinfoClaims(subject, deps)
  // OIDC Core §5.3.2: the same as in the ID token. That of the access token was compared with the user.
  return { ...claims, sub }
}

async function userinfoResponse(
  claims: JsonObject,
  { client, now }: { readonly client: ClientRecord; readonly now: EpochSeconds },
  deps: UserinfoEndpointDependencies,
): Promise<ServerResponse> {
  if (client.userinfoSignedResponseAlg === undefined) return json(200, claims, noStore)
  // OIDC Core §5.3.2: a signed response names issuer and audience.
  const signer = await deps.keys.signer(chosenAlgorithm(client.userinfoSignedResponseAlg, deps.keys))
  const jwt = await signJwt('JWT', { ...claims, iss: deps.issuer, aud: client.clientId }, signer)
  const { userinfoEncryptedResponseAlg: encryption, userinfoEncryptedResponseEnc: contentEncryption } = client
  const body =
    encryption === undefined
      ? jwt
      : await encryptAnswer(jwt, { client, algorithm: encryption, contentEncryption, now }, deps.keySets)
  return withHeaders({ status: 200, headers: [['Content-Type', 'application/jwt']], body }, noStore)
}

/** An access token as it was presented. */
interface PresentedToken {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly accessToken: string
}

/**
 * Reads the access token of a request from the Authorization header (RFC 6750 §2.1, RFC 9449 §7.1), or from the form of a
 * POST (RFC 6750 §2.2).
 * @returns `undefined` when there is none; the response is then a bare challenge (RFC 6750 §3.1).
 * @throws OAuthError invalid_request — reason `bearer_twice` | `bearer_in_query` and those of the form; invalid_token —
 *   reason `bearer_malformed`.
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
  // RFC 6750 §2: not more than one token; a repeated Authorization header is two.
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
