import { aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { epochSeconds, type RevocationRecord, type FamilyId, type AdminStorage } from '@mintmark/storage-interface'
import { type RevocationStore } from '@mintmark/storage-interface/stores'
import { letOthersGoFirst, sabotage, type Saboteur } from './sabotage.ts'

/** Stores that break the laws about what has ended. */
export const endingSaboteurs: Readonly<Record<string, Saboteur>> = {
  'endings: a token that is ended by itself': forgets('token'),
  'endings: a family that is revoked': sabotage('families', (honest) => ({
    // Tells a repetition again: of what changes nothing nothing is written.
    revoke: async (familyId, now) => {
      const result = await honest.revoke(familyId, now)
      if (result.outcome === 'unchanged')
        await honest.insertTombstone(aFamilyRecord({ familyId: 'again' as FamilyId, refresh: undefined }), now)
      return result
    },
  })),
  'endings: a family whose refresh token is used again': sabotage('families', (honest) => ({
    // Refuses what was used before, and lets the family live on.
    rotate: async (request) => (request.successorDigest.endsWith('2') ? honest.rotate(request) : { outcome: 'absent' }),
  })),
  'endings: a family that is buried, written before or not': sabotage('families', (honest) => ({
    insertTombstone: async (family, now) => void (await honest.revoke(family.familyId, now)),
  })),
  'endings: a grant that is revoked': forgets('grant'),
  'endings: an account that is deactivated, by its generation, and one that is removed': sabotage(
    'users',
    (honest) => ({
      remove: async (userId, now) => {
        await honest.deactivate(userId, now)
        return { outcome: 'removed' }
      },
    }),
  ),
  'endings: an account that its provider deactivates, and removes': sabotage('provisionedUsers', (honest) => ({
    remove: (request) => honest.release(request),
  })),
  'endings: an account that a provider takes over as not active, and each that a provider lets go of':
    forgets('generation'),
  'endings: a client that is disabled, is in use again, and is removed': forgets('client_in_use'),
  'endings: a token that was ended by itself has ended until it expires': sabotage('revocations', (honest) => ({
    isTokenRevoked: (tokenId) => honest.isTokenRevoked(tokenId, epochSeconds(0)),
  })),

  'endings: a page goes on at a position, and ends at its limit': sabotage('revocations', (honest) => ({
    list: async (page) => {
      const found = await honest.list({ ...page, limit: page.limit + 1 })
      return { ...found, records: found.records.slice(-page.limit) }
    },
  })),
  'endings: those that ended before a time are left out': sabotage('revocations', (honest) => ({
    list: (page) => honest.list({ ...page, endedSince: page.from === undefined ? page.endedSince : epochSeconds(0) }),
  })),
  'endings: who goes on behind the last one that was listed misses none of those at once': sabotage(
    'revocations',
    becomesVisibleLate,
  ),
  'endings: each is kept for as long as a token may live, and then goes': sabotage('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, now: epochSeconds(request.now + 100) }),
  })),
}

/** One kind of ending is not written. */
function forgets(kind: RevocationRecord['revocation']['kind']): Saboteur {
  return sabotage('revocations', (honest) => ({
    list: async (page) => {
      const { records, completeSince } = await honest.list(page)
      return { completeSince, records: records.filter(({ revocation: ending }) => ending.kind !== kind) }
    },
  }))
}

/** Numbers are given before the rows can be seen: of two at once the one with the lesser number may be seen last. */
function becomesVisibleLate(
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
