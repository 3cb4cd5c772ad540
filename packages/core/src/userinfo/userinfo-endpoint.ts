import type { ClientRecord, EpochSeconds, FamilyStatus, JsonObject, Storage } from '@mintmark/storage-interface'

import { statusOfAccessToken } from '../access-token/live-access-token.ts'
import {
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from '../access-token/verified-access-token.ts'
import { releaseClaims, type ReleaseClaimsDependencies } from '../claims/release-claims.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { RefusalReason } from '../error/refusal-reason.ts'
import type { Journal } from '../event/journal.ts'
import { json, noStore, withHeaders, type Endpoint, type ServerResponse } from '../http/index.ts'
import { chosenAlgorithm } from '../key/signing-algorithm.ts'
import { signJwt } from '../keys/jws.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Active } from '../tokens/status.ts'
import { readBearerToken } from './bearer-token.ts'

export interface UserinfoEndpointDependencies extends VerifyAccessTokenDependencies, ReleaseClaimsDependencies {
  readonly clock: Clock
  readonly journal: Journal
}

/** `GET|POST /userinfo` (OIDC Core §5.3): claims about the person for whom the access token was issued. */
export const userinfoEndpoint =
  (deps: UserinfoEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const token = await verifyBearer(readBearerToken(request), now, deps)
    const standing = await livingPerson(token, now, deps.storage)
    requireOpenid(token)
    const claims = await userinfoClaims(token, standing, deps)
    const { client, user } = standing
    deps.journal.record(request, { type: 'userinfo.answered', clientId: client.clientId, userId: user.userId })
    return userinfoResponse(claims, client, deps)
  }

async function verifyBearer(
  presented: string | undefined,
  now: EpochSeconds,
  deps: UserinfoEndpointDependencies,
): Promise<VerifiedAccessToken> {
  // RFC 6750 §3.1: without a token there is nothing to say but how to come back with one.
  if (presented === undefined) throw invalidToken('bearer_missing')
  const token = await verifyAccessToken(presented, now, deps)
  if (token === undefined) throw invalidToken('access_token_invalid')
  // RFC 9068 §4: a token that is meant for others is not accepted here. With `openid` this server is among its audiences.
  const isForUs = token.audience.includes(deps.issuer) || !token.scopes.includes('openid')
  if (!isForUs) throw invalidToken('access_token_audience')
  return token
}

async function livingPerson(
  token: VerifiedAccessToken,
  now: EpochSeconds,
  storage: Storage,
): Promise<Active<FamilyStatus>> {
  const standing = await statusOfAccessToken(token, now, storage)
  if (standing === undefined) throw invalidToken('access_token_not_live')
  // OIDC Core §5.3: a client that acts for itself has no person to tell about.
  if (standing.kind !== 'person') throw invalidToken('access_token_without_person')
  return standing.standing
}

function requireOpenid(token: VerifiedAccessToken): void {
  // OIDC Core §5.3: the endpoint belongs to OpenID Connect, so the token must have been issued for it.
  if (!token.scopes.includes('openid')) {
    throw new OAuthError('insufficient_scope', 'The access token needs the scope openid.', {
      reason: 'openid_not_granted',
    })
  }
}

async function userinfoClaims(
  token: VerifiedAccessToken,
  { user, family, client }: Active<FamilyStatus>,
  deps: UserinfoEndpointDependencies,
): Promise<JsonObject> {
  const release = { user, client, scopes: token.scopes, claimsRequest: family.claimsRequest }
  const claims = await releaseClaims({ ...release, destination: 'userinfo' }, deps)
  return { ...claims, sub: user.userId }
}

async function userinfoResponse(
  claims: JsonObject,
  client: ClientRecord,
  deps: UserinfoEndpointDependencies,
): Promise<ServerResponse> {
  if (client.userinfoSignedResponseAlg === undefined) return json(200, claims, noStore)
  // OIDC Core §5.3.2: a signed answer says who made it and for whom.
  const signer = await deps.keys.signer(chosenAlgorithm(client.userinfoSignedResponseAlg, deps.keys))
  const jwt = await signJwt('JWT', { ...claims, iss: deps.issuer, aud: client.clientId }, signer)
  return withHeaders({ status: 200, headers: [['Content-Type', 'application/jwt']], body: jwt }, noStore)
}

const invalidToken = (reason: RefusalReason): OAuthError =>
  new OAuthError('invalid_token', 'The access token is not valid.', { reason })
