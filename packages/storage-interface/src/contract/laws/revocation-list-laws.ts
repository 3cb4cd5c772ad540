import { revocationRetention, type RevocationRecord, type RevocationStore } from '../../revocation.ts'
import { clientId, familyId, grantId } from '../../identifiers.ts'
import type { OAuthStorage } from '../../storage.ts'
import type { EpochSeconds } from '../../time.ts'
import { atOnce } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aFamilyRecord } from '../records/a-family.ts'
import { now, nowPlus } from '../records/moments.ts'
import { toldIn } from '../listed-revocations.ts'

/** Endings are read in the order in which they happened, and whoever goes on where it stopped misses none. */
export const revocationListLaws: readonly StorageLaw[] = [
  law('endings: a page goes on at a position, and ends at its limit', async ({ storage, same }) => {
    for (let index = 0; index < 5; index += 1) await endToken(storage, `t${index}`, nowPlus(index))
    const all = await storage.revocations.list({ from: undefined, endedSince: now, limit: 9 })
    const [first, , third] = all.records.map(({ position }) => position)

    same(all.records.map(nameOf), ['t0', 't1', 't2', 't3', 't4'], 'all')
    same(
      all.records.map(({ revokedAt: endedAt }) => endedAt),
      [0, 1, 2, 3, 4].map(nowPlus),
      'when each ended',
    )
    same(await names(storage, { limit: 2 }), ['t0', 't1'], 'the first two')
    same(await names(storage, { from: third, limit: 2 }), ['t2', 't3'], 'two from the third on')
    same(await names(storage, { from: (third ?? 0) + 1000 }), [], 'behind the last')
    same((first ?? 0) >= 1 && isAscending(all.records), true, 'positions that ascend from 1 or more')
    same(all.completeSince <= now, true, 'that it knows of what ended from now on')
  }),

  law('endings: those that ended before a time are left out', async ({ storage, same }) => {
    for (const [index, time] of [0, 500, 100, 700].entries()) await endToken(storage, `t${index}`, nowPlus(time))
    const [first] = (await storage.revocations.list({ from: undefined, endedSince: now, limit: 1 })).records

    same(await names(storage, { endedSince: nowPlus(500) }), ['t1', 't3'], 'from the first on')
    same(
      await names(storage, { from: first?.position, endedSince: nowPlus(100) }),
      ['t1', 't2', 't3'],
      'from a position on',
    )
    same(await names(storage, { from: first?.position, endedSince: nowPlus(701) }), [], 'after the last')
  }),

  law(
    'endings: who goes on behind the last one that was listed misses none of those at once',
    async ({ storage, server, same }) => {
      const count = 40
      await atOnce(count, (index) => storage.families.insert(aFamily(index)))
      const heard: string[] = []
      let from = 1
      const listen = async (): Promise<void> => {
        const { records } = await server(1).revocations.list({ from, endedSince: now, limit: 1000 })
        heard.push(...records.map(nameOf))
        from = (records.at(-1)?.position ?? from - 1) + 1
      }

      const revoking = atOnce(count, (index) => server(index).families.revoke(aFamily(index).familyId, now))
      for (let round = 0; round < count; round += 1) await listen()
      await revoking
      await listen()

      const expected = Array.from({ length: count }, (_, index) => aFamily(index).familyId)
      same(heard.toSorted(), expected.toSorted(), 'what was heard')
      same((await toldIn(storage)).length, count, 'how many there are')
    },
  ),

  law('endings: each is kept for as long as a token may live, and then goes', async ({ storage, same }) => {
    await endToken(storage, 'old', now)
    await endToken(storage, 'new', nowPlus(5))
    const goesAt = nowPlus(revocationRetention)

    await storage.purge.purgeExpired({ now: nowPlus(revocationRetention - 1), limit: 100 })
    same(await names(storage), ['old', 'new'], 'before')
    await storage.purge.purgeExpired({ now: goesAt, limit: 100 })
    same(await names(storage), ['new'], 'after')
    await storage.purge.purgeExpired({ now: nowPlus(revocationRetention + 5), limit: 100 })
    await endToken(storage, 'newest', nowPlus(9))
    same(await names(storage, { from: 3 }), ['newest'], 'behind two that are gone')
  }),

  law('isolation: endings are told by their own issuer only', async ({ storage, issuer, open, same }) => {
    const other = await open(`${issuer}/tenant`)
    for (const [name, at] of [
      ['t0', storage],
      ['t1', other],
      ['t2', storage],
    ] as const)
      await endToken(at, name, now)

    same([await names(storage), await names(other)], [['t0', 't2'], ['t1']], 'each')
    same(await other.revocations.isTokenRevoked('t0', now), false, 'hasTokenEnded')
  }),

  law('round trip: endings', async ({ storage, same }) => {
    const texts = ['o\'neil "x" \\ %_', 'ä 漢字😀', '__proto__']
    for (const text of texts)
      await storage.families.insertTombstone(
        aFamilyRecord({
          familyId: familyId(text),
          grantId: grantId(text),
          clientId: clientId(text),
          refresh: undefined,
        }),
        now,
      )

    same(
      (await toldIn(storage)).map((each) => (each.kind === 'family' ? each.familyId : each.kind)),
      texts,
      'as they were named',
    )
  }),
]

const endToken = ({ revocations: endings }: OAuthStorage, tokenId: string, time: EpochSeconds): Promise<void> =>
  endings.revokeToken({ tokenId, expiresAt: nowPlus(600), now: time })

/** The names on a page: of what ended from `now` on, unless it says otherwise. */
async function names(
  { revocations: endings }: OAuthStorage,
  page: Partial<Parameters<RevocationStore['list']>[0]> = {},
): Promise<readonly string[]> {
  const { records } = await endings.list({ from: undefined, endedSince: now, limit: 9, ...page })
  return records.map(nameOf)
}

function nameOf({ revocation: ending }: RevocationRecord): string {
  return ending.kind === 'token' ? ending.tokenId : ending.kind === 'family' ? ending.familyId : ending.kind
}

const isAscending = (records: readonly RevocationRecord[]): boolean =>
  records.every(({ position }, index) => position > (records[index - 1]?.position ?? 0))

const aFamily = (index: number) => aFamilyRecord({ familyId: familyId(`family-${index}`), refresh: undefined })
