import {
  grantId,
  type ClientId,
  type EpochSeconds,
  type GrantRecord,
  type Storage,
  untilSettled,
} from '@mintmark/storage-interface'

import { randomIdentifier, type Random } from '../runtime/random.ts'
import type { SignedInUser } from './signed-in-user.ts'

interface SaveGrantDependencies {
  readonly storage: Storage
  readonly random: Random
}

/**
 * Remembers what the person has consented to: in a new grant, or by widening the one that joins them and the client.
 * Two tabs that consent at once end with one grant that holds both.
 * @returns `undefined` when the account was deactivated since the person was identified, and is in use again: what they
 *   consented to counts for nothing, and what they consented to after that stays.
 */
export async function saveGrant(
  consent: { readonly clientId: ClientId; readonly person: SignedInUser; readonly scopes: readonly string[] },
  now: EpochSeconds,
  deps: SaveGrantDependencies,
): Promise<GrantRecord | undefined> {
  const fresh: GrantRecord = {
    grantId: grantId(randomIdentifier(deps.random)),
    clientId: consent.clientId,
    userId: consent.person.user.userId,
    userGeneration: consent.person.user.generation,
    scopes: consent.scopes,
    createdAt: now,
    revokedAt: undefined,
    version: 1,
  }
  const saved = await untilSettled(async () => {
    const inserted = await deps.storage.grants.insert(fresh)
    if (inserted.outcome === 'inserted') return fresh
    if (inserted.record.userGeneration > fresh.userGeneration) return 'outlived'
    return widen(inserted.record, fresh, deps.storage)
  })
  return saved === 'outlived' ? undefined : saved
}

/** The existing grant with the new scopes; `undefined` when it changed meanwhile, or is of an older generation and was put away. */
async function widen(existing: GrantRecord, fresh: GrantRecord, storage: Storage): Promise<GrantRecord | undefined> {
  if (existing.userGeneration !== fresh.userGeneration) {
    await storage.grants.revoke(existing.grantId, fresh.createdAt)
    return undefined
  }
  const scopes = [...new Set([...existing.scopes, ...fresh.scopes])]
  if (scopes.length === existing.scopes.length) return existing
  const swapped = await storage.grants.replaceScopes({ grantId: existing.grantId, scopes, version: existing.version })
  return swapped.outcome === 'swapped' ? swapped.record : undefined
}
