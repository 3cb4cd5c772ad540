import { aDigest, nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import { family, present, retriedFamily } from './family-laws.ts'

/** How long the previous refresh token is accepted by retries: the response to a retry can be lost too. */
export const retryLaws: readonly StorageLaw[] = [
  law(
    'families: an accepted retry starts the retry window again, and a retry after that window is reuse',
    async ({ storage, same }) => {
      await storage.families.insert(family)
      await storage.families.rotate(present('refresh-1'))

      for (const later of [5, 14])
        same(
          await storage.families.rotate(present('refresh-1', { now: nowPlus(later) })),
          { outcome: 'retried', record: retriedFamily(nowPlus(later)) },
          `a retry ${later} s after the rotation`,
        )
      const late = await storage.families.rotate(present('refresh-1', { now: nowPlus(24) }))
      same(late.outcome, 'reused', 'a retry 10 s after the last one')
    },
  ),

  law('families: all retries end six retry windows after the rotation', async ({ storage, same }) => {
    await storage.families.insert(family)
    await storage.families.rotate(present('refresh-1'))

    for (const later of [9, 18, 27, 36, 45, 54, 59]) {
      const result = await storage.families.rotate(present('refresh-1', { now: nowPlus(later) }))
      same(result.outcome, 'retried', `a retry ${later} s after the rotation`)
    }
    const late = await storage.families.rotate(present('refresh-1', { now: nowPlus(60) }))
    same(late.outcome, 'reused', 'a retry 60 s after the rotation')
  }),

  law('families: a rotation ends the retries of the rotation before', async ({ storage, same }) => {
    await storage.families.insert(family)
    await storage.families.rotate(present('refresh-1'))
    await storage.families.rotate(present('refresh-1', { now: nowPlus(5) }))

    const next = present('refresh-2', { successorDigest: aDigest('refresh-3'), now: nowPlus(6) })
    const result = await storage.families.rotate(next)
    same(result.outcome === 'rotated' && result.record.refresh?.retriedAt, undefined, 'the time of the last retry')
    const late = await storage.families.rotate({ ...next, now: nowPlus(16) })
    same(late.outcome, 'reused', 'a first retry after its window')
  }),
]
