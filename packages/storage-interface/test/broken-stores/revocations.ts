import { aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { type AdminStorage, epochSeconds, type RevocationRecord, sessionId } from '@mintmark/storage-interface'
import type { FamilyId, RevocationStore } from '@mintmark/storage-interface/stores'
import { letOthersGoFirst, breakStore, type BrokenStore } from './break-store.ts'

/** Stores that break the laws about revocations. */
export const brokenRevocationStores: Readonly<Record<string, BrokenStore>> = {
  'revocations: records a token that revokeToken revokes': omitFromList('token'),
  'revocations: records a family that is revoked': breakStore('families', (honest) => ({
    // Writes another revocation when nothing changed.
    revoke: async (familyId, now) => {
      const result = await honest.revoke(familyId, now)
      if (result.outcome === 'unchanged')
        await honest.insertTombstone(aFamilyRecord({ familyId: 'again' as FamilyId, refresh: undefined }), now)
      return result
    },
  })),
  'revocations: records a family whose refresh token is reused': breakStore('families', (honest) => ({
    // Refuses a reused token without revoking the family.
    rotate: async (request) => (request.successorDigest.endsWith('2') ? honest.rotate(request) : { outcome: 'absent' }),
  })),
  'revocations: records a family that gets a tombstone, inserted before or not': breakStore('families', (honest) => ({
    insertTombstone: async (family, now) => void (await honest.revoke(family.familyId, now)),
  })),
  'revocations: records a grant that is revoked': omitFromList('grant'),
  'revocations: records a session that is revoked, stored or not': breakStore('sessions', (honest) => ({
    // Writes no tombstone for a session that is not stored.
    revoke: (end) => honest.revoke({ ...end, tombstoneUntil: undefined }),
  })),
  'revocations: records the sessions of a user who is signed out everywhere': breakStore('sessions', (honest) => ({
    // Writes another revocation when there was no session to revoke.
    revokeOfUser: async (user, reason, now) => {
      const revoked = await honest.revokeOfUser(user, reason, now)
      const again = { sessionId: sessionId('again'), reason, now, tombstoneUntil: now }
      if (revoked.length === 0) await honest.revoke(again)
      return revoked
    },
  })),
  'revocations: records the generation of a user who is deactivated, and a user who is removed': breakStore(
    'users',
    (honest) => ({
      remove: async (userId, now) => {
        await honest.deactivate(userId, now)
        return { outcome: 'removed' }
      },
    }),
  ),
  'revocations: records each generation of a user whose access is revoked': omitFromList('generation'),
  'revocations: records a user whom the provider deactivates and removes': breakStore('provisionedUsers', (honest) => ({
    remove: (request) => honest.release(request),
  })),
  'revocations: records a user who is adopted as inactive, and each user who is released': omitFromList('generation'),
  'revocations: records that a client is disabled, enabled again and removed': omitFromList('client_in_use'),
  'revocations: records a signing key that is dropped': omitFromList('key'),
  'revocations: a token that revokeToken revoked stays revoked until it expires': breakStore(
    'revocations',
    (honest) => ({
      isTokenRevoked: (tokenId) => honest.isTokenRevoked(tokenId, epochSeconds(0)),
    }),
  ),

  'revocations: a page starts at a position and stops at its limit': breakStore('revocations', (honest) => ({
    list: async (page) => {
      const found = await honest.list({ ...page, limit: page.limit + 1 })
      return { ...found, records: found.records.slice(-page.limit) }
    },
  })),
  'revocations: a list leaves out revocations before a given time': breakStore('revocations', (honest) => ({
    list: (page) =>
      honest.list({ ...page, revokedSince: page.from === undefined ? page.revokedSince : epochSeconds(0) }),
  })),
  'revocations: a reader that continues after the last listed revocation misses no concurrent one': breakStore(
    'revocations',
    delayVisibility,
  ),
  'revocations: each is kept for revocationRetention, and then purged': breakStore('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, now: epochSeconds(request.now + 100) }),
  })),
}

/** A store that never lists one kind of revocation. */
function omitFromList(kind: RevocationRecord['revocation']['kind']): BrokenStore {
  return breakStore('revocations', (honest) => ({
    list: async (page) => {
      const { records, completeSince } = await honest.list(page)
      return { completeSince, records: records.filter(({ revocation }) => revocation.kind !== kind) }
    },
  }))
}

/**
 * Assigns numbers before the rows become visible: of two concurrent rows, the row with the lower number may become visible
 * last.
 */
function delayVisibility(
  honest: RevocationStore,
  _storage: AdminStorage,
  seen: Map<string, unknown>,
): Partial<RevocationStore> {
  return {
    async list(page) {
      const { records, completeSince } = await honest.list(page)
      const visible = records.filter(({ position }) => position % 3 !== 0 || seen.has(String(position)))
      for (const { position } of records) seen.set(String(position), true)
      await letOthersGoFirst()
      return { completeSince, records: visible }
    },
  }
}
