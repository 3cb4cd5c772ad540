import { groupId, userId } from '../../values.ts'
import type { ListPage, ListQuery } from '../../resource-list.ts'
import type { ScimStorage } from '../../storage.ts'
import { now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import {
  aGroup,
  aGroupState,
  aProvisionedState,
  aProvisionedUser,
  asListed,
  everything,
  freshUser,
  freshGroup,
  insertUsers,
  listedIds,
} from '../provisioning-fixtures.ts'
import { boolean, element, text } from '../filters.ts'

/** Pages of lists, by index and by cursor. */
export const listPageLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'lists: users, including deactivated ones, are listed by age and then by identifier',
    async ({ storage, same }) => {
      const ages = [
        ['b', 2],
        ['é', 1],
        ['B', 1],
        ['10', 1],
        ['a', 3],
        ['z', 0],
      ] as const
      const users = ages.map(([label, age]) => aProvisionedUser(label, { createdAt: nowPlus(age) }))
      await insertUsers(storage, users)
      const inactive = {
        ...aProvisionedUser('a', { state: aProvisionedState('a', { active: false }) }),
        version: 1,
        now: nowPlus(9),
      }
      await storage.provisionedUsers.compareAndSwap(inactive)

      const list = await storage.provisionedUsers.list(everything)

      same(listedIds(list), [6, 'user-z', 'user-10', 'user-B', 'user-é', 'user-b', 'user-a'], 'the list')
      const oldest = users.find(({ userId: id }) => id === 'user-z')
      same(list.outcome === 'listed' && list.records[0], oldest && asListed(freshUser(oldest)), 'the first record')
      const last = { active: false, generation: 1, version: 2, updatedAt: nowPlus(9), createdAt: nowPlus(3) }
      const changed = { ...freshUser(aProvisionedUser('a')), ...last }
      same(list.outcome === 'listed' && list.records.at(-1), asListed(changed), 'the last record')
    },
  ),

  law('lists: groups are listed by age and then by identifier', async ({ storage, same }) => {
    same(
      await storage.groups.list(everything),
      { outcome: 'listed', total: 0, records: [], next: undefined },
      'no groups',
    )
    const groups = (['b', 'B', 'a'] as const).map((label, index) =>
      aGroup(label, { createdAt: nowPlus(index === 2 ? -1 : 0) }),
    )
    for (const group of groups) await storage.groups.insert(group)
    const [b, upper, a] = groups.map(freshGroup)

    const list = await storage.groups.list(everything)

    same(list.outcome === 'listed' && [list.total, ...list.records], [3, a, upper, b], 'the list')
    const page = { kind: 'index', offset: 1, limit: 1 } as const
    const second = await storage.groups.list({ ...everything, page })
    same(second.outcome === 'listed' && [second.total, ...second.records], [3, upper], 'its second page')
  }),

  law('lists: index pages are parts of the list, each with the total', async ({ storage, same }) => {
    await seed(storage, 7)
    const page = async (offset: number, limit: number, of: Partial<ListQuery> = {}) =>
      listedIds(await storage.provisionedUsers.list({ ...everything, ...of, page: { kind: 'index', offset, limit } }))

    same(await page(0, 3), [7, 'user-0', 'user-1', 'user-2'], 'the first three')
    same(await page(5, 3), [7, 'user-5', 'user-6'], 'the last two')
    same(await page(0, 7), [7, ...Array.from({ length: 7 }, (_, index) => `user-${index}`)], 'all')
    same(await page(0, 0), [7], 'the total alone')
    same(await page(7, 3), [7], 'after the end')
    same(await page(1_000_000_000, 3), [7], 'far after the end')
    const odd = { filter: boolean('active', 'eq', false) }
    same(await page(1, 1, odd), [3, 'user-3'], 'of those that match')
    same(await page(0, 0, odd), [3], 'how many match')
    same(await page(3, 1, odd), [3], 'after the last that matches')
  }),

  law(
    'lists: cursor pages show exactly once each row that is never removed, while others are inserted and removed',
    async ({ storage, same }) => {
      // Several users have the same second of creation, so that a page can end between them.
      const stay = Array.from({ length: 12 }, (_, index) =>
        aProvisionedUser(`s-${index}`, { createdAt: nowPlus(index % 3) }),
      )
      const go = Array.from({ length: 6 }, (_, index) =>
        aProvisionedUser(`g-${index}`, { createdAt: nowPlus(index % 3) }),
      )
      await insertUsers(storage, [...stay, ...go])

      const seen = await readAllPages(storage, { limit: 3 }, async (page, last) => {
        const leaving = [go[page]?.userId, last !== undefined && last.startsWith('user-g') ? last : undefined]
        for (const id of leaving) if (id !== undefined) await remove(storage, id)
        const newcomers = [-1, 1, 9].map((age) => aProvisionedUser(`n-${page}-${age + 1}`, { createdAt: nowPlus(age) }))
        if (page < 5) await insertUsers(storage, newcomers)
      })

      same(new Set(seen).size, seen.length, 'each was shown once')
      const stayed = seen.filter((id) => id.startsWith('user-s'))
      same(stayed.toSorted(), stay.map(({ userId: id }) => id as string).toSorted(), 'the users who were never removed')
    },
  ),

  law('lists: the cursor pages of an unchanged list add up to the list', async ({ storage, same }) => {
    await seed(storage, 7)
    for (let index = 0; index < 5; index += 1)
      await storage.groups.insert(aGroup(`${index}`, { createdAt: nowPlus(-index) }))
    const filter = boolean('active', 'eq', true)
    const userName = { extension: undefined, name: 'userName', subName: undefined, multiValued: false }
    const sort = { attribute: userName, elementPart: undefined, direction: 'descending' } as const

    const all = Array.from({ length: 7 }, (_, index) => `user-${index}`)
    for (const limit of [1, 2, 7, 100]) {
      same(await readAllPages(storage, { limit }), all, `pages of ${limit}`)
      const active = all.filter((_, index) => index % 2 === 0)
      same(await readAllPages(storage, { limit, filter }), active, `pages of ${limit}, filtered`)
      same(await readAllPages(storage, { limit, sort }), all.toReversed(), `pages of ${limit}, sorted`)
      same(
        await readAllPages(storage, { limit, sort, filter }),
        active.toReversed(),
        `pages of ${limit}, filtered and sorted`,
      )
    }
    const page = { kind: 'cursor', after: undefined, limit: 3 } as const
    const first = await storage.groups.list({ ...everything, page })
    const next = first.outcome === 'listed' ? first.next : undefined
    const second = await storage.groups.list({ ...everything, page: { ...page, after: next } })
    const groups = [first, second].flatMap((outcome) => (outcome.outcome === 'listed' ? outcome.records : []))
    same(
      groups.map((group) => group.groupId),
      [4, 3, 2, 1, 0].map((index) => groupId(`group-${index}`)),
      'groups',
    )
    same(second.outcome === 'listed' && [second.total, second.next], [5, undefined], 'the total and the end')
  }),

  law('lists: a cursor page has the total, and its limit may be 0', async ({ storage, same }) => {
    await seed(storage, 3)
    const page = (after: string | undefined, limit: number) =>
      storage.provisionedUsers.list({ ...everything, page: { kind: 'cursor', after, limit } })

    same(listedIds(await page(undefined, 0)), [3], 'no rows')
    const first = await page(undefined, 2)
    same(listedIds(first), [3, 'user-0', 'user-1'], 'the first page')
    const next = first.outcome === 'listed' ? first.next : undefined
    same(listedIds(await page(next, 2)), [3, 'user-2'], 'the second page')
    await remove(storage, 'user-2')
    same(listedIds(await page(next, 2)), [2], 'the second page, after all of it has gone')
  }),

  law(
    'lists: a page with a byte limit has at least one row, and the next page continues after it',
    async ({ storage, same }) => {
      const shared = { emails: [{ value: 'team@example.com' }] }
      const users = [0, 1, 2].map((index) =>
        aProvisionedUser(`${index}`, {
          state: aProvisionedState(`${index}`, { comparable: { userName: `name-${index}`, ...shared } }),
          createdAt: nowPlus(index),
        }),
      )
      await insertUsers(storage, users)
      for (const [index] of users.entries())
        await storage.groups.insert(
          aGroup(`${index}`, {
            state: aGroupState(`${index}`, { comparable: { displayName: 'team' } }),
            createdAt: nowPlus(index),
          }),
        )
      const userName = { extension: undefined, name: 'userName', subName: undefined, multiValued: false }
      const sort = { attribute: userName, elementPart: undefined, direction: 'ascending' } as const
      const addressed = element('emails', text('value', 'eq', 'team@example.com'))

      const all = ['user-0', 'user-1', 'user-2']
      for (const query of [{}, { filter: addressed }, { sort }, { sort, filter: addressed }]) {
        let pages = 0
        const seen = await readAllPages(storage, { limit: 10, maxBytes: 1, ...query }, async () => {
          pages += 1
        })
        same([pages, seen], [3, all], `users, with ${Object.keys(query).join(' and ')}`)
        const byIndex = async (limit: number, maxBytes: number) => {
          const page = { kind: 'index', offset: 1, limit } as const
          const found = await storage.provisionedUsers.list({ ...everything, ...query, page, maxBytes })
          return found.outcome === 'listed' && [found.isTooLarge ?? false, found.total, found.records.length]
        }
        const outcomes = [await byIndex(2, 1), await byIndex(2, 1_000_000), await byIndex(1, 1)]
        same(
          outcomes,
          [
            [true, 3, 0],
            [false, 3, 2],
            [false, 3, 1],
          ],
          `by index, with ${Object.keys(query).join(' and ')}`,
        )
      }
      const page = { kind: 'cursor', after: undefined, limit: 10 } as const
      const first = await storage.groups.list({
        ...everything,
        filter: text('displayName', 'eq', 'team'),
        page,
        maxBytes: 1,
      })
      const shown = first.outcome === 'listed' ? first.records.map((group) => group.groupId) : []
      same(shown, [groupId('group-0')], 'groups')
    },
  ),
]

