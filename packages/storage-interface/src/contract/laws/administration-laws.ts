import type { ResolvedFilter } from '../../filter/resolved-filter.ts'
import { userId } from '../../values.ts'
import type { AdminStorage, CompleteOAuthStorage } from '../../storage.ts'
import { richJson, richText } from '../complete-records.ts'
import { aUser, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import { aLogEntry, aProvisionedUser } from '../provisioning-fixtures.ts'
import { and, attribute, boolean, not, number, present, text } from '../filters.ts'

/** All users of an issuer, for its administrators. */
export const userListLaws: readonly StorageLaw<AdminStorage>[] = [
  law(
    'user search: a list has all users of the host and of every provider, oldest first',
    async ({ storage, same }) => {
      for (const [index, id] of ['c', 'b', 'a'].entries())
        await storage.users.insert(aUser({ userId: userId(id), createdAt: nowPlus(index) }))
      await storage.provisionedUsers.insert(aProvisionedUser('p', { createdAt: nowPlus(9) }))
      await storage.users.deactivate(userId('b'), nowPlus(20))
      await storage.users.remove(userId('c'), nowPlus(20))
      const page = async (offset: number, limit: number) => {
        const outcome = await storage.users.list({
          filter: undefined,
          sort: undefined,
          page: { kind: 'index', offset, limit },
        })
        return outcome.outcome === 'listed' ? [outcome.total, ...outcome.records.map((user) => user.userId)] : outcome
      }

      same(await page(0, 10), [3, 'b', 'a', aProvisionedUser('p').userId], 'all')
      same(await page(1, 1), [3, 'a'], 'the second')
      same(await page(9, 5), [3], 'beyond the end')
      same(await page(0, 0), [3], 'the total alone')
      const [first] = await recordsOf(
        storage.users.list({ filter: undefined, sort: undefined, page: { kind: 'index', offset: 0, limit: 1 } }),
      )
      same(first, await storage.users.find(userId('b')), 'a record, as find returns it')
    },
  ),

  law('user search: a list continues after a position and shows each user once', async ({ storage, same }) => {
    const ids = Array.from({ length: 7 }, (_, index) => userId(`u${index}`))
    for (const id of ids) await storage.users.insert(aUser({ userId: id, createdAt: nowPlus(id.charCodeAt(1) % 2) }))

    const seen: string[] = []
    let after: string | undefined
    do {
      const outcome = await storage.users.list({
        filter: undefined,
        sort: undefined,
        page: { kind: 'cursor', after, limit: 2 },
      })
      if (outcome.outcome !== 'listed') break
      seen.push(...outcome.records.map((user) => user.userId))
      after = outcome.next
      await storage.users.insert(aUser({ userId: userId(`new-${seen.length}`), createdAt: nowPlus(-9) }))
    } while (after !== undefined && seen.length < 100)

    same(seen.filter((id) => !id.startsWith('new')).toSorted(), ids, 'the users who were never removed')
  }),

  law('user search: a filter compares the user and the claims exactly', async ({ storage, same }) => {
    const claims = { email: 'Kim@x.test', level: 7, vip: true, address: { country: 'NO' }, groups: ['a', 'b'] }
    await storage.users.insert(aUser({ userId: userId('u1'), claims, createdAt: nowPlus(1) }))
    await storage.users.insert(
      aUser({ userId: userId('u2'), claims: { email: 'lee@x.test', level: 9 }, createdAt: nowPlus(2) }),
    )
    await storage.provisionedUsers.insert(aProvisionedUser('p', { createdAt: nowPlus(3) }))
    await storage.users.deactivate(userId('u2'), nowPlus(20))
    const found = async (filter: ResolvedFilter) =>
      (
        await recordsOf(storage.users.list({ filter, sort: undefined, page: { kind: 'index', offset: 0, limit: 10 } }))
      ).map((user) => user.userId)
    const provisioned = aProvisionedUser('p')

    same(await found(text(claim('email'), 'eq', 'Kim@x.test')), ['u1'], 'a claim')
    same(await found(text(claim('email'), 'eq', 'kim@x.test')), [], 'a claim in another case')
    same(await found(text(claim('email'), 'ew', '@x.test')), ['u1', 'u2'], 'the end of a claim')
    same(await found(number(claim('level'), 'gt', 7)), ['u2'], 'a number')
    same(await found(boolean(claim('vip'), 'eq', true)), ['u1'], 'a boolean')
    same(await found(present(claim('address'))), ['u1'], 'a claim that is there')
    same(await found(text('id', 'eq', 'u2')), ['u2'], 'the identifier')
    same(await found(boolean('active', 'eq', false)), ['u2'], 'active')
    same(await found(text('provider', 'eq', provisioned.providerId)), [provisioned.userId], 'the provider')
    same(await found(not(present('provider'))), ['u1', 'u2'], 'no provider')
    same(await found(number('created', 'le', nowPlus(2) * 1000)), ['u1', 'u2'], 'the time of creation')
    same(await found(number('updated', 'ge', nowPlus(20) * 1000)), ['u2'], 'the time of the last change')
    same(await found(and(boolean('active', 'eq', true), number(claim('level'), 'ge', 1))), ['u1'], 'both')
  }),
]

const claim = (name: string) => ({ ...attribute('claims'), subName: name })

async function recordsOf<Record>(
  listing: Promise<
    { readonly outcome: 'listed'; readonly records: readonly Record[] } | { readonly outcome: 'tooMany' }
  >,
): Promise<readonly Record[]> {
  const outcome = await listing
  return outcome.outcome === 'listed' ? outcome.records : []
}

/** Logs: entries are read as they were written, newest first, until they expire. */
export const logLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law('logs: an entry is written once, and never changes', async ({ storage, same }) => {
    same(await storage.logs.append(entry), { outcome: 'inserted' }, 'the first')
    same(
      await storage.logs.append(aLogEntry({ type: 'other', detail: {} })),
      { outcome: 'taken' },
      'the same entry again',
    )
    same(await storage.logs.list({ log: 'admin', before: undefined, limit: 10 }), [entry], 'the log')
  }),

  law(
    'logs: a page has the newest entries of one log, or the newest that are older than a given entry',
    async ({ storage, same }) => {
      const entries = [0, 0, 5, 5, 9].map((seconds, index) => aLogEntry({ entryId: `e${index}`, at: nowPlus(seconds) }))
      for (const each of [entries[3], entries[0], entries[4], entries[1], entries[2]])
        if (each !== undefined) await storage.logs.append(each)
      await storage.logs.append(aLogEntry({ entryId: 'other', log: 'provider:acme', at: nowPlus(99) }))
      const page = async (before: { at: typeof now; entryId: string } | undefined, limit: number) =>
        (await storage.logs.list({ log: 'admin', before, limit })).map(({ entryId }) => entryId)

      same(await page(undefined, 10), ['e4', 'e3', 'e2', 'e1', 'e0'], 'all')
      same(await page(undefined, 2), ['e4', 'e3'], 'the newest')
      same(await page({ at: nowPlus(5), entryId: 'e3' }, 2), ['e2', 'e1'], 'before an entry')
      same(await page({ at: now, entryId: 'e0' }, 2), [], 'before the oldest')
      same((await storage.logs.list({ log: 'provider:acme', before: undefined, limit: 9 })).length, 1, 'the other log')
      same(await storage.logs.list({ log: 'none', before: undefined, limit: 9 }), [], 'a log without entries')
    },
  ),

  law('round trip: log entries', async ({ storage, same }) => {
    const full = aLogEntry({
      entryId: `e ${richText}`,
      log: richText,
      type: richText,
      detail: richJson,
      at: nowPlus(3),
      expiresAt: nowPlus(4),
    })
    await storage.logs.append(full)

    same(await storage.logs.list({ log: richText, before: undefined, limit: 1 }), [full], 'as written')
  }),

  law('purge: log entries are removed when they expire, and not before', async ({ storage, same }) => {
    await storage.logs.append(entry)
    await storage.logs.append(aLogEntry({ entryId: 'longer', expiresAt: nowPlus(7200) }))

    await storage.purge.purgeExpired({ now: nowPlus(3599), limit: 100 })
    same((await storage.logs.list({ log: 'admin', before: undefined, limit: 9 })).length, 2, 'before')
    await storage.purge.purgeExpired({ now: nowPlus(3600), limit: 100 })
    same(
      (await storage.logs.list({ log: 'admin', before: undefined, limit: 9 })).map(({ entryId }) => entryId),
      ['longer'],
      'after',
    )
  }),
]

const entry = aLogEntry()
