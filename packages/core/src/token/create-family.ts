import { after, type DurationSeconds, type EpochSeconds, type Storage } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { mayRefresh } from '../client/registered-scopes.ts'
import { createRefreshToken, type RefreshLifetimes } from '../refresh/create-refresh-token.ts'
import type { Random } from '../runtime/random.ts'
import { familyOf } from './family-of.ts'
import type { RedeemedCode } from './redeem-code.ts'

export interface CreateFamilyDependencies {
  readonly storage: Storage
  readonly random: Random
  readonly lifetimes: RefreshLifetimes
}

/**
 * Writes the family that a redeemed code founds, with its first refresh token when `offline_access` was granted and the
 * client is registered to refresh.
 *
 * When the code was presented again while this request is at work, the family is buried already. The answer is the same,
 * and all that it holds is dead from the start: as if the second presentation had come right behind it (RFC 6749 §4.1.2).
 * When it is there and alive, the store of codes has forgotten that the code was used, as a failover may: that ends it too.
 * @param accessTokenLifetime how long a family without a refresh token has to be remembered.
 * @returns the refresh token, when there is one.
 */
export async function createFamily(
  founder: {
    readonly code: RedeemedCode
    readonly client: AuthenticatedClient
    readonly accessTokenLifetime: DurationSeconds
  },
  now: EpochSeconds,
  deps: CreateFamilyDependencies,
): Promise<string | undefined> {
  const { code, client } = founder
  const refreshes = mayRefresh(code.scopes, client)
  const refresh = refreshes ? await createRefreshToken(now, deps) : undefined
  const lifetime = refreshes ? deps.lifetimes.refreshTokenAbsolute : founder.accessTokenLifetime
  const family = { ...familyOf(code, { now, expiresAt: after(now, lifetime) }), refresh: refresh?.record }

  const founded = await deps.storage.families.insert(family)
  // RFC 6749 §4.1.2: a code founds one family, once. Otherwise a second access token would live in the family of the first.
  if (founded.outcome === 'buried') await deps.storage.families.insertTombstone(family, now)
  return refresh?.token
}
