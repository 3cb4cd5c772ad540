import { clientId, familyId, grantId, type EpochSeconds } from '../../values.ts'
import { type RevocationRecord, type RevocationStore, revocationRetention } from '../../revocation.ts'
import type { OAuthStorage } from '../../storage.ts'
import { aFamilyRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law } from '../law.ts'
import { allRevocations } from './revocation-laws.ts'

/** Revocations are read in the order in which they happened, and a reader that continues where it stopped misses none. */
export const revocationListLaws: readonly StorageLaw[] = [
  law('revocations: a page starts at a position and stops at its limit', async ({ storage, same }) => {
    for (let index = 0; index < 5; index += 1) await revokeToken(storage, `t${index}`, nowPlus(index))
    const all = await storage.revocations.list({ from: undefined, revokedSince: now, limit: 9 })
    const [first, , third] = all.records.map(({ position }) => position)

    same(all.records.map(nameOf), ['t0', 't1', 't2', 't3', 't4'], 'all')
    same(
      all.records.map(({ revokedAt }) => revokedAt),
      [0, 1, 2, 3, 4].map(nowPlus),
      'when each was revoked',
    )
    same(await names(storage, { limit: 2 }), ['t0', 't1'], 'the first two')
    same(await names(storage, { from: third, limit: 2 }), ['t2', 't3'], 'two from the third on')
    same(await names(storage, { from: (third ?? 0) + 1000 }), [], 'after the last')
    same((first ?? 0) >= 1 && isAscending(all.records), true, 'positions that ascend from 1 or more')
    same(all.completeSince <= now, true, 'that it has every revocation from now on')
  }),

  law('revocations: a list leaves out revocations before a given time', async ({ storage, same }) => {
    for (const [index, time] of [0, 500, 100, 700].entries()) await revokeToken(storage, `t${index}`, nowPlus(time))
    const [first] = (await storage.revocations.list({ from: undefined, revokedSince: now, limit: 1 })).records

    same(await names(storage, { revokedSince: nowPlus(500) }), ['t1', 't3'], 'from the first on')
    same(
      await names(storage, { from: first?.position, revokedSince: nowPlus(100) }),
      ['t1', 't2', 't3'],
      'from a position on',
    )
    same(await names(storage, { from: first?.position, revokedSince: nowPlus(701) }), [], 'after the last')
  }),

  law(
    'revocations: a reader that continues after the last listed revocation misses no concurrent one',
    async ({ storage, server, same }) => {
      const count = 40
      await atOnce(count, (index) => storage.families.insert(aFamily(index)))
      const received: string[] = []
      let from = 1
      const read = async (): Promise<void> => {
        const { records } = await server(1).revocations.list({ from, revokedSince: now, limit: 1000 })
        received.push(...records.map(nameOf))
        from = (records.at(-1)?.position ?? from - 1) + 1
      }

      const revoking = atOnce(count, (index) => server(index).families.revoke(aFamily(index).familyId, now))
      for (let round = 0; round < count; round += 1) await read()
      await revoking
      await read()

      const expected = Array.from({ length: count }, (_, index) => aFamily(index).familyId)
      same(received.toSorted(), expected.toSorted(), 'what was received')
      same((await allRevocations(storage)).length, count, 'how many there are')
    },
  ),

  law('revocations: each is kept for revocationRetention, and then purged', async ({ storage, same }) => {
    await revokeToken(storage, 'old', now)
    await revokeToken(storage, 'new', nowPlus(5))
    const purgeableAt = nowPlus(revocationRetention)

    await storage.purge.purgeExpired({ now: nowPlus(revocationRetention - 1), limit: 100 })
    same(await names(storage), ['old', 'new'], 'before')
    await storage.purge.purgeExpired({ now: purgeableAt, limit: 100 })
    same(await names(storage), ['new'], 'after')
    await storage.purge.purgeExpired({ now: nowPlus(revocationRetention + 5), limit: 100 })
    await revokeToken(storage, 'newest', nowPlus(9))
    same(await names(storage, { from: 3 }), ['newest'], 'after two that were purged')
  }),

  law('isolation: revocations are listed only by their own issuer', async ({ storage, issuer, open, same }) => {
    const other = await open(`${issuer}/tenant`)
    for (const [name, at] of [
      ['t0', storage],
      ['t1', other],
      ['t2', storage],
    ] as const)
      await revokeToken(at, name, now)

    same([await names(storage), await names(other)], [['t0', 't2'], ['t1']], 'each')
    same(await other.revocations.isTokenRevoked('t0', now), false, 'isTokenRevoked')
  }),

  law('round trip: revocations', async ({ storage, same }) => {
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
      (await allRevocations(storage)).map((each) => (each.kind === 'family' ? each.familyId : each.kind)),
      texts,
      'as they were named',
    )
  }),
]

const revokeToken = ({ revocations }: OAuthStorage, tokenId: string, time: EpochSeconds): Promise<void> =>
  revocations.revokeToken({ tokenId, expiresAt: nowPlus(600), now: time })

/** Returns the names of the revocations on a page. By default, the page has revocations from `now` on. */
async function names(
  { revocations }: OAuthStorage,
  page: Partial<Parameters<RevocationStore['list']>[0]> = {},
): Promise<readonly string[]> {
  const { records } = await revocations.list({ from: undefined, revokedSince: now, limit: 9, ...page })
  return records.map(nameOf)
}

function nameOf({ revocation: revoked }: RevocationRecord): string {
  return revoked.kind === 'token' ? revoked.tokenId : revoked.kind === 'family' ? revoked.familyId : revoked.kind
}

const isAscending = (records: readonly RevocationRecord[]): boolean =>
  records.every(({ position }, index) => position > (records[index - 1]?.position ?? 0))

const aFamily = (index: number) => aFamilyRecord({ familyId: familyId(`family-${index}`), refresh: undefined })
