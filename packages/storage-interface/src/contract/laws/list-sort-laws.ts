import type { ScimStorage } from '../../storage.ts'
import type { JsonObject, UserId } from '../../values.ts'
import type { ListPage, SortKey } from '../../resource-list.ts'
import { attribute, present, multiValued } from '../filters.ts'
import { law, type StorageLaw, type Trial } from '../law.ts'
import {
  aGroup,
  aGroupState,
  aProvisionedState,
  aProvisionedUser,
  usersWith,
  everything,
  insertUsers,
  listedIds,
} from '../provisioning-fixtures.ts'
import { nowPlus } from '../fixtures.ts'

/** Sorted lists (RFC 7644 §3.4.2.3). */
export const listSortLaws: readonly StorageLaw<ScimStorage>[] = [
  law('sorting: strings are sorted by code point, and equal ones by age', async (trial) => {
    const names = ['b', 'B', 'a', '10', '9', 'é', '😀', '\uFFFD', 'a', '']
    await seed(
      trial,
      names.map((displayName) => ({ displayName })),
    )

    await checkSorted(trial, attribute('displayName'), [9, 3, 4, 1, 2, 8, 0, 5, 7, 6])
  }),

  law(
    'sorting: a row without a value is last in ascending order, and the descending order is the reverse',
    async (trial) => {
      await seed(trial, [{}, { title: 'b' }, { title: null }, { title: 'a' }, {}])

      await checkSorted(trial, attribute('title'), [3, 1, 0, 2, 4])
      await checkSorted(trial, attribute('unknown'), [0, 1, 2, 3, 4])
    },
  ),

  law('sorting: numbers are sorted by value, and false comes before true', async (trial) => {
    const levels = [10, 9, -1, 1.5, 100, 0]
    await seed(
      trial,
      levels.map((level, index) => ({ level, member: index % 2 === 0 })),
    )

    await checkSorted(trial, attribute('level'), [2, 5, 3, 1, 0, 4])
    await checkSorted(trial, attribute('member'), [1, 3, 5, 0, 2, 4])
  }),

  law('sorting: the primary value of several is compared, or the first if none is primary', async (trial) => {
    await seed(trial, [
      { emails: [{ value: 'a' }, { value: 'z', primary: true }] },
      { emails: [{ value: 'c', primary: false }, { value: 'a' }] },
      { emails: [] },
      { emails: [{ value: 'b' }] },
      { emails: [{ value: 'd' }, { type: 'work', primary: true }] },
      {},
      { emails: [{ value: 'bb' }, { value: 'a', primary: false }] },
    ])

    await checkSorted(trial, byEmail, [3, 6, 1, 0, 2, 4, 5])
  }),

  law('sorting: a user whose primary value changes has a new position, on cursor pages as well', async (trial) => {
    const { storage, same } = trial
    await seed(trial, [{ emails: [{ value: 'c' }] }, withPrimary(0), {}, { emails: [{ value: 'x' }] }])
    await checkSorted(trial, byEmail, [1, 0, 3, 2])
    const change = async (index: number, comparable: JsonObject): Promise<void> => {
      const state = aProvisionedState(`0${index}`, { comparable })
      await storage.provisionedUsers.compareAndSwap({
        ...aProvisionedUser(`0${index}`),
        state,
        version: 1,
        now: nowPlus(9),
      })
    }

    await change(1, withPrimary(1))
    await change(2, { emails: [{ value: 'a' }] })
    await change(3, {})

    await checkSorted(trial, byEmail, [2, 0, 1, 3])
    const sort = sortKey(byEmail.by, { elementPart: byEmail.elementPart, direction: 'descending' })
    const pageAfter = (after: string | undefined) =>
      storage.provisionedUsers.list({ ...everything, sort, page: { kind: 'cursor', after, limit: 3 } })
    const first = await pageAfter(undefined)
    same(listedIds(first), [4, 'user-03', 'user-01', 'user-00'], 'the first page')
    const second = await pageAfter(first.outcome === 'listed' ? first.next : undefined)
    same(listedIds(second), [4, 'user-02'], 'the second page')
  }),

  law('sorting: cursor pages miss nobody while listed users change and are removed', async ({ storage, same }) => {
    const orders: readonly SortKey[] = ['title', 'userName', 'meta.lastModified', 'meta.created', 'id'].flatMap(
      (name) =>
        (['ascending', 'descending'] as const).map((direction) =>
          sortKey(attribute(name), { elementPart: undefined, direction }),
        ),
    )
    for (const [run, sort] of orders.entries()) {
      const labels = ['c', 'a', '', 'b', 'c', '', 'd', 'a', 'e'].map((title, index) => ({
        title,
        label: `${run}${index}`,
      }))
      const users = labels.map(({ title, label }, index) =>
        aProvisionedUser(label, {
          state: aProvisionedState(label, { comparable: { userName: label, ...(title === '' ? {} : { title }) } }),
          createdAt: nowPlus(index),
        }),
      )
      await insertUsers(storage, users)
      const seen = await walkAndDisturb(storage, { sort, users })
      same(
        users.map((user) => user.userId).filter((id) => !seen.has(id)),
        [],
        JSON.stringify(sort),
      )
    }
  }),

  law('sorting: the first of several simple values is compared', async (trial) => {
    await seed(trial, [{ tags: ['c', 'a'] }, { tags: ['b'] }, { tags: [] }, { tags: ['a', 'z'] }])

    await checkSorted(trial, multiValued('tags'), [3, 1, 0, 2])
  }),

  law('sorting: attributes with the same name at different levels are distinguished', async (trial) => {
    const urn = 'urn:example:extension'
    await seed(trial, [
      { name: { familyName: 'c' }, familyName: 'a', [urn]: { grade: 'b', boss: { value: 'c' } } },
      { name: { familyName: 'b' }, familyName: 'c', [urn]: { grade: 'c', boss: { value: 'b' } } },
      { name: { familyName: 'a' }, familyName: 'b', [urn]: { grade: 'a', boss: { value: 'a' } }, grade: 'z' },
    ])

    await checkSorted(trial, attribute('name.familyName'), [2, 1, 0])
    await checkSorted(trial, attribute('familyName'), [0, 2, 1])
    await checkSorted(trial, attribute('grade', urn), [2, 0, 1])
    await checkSorted(trial, attribute('boss.value', urn), [2, 1, 0])
  }),

  law('sorting: lists can be sorted by id, externalId, active, meta.created and meta.lastModified', async (trial) => {
    const { storage } = trial
    const eldest = aProvisionedUser('00')
    const middle = aProvisionedUser('01', { createdAt: nowPlus(1) })
    await insertUsers(storage, [eldest, middle, aProvisionedUser('02', { createdAt: nowPlus(2) })])
    await storage.provisionedUsers.compareAndSwap({ ...eldest, version: 1, now: nowPlus(60) })
    const state = aProvisionedState('01', { active: false, externalId: undefined })
    await storage.provisionedUsers.compareAndSwap({ ...middle, state, version: 1, now: nowPlus(50) })

    await checkSorted(trial, attribute('id'), [0, 1, 2])
    await checkSorted(trial, attribute('externalId'), [0, 2, 1])
    await checkSorted(trial, attribute('active'), [1, 0, 2])
    await checkSorted(trial, attribute('meta.created'), [0, 1, 2])
    await checkSorted(trial, attribute('meta.lastModified'), [2, 1, 0])
  }),

  law('sorting: pages are parts of the sorted list of matches', async (trial) => {
    const { storage, same } = trial
    await seed(
      trial,
      ['d', 'b', undefined, 'a', 'c'].map((title) => (title === undefined ? {} : { title })),
    )
    const sort = sortKey(attribute('title'), { elementPart: undefined, direction: 'ascending' })
    const page = { kind: 'index', offset: 1, limit: 2 } as const

    const outcome = await storage.provisionedUsers.list({ ...everything, filter: present('title'), sort, page })

    same(listedIds(outcome), [4, 'user-01', 'user-04'], 'the second and the third')
  }),

  law('sorting: groups are sorted like users', async ({ storage, same }) => {
    for (const [index, name] of ['b', 'a', 'c', 'a'].entries()) {
      const state = aGroupState(`${index}`, { comparable: { displayName: name } })
      await storage.groups.insert(aGroup(`${index}`, { state, createdAt: nowPlus(index) }))
    }
    const sorted = async (direction: SortKey['direction']) => {
      const sort = sortKey(attribute('displayName'), { elementPart: undefined, direction })
      const outcome = await storage.groups.list({ ...everything, sort })
      return outcome.outcome === 'listed' && outcome.records.map((group) => group.groupId)
    }

    same(await sorted('ascending'), ['group-1', 'group-3', 'group-0', 'group-2'], 'ascending')
    same(await sorted('descending'), ['group-2', 'group-0', 'group-3', 'group-1'], 'descending')
  }),
]

