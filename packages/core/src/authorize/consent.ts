import {
  grantId,
  untilSettled,
  userId,
  type ClientId,
  type EpochSeconds,
  type GrantRecord,
  type Storage,
} from '@mintmark/storage-interface'

import { systemClock, type Clock } from '../runtime/clock.ts'
import { randomIdentifier, type Random } from '../runtime/random.ts'
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { isGrantActive } from '../tokens/status.ts'

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

/** A client that a person has let in, as their account page shows it. */
export interface ConnectedApp {
  /** Names the grant; it opens nothing. */
  readonly grantId: string
  readonly clientId: string
  readonly clientName: string
  readonly scopes: readonly string[]
  readonly since: EpochSeconds
}

/** The clients that people have let in. */
export interface ConnectedApps {
  /**
   * Newest first. What gets nothing any more is left out: clients that were disabled or deleted, and consent of before
   * the account was deactivated.
   */
  list(subject: string): Promise<readonly ConnectedApp[]>
  /**
   * Ends a grant: the consent and every token under it, at once.
   * @returns `absent` when the person has no such grant.
   */
  disconnect(subject: string, grant: string): Promise<'ended' | 'absent'>
}

export function createConnectedApps(deps: { readonly storage: Storage; readonly clock?: Clock }): ConnectedApps {
  const { storage } = deps
  const clock = deps.clock ?? systemClock

  return {
    async list(subject) {
      const grants = await storage.grants.listByUser(userId(subject))
      const standings = await Promise.all(grants.map((grant) => storage.status.ofGrant(grant.grantId)))
      return standings.filter(isGrantActive).map(({ grant, client: { clientName } }) => {
        const { grantId: id, clientId, scopes, createdAt } = grant
        return { grantId: id, clientId, clientName, scopes, since: createdAt }
      })
    },
    async disconnect(subject, grant) {
      const own = await storage.grants.listByUser(userId(subject))
      // A person ends their own grants; another's is not there.
      if (own.every(({ grantId: id }) => id !== grant)) return 'absent'
      const revoked = await storage.grants.revoke(grantId(grant), clock())
      return revoked.outcome === 'absent' ? 'absent' : 'ended'
    },
  }
}
