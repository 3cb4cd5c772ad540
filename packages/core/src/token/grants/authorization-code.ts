import { digestSecret, type Random } from '@mintmark/internal'
import { after, type DurationSeconds, type EpochSeconds, type OAuthStorage } from '@mintmark/storage-interface'

import { mayRefresh, registeredScopes } from '../../authorize/scopes.ts'
import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { refuse } from '../../refusals.ts'
import { createRefreshToken, type RefreshLifetimes } from '../../tokens/refresh-token.ts'
import { isGrantActive } from '../../tokens/status.ts'
import { defineGrant, type GrantType } from '../grant.ts'
import {
  familyOf,
  isIntact,
  parseCodePresentation,
  redeemCode,
  type CodePresentation,
  type RedeemCodeDependencies,
  type RedeemedCode,
} from '../redeem-code.ts'
import { narrowResources, resolveTarget, type TokenTargetDependencies } from '../resources.ts'

type AuthorizationCodeGrantDependencies = RedeemCodeDependencies & CreateFamilyDependencies & TokenTargetDependencies

/** The authorization code grant (RFC 6749 §4.1.3) with PKCE (RFC 7636). */
export const authorizationCodeGrant = (deps: AuthorizationCodeGrantDependencies): GrantType =>
  defineGrant({
    grantType: 'authorization_code',
    async decide(form, client, now) {
      const presentation = parseCodePresentation(form)
      if (presentation.resources.length > 0) await refuseUngrantedResources({ presentation, client }, now, deps)
      const code = await redeemCode({ presentation, client }, now, deps)
      const status = await deps.storage.status.ofGrant(code.grantId)
      if (!isGrantActive(status) || status.user.userId !== code.userId || status.client.clientId !== client.clientId) {
        // RFC 6749 §5.2: codes of deactivated users, revoked grants and disabled clients are refused.
        throw refuse('grant_inactive')
      }
      const resources = narrowResources(presentation.resources, code.resources)
      const target = resolveTarget({ scopes: registeredScopes(code.scopes, client), resources }, deps)
      const refreshToken = await createFamily({ code, client, accessTokenLifetime: target.lifetime }, now, deps)

      const { grantId, familyId, authentication, claimsRequest, nonce } = code
      const forUser = { user: status.user, grantId, familyId, authentication, claimsRequest, nonce }
      return { evidence: code, client, target, forUser, refreshToken }
    },
  })

/** Checked before the code is consumed, so that a client can retry after naming a wrong resource. */
async function refuseUngrantedResources(
  { presentation, client }: { readonly presentation: CodePresentation; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RedeemCodeDependencies,
): Promise<void> {
  const code = await deps.storage.codes.find(await digestSecret(presentation.code), client.clientId, now)
  if (code !== undefined && isIntact(code)) narrowResources(presentation.resources, code.resources)
}

interface CreateFamilyDependencies {
  readonly storage: OAuthStorage
  readonly random: Random
  readonly lifetimes: RefreshLifetimes
}

/**
 * Stores the family of a redeemed code, with its first refresh token if `offline_access` was granted and the client is
 * registered for refresh tokens.
 *
 * If the code was replayed while this request is in progress, the family has already been revoked. The response is the
 * same, but its tokens are revoked from the start, as if the replay had come right after it (RFC 6749 §4.1.2). If the
 * family already exists and is active, the store has lost the fact that the code was consumed, for example in a
 * failover; the family is revoked in that case too.
 * @param accessTokenLifetime how long a family without a refresh token is kept.
 * @returns the refresh token, if there is one.
 */
async function createFamily(
  origin: {
    readonly code: RedeemedCode
    readonly client: AuthenticatedClient
    readonly accessTokenLifetime: DurationSeconds
  },
  now: EpochSeconds,
  deps: CreateFamilyDependencies,
): Promise<string | undefined> {
  const { code, client } = origin
  const refreshes = mayRefresh(code.scopes, client)
  const refresh = refreshes ? await createRefreshToken(now, deps) : undefined
  const lifetime = refreshes ? deps.lifetimes.refreshTokenAbsolute : origin.accessTokenLifetime
  const family = { ...familyOf(code, { now, expiresAt: after(now, lifetime) }), refresh: refresh?.record }

  const created = await deps.storage.families.insert(family)
  // RFC 6749 §4.1.2: a code creates one family, once. Otherwise a second access token would belong to the first family.
  if (created.outcome === 'buried') await deps.storage.families.insertTombstone(family, now)
  return refresh?.token
}