const seed = ({ storage }: Trial<ScimStorage>, comparables: readonly JsonObject[]): Promise<void> =>
  insertUsers(storage, usersWith(comparables))

/** Returns the addresses b and y; the address at the index is primary. */
const withPrimary = (primary: number): JsonObject => ({
  emails: ['b', 'y'].map((value, index) => ({ value, primary: index === primary })),
})

const byEmail = { by: multiValued('emails'), elementPart: 'value' }

/** Checks the order in both directions. `ascending` has the numbers of the users. */
async function checkSorted(
  { storage, same }: Trial<ScimStorage>,
  sorted: SortKey['attribute'] | { readonly by: SortKey['attribute']; readonly elementPart: string },
  ascending: readonly number[],
): Promise<void> {
  const { by, elementPart } = 'by' in sorted ? sorted : { by: sorted, elementPart: undefined }
  for (const direction of ['ascending', 'descending'] as const) {
    const sort = sortKey(by, { elementPart, direction })
    const outcome = await storage.provisionedUsers.list({ ...everything, sort })
    const order = direction === 'ascending' ? ascending : ascending.toReversed()
    const ids = order.map((index) => `user-0${index}`)
    same(listedIds(outcome), [order.length, ...ids], JSON.stringify(sort))
    same(await walk(storage, { sort, limit: 1 }), ids, `one by one: ${JSON.stringify(sort)}`)
  }
}

