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
import type { FamilyStatus } from '@mintmark/storage-interface/stores'

import type { Journal } from '../events.ts'
import { chosenAlgorithm, signJwt } from '../keys/jws.ts'
import { readForm, readQuery, refuseRepeated } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import {
  statusOfAccessToken,
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from './access-token.ts'
import { computeUserinfoClaims, type ClaimsDependencies } from './claims.ts'
import type { Active } from './status.ts'

export interface UserinfoEndpointDependencies extends VerifyAccessTokenDependencies, ClaimsDependencies {
  readonly storage: OAuthStorage
  readonly clock: Clock
  readonly journal: Journal
}

/** `GET|POST /userinfo` (OIDC Core §5.3): claims about the user for whom the access token was issued. */
export const userinfoEndpoint =
  (deps: UserinfoEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const token = await verifyBearer(readBearerToken(request), now, deps)
    const { family: status, scopes } = await requireActiveUser(token, now, deps.storage)
    requireOpenid(scopes)
    const claims = await userinfoClaims({ ...token, scopes }, status, deps)
    const { client, user } = status
    deps.journal.record(request, { type: 'userinfo.answered', clientId: client.clientId, userId: user.userId })
    return userinfoResponse(claims, client, deps)
  }

async function verifyBearer(
  presented: string | undefined,
  now: EpochSeconds,
  deps: UserinfoEndpointDependencies,
): Promise<VerifiedAccessToken> {
  // RFC 6750 §3.1: a request without a token gets a bare challenge.
  if (presented === undefined) throw refuse('bearer_missing')
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
  { scopes, audience }: { readonly scopes: readonly string[]; readonly audience: readonly string[] },
  { user, family, client }: Active<FamilyStatus>,
  deps: UserinfoEndpointDependencies,
): Promise<JsonObject> {
  const subject = { user, client, scopes, audience, claimsRequest: family.claimsRequest }
  const claims = await computeUserinfoClaims(subject, deps)
  return { ...claims, sub: user.userId }
}

async function userinfoResponse(
  claims: JsonObject,
  client: ClientRecord,
  deps: UserinfoEndpointDependencies,
): Promise<ServerResponse> {
  if (client.userinfoSignedResponseAlg === undefined) return json(200, claims, noStore)
  // OIDC Core §5.3.2: a signed response names issuer and audience.
  const signer = await deps.keys.signer(chosenAlgorithm(client.userinfoSignedResponseAlg, deps.keys))
  const jwt = await signJwt('JWT', { ...claims, iss: deps.issuer, aud: client.clientId }, signer)
  return withHeaders({ status: 200, headers: [['Content-Type', 'application/jwt']], body: jwt }, noStore)
}

/**
 * Reads the bearer token of a request from the Authorization header, or from the form of a POST (RFC 6750 §2.1, §2.2).
 * @returns `undefined` when there is none; the response is then a bare challenge (RFC 6750 §3.1).
 * @throws OAuthError invalid_request — reason `bearer_twice` | `bearer_in_query` and those of the form; invalid_token —
 *   reason `bearer_malformed`.
 */
export function readBearerToken(request: ServerRequest): string | undefined {
  // RFC 9700 §4.3.2: URLs end up in logs and histories, so even a valid token is refused there.
  if (readQuery(request).get('access_token') !== undefined) throw refuse('bearer_in_query')
  const header = readHeader(request)
  const form = readFormToken(request)
  // RFC 6750 §2: not more than one method in a request.
  if (header !== undefined && form !== undefined) throw refuse('bearer_twice')
  return header ?? form
}

function readHeader(request: ServerRequest): string | undefined {
  const header = request.headers.get('authorization')
  if (header === undefined) return undefined
  // RFC 6750 §2: not more than one token; a repeated Authorization header is two.
  if (request.repeatedHeaders.has('authorization')) throw refuse('bearer_twice')
  // RFC 9110 §11.1: the scheme's name is case-insensitive. RFC 6750 §2.1: b64token.
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)
  if (match?.[1] === undefined) throw refuse('bearer_malformed')
  return match[1]
}

function readFormToken(request: ServerRequest): string | undefined {
  // RFC 6750 §2.2: only in the form of a POST.
  if (request.method !== 'POST' || mediaType(request) !== 'application/x-www-form-urlencoded') return undefined
  return refuseRepeated(readForm(request)).get('access_token')
}
