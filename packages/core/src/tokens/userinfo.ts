import { type Clock, type Endpoint, json, noStore, type ServerResponse, withHeaders } from '@mintmark/internal'
import type { EpochSeconds, JsonObject, OAuthStorage } from '@mintmark/storage-interface'
import type { FamilyId, FamilyStatus, StatusClient } from '@mintmark/storage-interface/stores'

import { encryptAnswer } from '../clients/encrypt-answer.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import type { Journal } from '../events.ts'
import { chosenAlgorithm, signJwt } from '../keys/jws.ts'
import { refuse } from '../refusals.ts'
import { statusOfAccessToken, type VerifiedAccessToken } from './access-token.ts'
import { computeUserinfoClaims, type ClaimsDependencies } from './claims.ts'
import { type PresentedTokenDependencies, verifyPresentedToken } from './presented-token.ts'
import type { Active } from '../permissions/status.ts'

export interface UserinfoEndpointDependencies extends PresentedTokenDependencies, ClaimsDependencies {
  readonly storage: OAuthStorage
  readonly clock: Clock
  readonly journal: Journal
  readonly keySets: RemoteKeySets
}

/** `GET|POST /userinfo` (OIDC Core §5.3): claims about the user for whom the access token was issued. */
export const userinfoEndpoint = (deps: UserinfoEndpointDependencies): Endpoint => {
  const url = `${deps.issuer}/userinfo`
  return async (request) => {
    const now = deps.clock()
    const { token, proof } = await verifyPresentedToken(request, { url, scopes: ['openid'], now }, deps)
    const { family: status, scopes } = await requireActiveUser(token, now, deps.storage)
    requireOpenid(scopes, status)
    const claims = await userinfoClaims({ ...token, scopes }, status, deps)
    const { client, family, user } = status
    deps.journal.record(request, { type: 'userinfo.answered', clientId: client.clientId, userId: user.userId })
    const response = await userinfoResponse(claims, { client, familyId: family.familyId, now }, deps)
    return proof === undefined ? response : withHeaders(response, await deps.dpop.headers(proof, now))
  }
}

async function requireActiveUser(
  token: VerifiedAccessToken,
  now: EpochSeconds,
  storage: OAuthStorage,
): Promise<ActiveTokenOfUser> {
  const status = await statusOfAccessToken(token, now, storage)
  const { clientId, familyId } = token
  if (status === undefined) throw refuse('access_token_inactive', { clientId, familyId })
  // OIDC Core §5.3: a client's own token has no user.
  if (status.kind !== 'user') throw refuse('access_token_without_user', { clientId })
  return status
}

interface ActiveTokenOfUser {
  readonly family: Active<FamilyStatus>
  readonly scopes: readonly string[]
}

function requireOpenid(scopes: readonly string[], { client, user }: Active<FamilyStatus>): void {
  // OIDC Core §5.3: the token must have been issued for OpenID Connect.
  if (!scopes.includes('openid'))
    throw refuse('openid_not_granted', { clientId: client.clientId, userId: user.userId, grantedScopes: scopes })
}

async function userinfoClaims(
  { scopes, audience, subject: sub }: Pick<VerifiedAccessToken, 'scopes' | 'audience' | 'subject'>,
  { user, family, client }: Active<FamilyStatus>,
  deps: UserinfoEndpointDependencies,
): Promise<JsonObject> {
  const subject = { user, client, scopes, audience, claimsRequest: family.claimsRequest, organization: undefined }
  const claims = await computeUserinfoClaims(subject, deps)
  // OIDC Core §5.3.2: the same `sub` as in the ID token. `statusOfAccessToken` has compared it with the user.
  return { ...claims, sub }
}

/** Who receives the response, and for the token of which family. */
interface Recipient {
  readonly client: StatusClient
  readonly familyId: FamilyId
  readonly now: EpochSeconds
}

async function userinfoResponse(
  claims: JsonObject,
  { client: statusClient, familyId, now }: Recipient,
  deps: UserinfoEndpointDependencies,
): Promise<ServerResponse> {
  if (statusClient.userinfoSignedResponseAlg === undefined) return json(200, claims, noStore)
  const { clientId } = statusClient
  // The status of a token has only the members of its client that every token needs.
  const client = await deps.storage.clients.find(clientId)
  // RFC 6750 §3.1: the client was disabled or removed after the status was read.
  if (client === undefined || client.disabledAt !== undefined)
    throw refuse('access_token_inactive', { clientId, familyId })
  // OIDC Core §5.3.2: a signed response names issuer and audience.
  const chosen = client.userinfoSignedResponseAlg ?? statusClient.userinfoSignedResponseAlg
  const signer = await deps.keys.signer(chosenAlgorithm(chosen, deps.keys))
  const jwt = await signJwt('JWT', { ...claims, iss: deps.issuer, aud: clientId }, signer)
  const body = await encryptAnswer(jwt, { answer: 'userinfo', client, now }, deps.keySets)
  return withHeaders({ status: 200, headers: [['Content-Type', 'application/jwt']], body }, noStore)
}