/** Returns the users on all cursor pages, in order. Calls `between` after each page with the users on it. */
async function walk(
  storage: ScimStorage,
  { sort, limit }: { readonly sort: SortKey; readonly limit: number },
  between: (shown: readonly UserId[]) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const seen: string[] = []
  let page: ListPage | undefined = { kind: 'cursor', after: undefined, limit }
  for (let count = 0; page !== undefined && count < 100; count += 1) {
    const outcome = await storage.provisionedUsers.list({ ...everything, sort, page })
    if (outcome.outcome !== 'listed') return [outcome.outcome]
    const shown = outcome.records.map((record) => record.userId)
    seen.push(...shown)
    await between(shown)
    page = outcome.next === undefined ? undefined : { kind: 'cursor', after: outcome.next, limit }
  }
  return seen
}

/** Walks a list. Of the users on each page, removes one, and changes another once. Returns the users on all pages. */
async function walkAndDisturb(
  storage: ScimStorage,
  { sort, users }: { readonly sort: SortKey; readonly users: readonly ReturnType<typeof aProvisionedUser>[] },
): Promise<ReadonlySet<string>> {
  const disturbed = new Set<string>()
  const seen = await walk(storage, { sort, limit: 2 }, async (shown) => {
    const [first, second] = users.filter(({ userId }) => shown.includes(userId) && !disturbed.has(userId))
    for (const user of [first, second]) if (user !== undefined) disturbed.add(user.userId)
    if (second !== undefined)
      await storage.provisionedUsers.compareAndSwap({
        ...second,
        state: { ...second.state, comparable: { ...second.state.comparable, title: 'b' } },
        version: 1,
        now: nowPlus(60 + disturbed.size),
      })
    if (first !== undefined)
      await storage.provisionedUsers.remove({
        providerId: everything.providerId,
        userId: first.userId,
        version: undefined,
        now: nowPlus(60),
      })
  })
  return new Set(seen)
}

const sortKey = (by: SortKey['attribute'], rest: Omit<SortKey, 'attribute'>): SortKey => ({ attribute: by, ...rest })