/** Inserts users, each a second younger than the previous one; every second user is inactive. */
async function seed(storage: ScimStorage, count: number): Promise<void> {
  const labels = Array.from({ length: count }, (_, index) => `${index}`)
  const users = labels.map((label, index) =>
    aProvisionedUser(label, {
      state: aProvisionedState(label, { active: index % 2 === 0 }),
      createdAt: nowPlus(index),
    }),
  )
  await insertUsers(storage, users)
}

async function remove(storage: ScimStorage, id: string): Promise<void> {
  await storage.provisionedUsers.remove({
    providerId: everything.providerId,
    userId: userId(id),
    version: undefined,
    now,
  })
}

/** Returns the users on all cursor pages, in order. Calls `between` after each page with the last user on it. */
async function readAllPages(
  storage: ScimStorage,
  { limit, ...query }: Partial<ListQuery> & { readonly limit: number },
  between: (page: number, last: string | undefined) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const seen: string[] = []
  let page: ListPage | undefined = { kind: 'cursor', after: undefined, limit }
  for (let count = 0; page !== undefined && count < 100; count += 1) {
    const outcome = await storage.provisionedUsers.list({ ...everything, ...query, page })
    if (outcome.outcome !== 'listed') return [outcome.outcome]
    const shown = outcome.records.map((record) => record.userId)
    if (shown.length > limit) return ['a page is longer than its limit']
    seen.push(...shown)
    await between(count, shown.at(-1))
    page = outcome.next === undefined ? undefined : { kind: 'cursor', after: outcome.next, limit }
  }
  return seen
}
