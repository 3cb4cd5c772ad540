import { familyId } from '../../identifiers.ts'
import type { OAuthStorage } from '../../storage.ts'
import { seconds } from '../../time.ts'
import type { RotateOutcome } from '../../token-family.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aDigest } from '../records/a-digest.ts'
import { aFamilyRecord, aRefreshRecord } from '../records/a-family.ts'
import { now, nowPlus } from '../records/moments.ts'

/** A family is written once and ends once, whatever its end races with (RFC 6749 §4.1.2, RFC 7009 §2.1). */
export const deadFamilyLaws: readonly StorageLaw[] = [
  law('families: an identifier or a handle is inserted at most once', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) =>
      server(index).families.insert(aFamilyRecord({ scopes: [`scope-${index}`] })),
    )
    const written = await storage.status.ofFamily(family.familyId)
    const sameHandle = await storage.families.insert(aFamilyRecord({ familyId: familyId('family-2') }))
    const sameId = await storage.families.insert(
      aFamilyRecord({ refresh: aRefreshRecord({ handleDigest: aDigest('handle-2') }) }),
    )

    same(tally(inserts), { inserted: 1, buried: 7 }, '8 insertions at once')
    same(sameHandle, { outcome: 'buried' }, 'another family with the same handle')
    same(sameId, { outcome: 'buried' }, 'the same family with another handle')
    same(await storage.status.ofFamily(family.familyId), written, 'the family after the refused insertions')
    same(await storage.status.ofFamily(familyId('family-2')), undefined, 'the refused family')
    same(await storage.status.ofRefreshHandle(aDigest('handle-2')), undefined, 'the refused handle')
  }),

  law('families: a family without a refresh token does not stand in the way of another', async ({ storage, same }) => {
    same(
      await storage.families.insert(bare('family-1')),
      { outcome: 'inserted' },
      'the first family without a refresh token',
    )
    same(await storage.families.insert(bare('family-2')), { outcome: 'inserted' }, 'the second')
  }),

  law('families: a family that was buried before it was written is never live', async ({ storage, same }) => {
    await storage.families.insertTombstone(aFamilyRecord({ refresh: undefined }), now)

    same(await storage.families.insert(family), { outcome: 'buried' }, 'the insertion after the burial')
    same(await rotateFirst(storage), { outcome: 'absent' }, 'its refresh token')
    same((await storage.status.ofFamily(family.familyId))?.family.revokedAt, now, 'when it was revoked')
  }),

  law('families: burying a written family ends it, and the first end stays', async ({ storage, same }) => {
    await storage.families.insert(family)
    await storage.families.insertTombstone(aFamilyRecord({ refresh: undefined, scopes: [] }), nowPlus(1))
    await storage.families.insertTombstone(family, nowPlus(2))

    const standing = await storage.status.ofFamily(family.familyId)
    same(standing?.family, { ...family, revokedAt: nowPlus(1) }, 'the family after two burials')
    same(await rotateFirst(storage), { outcome: 'absent' }, 'its refresh token')
    same(
      await storage.families.revoke(family.familyId, nowPlus(3)),
      { outcome: 'unchanged' },
      'a revocation after that',
    )
  }),

  law(
    'families: whichever of insertion and burial comes first, the family is dead',
    async ({ storage, server, same }) => {
      const races = Array.from({ length: 8 }, (_, index) =>
        aFamilyRecord({
          familyId: familyId(`family-${index}`),
          refresh: aRefreshRecord({ handleDigest: aDigest(`handle-${index}`) }),
        }),
      )

      await atOnce(16, async (index) => {
        const raced = races[index >> 1] ?? family
        const startsWithInsert = [0, 3].includes(index % 4)
        return startsWithInsert
          ? server(0).families.insert(raced)
          : server(1).families.insertTombstone({ ...raced, refresh: undefined }, now)
      })

      for (const { familyId: id } of races) {
        const standing = await storage.status.ofFamily(id)
        same(standing?.family.revokedAt, now, `when ${id} was revoked`)
      }
    },
  ),

  law(
    'families: a revocation is told once, its first time stays, and no token rotates after it',
    async ({ storage, same }) => {
      await storage.families.insert(family)

      same(await storage.families.revoke(familyId('unknown'), now), { outcome: 'absent' }, 'an unknown family')
      same(await storage.families.revoke(family.familyId, now), { outcome: 'ended' }, 'the first revocation')
      same(await storage.families.revoke(family.familyId, nowPlus(5)), { outcome: 'unchanged' }, 'the second')
      same(
        (await storage.status.ofFamily(family.familyId))?.family,
        { ...family, revokedAt: now },
        'the family as read',
      )
      same(await rotateFirst(storage), { outcome: 'absent' }, 'its refresh token')
    },
  ),

  law('families: after a revocation that races with rotations no token rotates', async ({ storage, server, same }) => {
    await storage.families.insert(family)

    const results = await atOnce(9, async (index) =>
      index === 4 ? server(index).families.revoke(family.familyId, now) : rotateFirst(server(index), `child-${index}`),
    )

    same(results.filter(({ outcome }) => outcome === 'ended').length, 1, 'how many ended the family')
    for (const token of ['refresh-1', ...Array.from({ length: 9 }, (_, index) => `child-${index}`)]) {
      same(await rotate(storage, token, 'late'), { outcome: 'absent' }, `${token} after the race`)
    }
  }),
]

const family = aFamilyRecord()
const bare = (id: string) => aFamilyRecord({ familyId: familyId(id), refresh: undefined })

const rotateFirst = (storage: OAuthStorage, successor = 'refresh-2'): Promise<RotateOutcome> =>
  rotate(storage, 'refresh-1', successor)

function rotate(storage: OAuthStorage, token: string, successor: string): Promise<RotateOutcome> {
  return storage.families.rotate({
    handleDigest: aDigest('handle-1'),
    presentedDigest: aDigest(token),
    clientId: family.clientId,
    successorDigest: aDigest(successor),
    successorSalt: 'salt-1',
    expiresAt: nowPlus(90_000),
    now,
    retryWindow: seconds(10),
  })
}
