import type { ClientRecord, EpochSeconds, JsonObject, Storage } from '@mintmark/storage-interface'

import { statusOfAccessToken } from '../access-token/live-access-token.ts'
import {
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from '../access-token/verified-access-token.ts'
import { mayRefresh, registeredScopes } from '../client/registered-scopes.ts'
import type { ConfidentialClient } from '../client/require-confidential.ts'
import { digestRefreshToken, readRefreshToken, type RefreshToken } from '../refresh/refresh-token.ts'
import { isFamilyActive } from '../tokens/status.ts'

export type IntrospectDependencies = VerifyAccessTokenDependencies & { readonly storage: Storage }

/**
 * Describes a token to a caller that it is meant for, or that it was issued to (RFC 7662 §2.2, §4). `token_type_hint` is
 * not needed: a token's form says what it is.
 */
export async function introspectToken(
  { token, caller }: { readonly token: string; readonly caller: ConfidentialClient },
  now: EpochSeconds,
  deps: IntrospectDependencies,
): Promise<JsonObject> {
  const refreshToken = await readRefreshToken(token)
  if (refreshToken !== undefined) return describeRefreshToken({ refreshToken, caller }, now, deps)

  const accessToken = await verifyAccessToken(token, now, deps)
  // RFC 7662 §4: a caller learns nothing of tokens that are not meant for it.
  if (accessToken === undefined || !mayIntrospect(caller, accessToken)) return inactive
  const standing = await statusOfAccessToken(accessToken, now, deps.storage)
  return standing === undefined ? inactive : describeAccessToken(accessToken)
}

async function describeRefreshToken(
  { refreshToken, caller }: { readonly refreshToken: RefreshToken; readonly caller: ClientRecord },
  now: EpochSeconds,
  deps: IntrospectDependencies,
): Promise<JsonObject> {
  const { handleDigest, tokenDigest } = await digestRefreshToken(refreshToken)
  const standing = await deps.storage.status.ofRefreshHandle(handleDigest)
  if (!isFamilyActive(standing, now) || standing.family.clientId !== caller.clientId) return inactive
  const { family, client } = standing
  const isCurrent = family.refresh?.currentDigest === tokenDigest && now < family.refresh.expiresAt
  if (!isCurrent || !mayRefresh(family.scopes, client)) return inactive

  return {
    active: true,
    scope: registeredScopes(family.scopes, client).join(' '),
    client_id: family.clientId,
    sub: family.userId,
    iss: deps.issuer,
    iat: family.refresh.rotatedAt ?? family.createdAt,
    exp: Math.min(family.refresh.expiresAt, family.expiresAt),
  }
}

/** The claims of RFC 7662 §2.2; what the token's life depends on stays inside. */
function describeAccessToken(token: VerifiedAccessToken): JsonObject {
  const { family: _family, grant: _grant, generation: _generation, ...claims } = token.claims
  return { ...claims, active: true, token_type: 'Bearer' }
}

const mayIntrospect = (caller: ClientRecord, token: VerifiedAccessToken): boolean =>
  caller.clientId === token.clientId || token.audience.some((audience) => caller.servedAudiences.includes(audience))

/** What introspection says of every token that is not live, or not the caller's business: nothing (RFC 7662 §2.2). */
const inactive: JsonObject = { active: false }
