// One file, because these are all laws of one store.
import type { CustomResourceRecord, CustomResourceState, CustomResourceStore } from '../../custom-resource.ts'
import type { ListPage, ListQuery } from '../../resource-list.ts'
import type { ScimStorage } from '../../storage.ts'
import { providerId } from '../../values.ts'
import { fullGroup, richJson, richText } from '../complete-records.ts'
import { and, attribute, number, text } from '../filters.ts'
import { now, nowPlus } from '../fixtures.ts'
import { atOnce, law, type StorageLaw, tally, type Trial } from '../law.ts'

interface ResourceTrial extends Pick<Trial<ScimStorage>, 'same' | 'open' | 'issuer'> {
  readonly store: CustomResourceStore
  /** Returns one of two stores of the same rows, alternately. */
  readonly server: (index: number) => CustomResourceStore
}

/** Defines a law of the store of custom resources. The store is optional: a storage without it passes the law. */
const resourceLaw = (name: string, check: (trial: ResourceTrial) => Promise<void>): StorageLaw<ScimStorage> =>
  law(`custom resources: ${name}`, async ({ storage, server, same, open, issuer }) => {
    const { customResources: store } = storage
    if (store === undefined) return
    await check({ store, server: (index) => server(index).customResources ?? store, same, open, issuer })
  })

/** Resources of types that the host defines. */
export const customResourceLaws: readonly StorageLaw<ScimStorage>[] = [
  resourceLaw('a new resource has version 1, and its identifier is taken', async ({ store, same }) => {
    const device = aResource('1')

    same(await store.insert(device), { outcome: 'inserted', record: fresh(device) }, 'the insertion')

    same(await store.find(keyOf(device)), fresh(device), 'the resource as read')
    same(await store.find({ ...keyOf(device), resourceId: 'unknown' }), undefined, 'one that never existed')
    const again = { ...aResource('2'), resourceId: device.resourceId }
    same(await store.insert(again), { outcome: 'taken', key: 'id' }, 'another with its identifier')
    same(await store.find(keyOf(device)), fresh(device), 'the resource afterwards')
  }),

  resourceLaw('every member is returned as it was written, even if the caller alters its own copy', async (trial) => {
    const { store, same } = trial
    const { externalId, resource, comparable } = fullGroup.state
    const full = aResource('full', { externalId, resource, comparable, uniqueTexts: [richText, 'b'] })
    const sparse = aResource('sparse', { externalId: undefined, resource: {}, comparable: {}, uniqueTexts: [] })
    for (const given of [full, sparse]) {
      const passedIn = { ...given, state: { ...given.state, resource: structuredClone(given.state.resource) } }
      same(await store.insert(passedIn), { outcome: 'inserted', record: fresh(given) }, 'as inserted')
      Reflect.set(passedIn.state.resource, 'spoiled', true)
      same(await store.find(keyOf(given)), fresh(given), 'as read')
      Reflect.set((await store.find(keyOf(given)))?.resource ?? {}, 'spoiled', true)
      same(await store.find(keyOf(given)), fresh(given), 'as read again')

      const other = aState('other', { resource: richJson })
      await store.compareAndSwap({ ...keyOf(given), version: 1, state: other, now: nowPlus(1) })
      const back = await store.compareAndSwap({ ...keyOf(given), version: 2, state: given.state, now: nowPlus(2) })
      const record = { ...fresh(given), version: 3, updatedAt: nowPlus(2) }
      same(back, { outcome: 'swapped', record }, 'as swapped back')
      const filter = text('id', 'eq', given.resourceId)
      same(await listed(store, { filter }), [1, record], 'as listed')
    }
  }),

  resourceLaw('externalId and uniqueTexts are unique within a provider and a type', async ({ store, same }) => {
    const first = aResource('1')
    const other = aResource('2')
    for (const device of [first, other]) await store.insert(device)
    const clashes = [
      ['externalId', aState('3', { externalId: first.state.externalId })],
      ['unique', aState('3', { uniqueTexts: ['free', ...first.state.uniqueTexts] })],
      ['externalId', aState('3', first.state)],
    ] as const
    for (const [key, state] of clashes) {
      same(await store.insert({ ...aResource('3'), state }), { outcome: 'taken', key }, `an insertion with its ${key}`)
      same(await store.find(keyOf(aResource('3'))), undefined, 'what was inserted')
      const change = { ...keyOf(other), version: 1, state, now: nowPlus(1) }
      same(await store.compareAndSwap(change), { outcome: 'taken', key }, `a change to its ${key}`)
      same(await store.find(keyOf(other)), fresh(other), 'what was changed')
    }
    same(
      (await store.insert(aResource('free', { uniqueTexts: ['free'] }))).outcome,
      'inserted',
      'a string that was refused is free',
    )
    const own = { ...keyOf(first), version: 1, state: first.state, now: nowPlus(1) }
    same((await store.compareAndSwap(own)).outcome, 'swapped', 'a change that keeps its own keys')
    const long = 'x'.repeat(2000)
    const sizes = ['1', '2'].map((end) =>
      aResource(`long-${end}`, { externalId: `${long}${end}`, uniqueTexts: [`${long}${end}`] }),
    )
    for (const device of sizes) same((await store.insert(device)).outcome, 'inserted', 'keys that differ at their end')
    for (const label of ['none-1', 'none-2']) {
      const without = aResource(label, { externalId: undefined, uniqueTexts: [] })
      same((await store.insert(without)).outcome, 'inserted', 'a resource without keys')
    }
  }),

  resourceLaw('a changed or removed resource frees its keys', async ({ store, same }) => {
    const device = aResource('1')
    await store.insert(device)
    await store.compareAndSwap({ ...keyOf(device), version: 1, state: aState('new'), now: nowPlus(1) })
    same((await store.insert(aResource('heir', device.state))).outcome, 'inserted', 'another with the first keys')
    const back = { ...keyOf(device), version: 2, state: device.state, now: nowPlus(2) }
    same(await store.compareAndSwap(back), { outcome: 'taken', key: 'externalId' }, 'its own first keys')

    await store.remove({ ...keyOf(device), version: undefined })
    same((await store.insert(aResource('second', aState('new')))).outcome, 'inserted', 'another with the last keys')
  }),

  resourceLaw('of 8 concurrent insertions with the same key, one succeeds', async ({ server, same }) => {
    for (const state of [{ uniqueTexts: [] }, { externalId: undefined }]) {
      const label = JSON.stringify(state)
      const inserts = await atOnce(8, (index) =>
        server(index).insert({ ...aResource(`${label} ${index}`), state: aState(label, state) }),
      )
      same(tally(inserts), { inserted: 1, taken: 7 }, `outcomes with ${label}`)
    }
  }),

  resourceLaw('of 8 concurrent writers that read the same version, one succeeds', async ({ store, server, same }) => {
    const device = aResource('1')
    await store.insert(device)

    const swaps = await atOnce(8, (index) =>
      server(index).compareAndSwap({ ...keyOf(device), version: 1, state: aState(`${index}`), now: nowPlus(1) }),
    )

    same(tally(swaps), { swapped: 1, conflict: 7 }, 'outcomes')
    const [winner] = swaps.flatMap((swap) => (swap.outcome === 'swapped' ? [swap.record] : []))
    same(await store.find(keyOf(device)), winner, 'the stored resource')
    same([winner?.version, winner?.createdAt, winner?.updatedAt], [2, now, nowPlus(1)], 'its version and times')
    const stale = { ...keyOf(device), version: 1, state: aState('1'), now: nowPlus(2) }
    await store.insert(aResource('taker', aState('taken')))
    same(
      await store.compareAndSwap({ ...stale, state: aState('taken') }),
      { outcome: 'conflict' },
      'before a taken key',
    )
  }),

  resourceLaw('a removed resource is absent for every method', async ({ store, server, same }) => {
    const device = aResource('1')
    await store.insert(device)
    same(await store.remove({ ...keyOf(device), version: 2 }), { outcome: 'conflict' }, 'another version')

    const removals = await atOnce(4, (index) =>
      server(index).remove({ ...keyOf(device), version: index < 2 ? 1 : undefined }),
    )

    same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
    same(await store.find(keyOf(device)), undefined, 'find')
    const change = { ...keyOf(device), version: 1, state: device.state, now: nowPlus(1) }
    same(await store.compareAndSwap(change), { outcome: 'absent' }, 'compareAndSwap')
    same(await listed(store), [0], 'list')
  }),

  resourceLaw('a resource is not found, changed or counted through another provider, type or issuer', async (trial) => {
    const { store, same, open, issuer } = trial
    const device = aResource('1')
    await store.insert(device)
    const { customResources: foreign = store } = await open(`${issuer}/tenant`)
    const others = [
      ['provider', store, { providerId: providerId('provider-2') }],
      ['type', store, { resourceType: 'device' }],
      ['issuer', foreign, {}],
    ] as const
    for (const [owner, other, difference] of others) {
      const key = { ...keyOf(device), ...difference }
      same(await other.find(key), undefined, `find as another ${owner}`)
      const change = { ...key, version: 1, state: aState('stolen'), now: nowPlus(1) }
      same(await other.compareAndSwap(change), { outcome: 'absent' }, `compareAndSwap as another ${owner}`)
      same(await other.remove({ ...key, version: undefined }), { outcome: 'absent' }, `remove as another ${owner}`)
      const filters = [undefined, text('externalId', 'eq', 'external-1'), text('id', 'eq', device.resourceId)]
      for (const filter of filters)
        same(await listed(other, { filter, ...difference }), [0], `list as another ${owner}`)
      const twin = { ...device, ...difference, resourceId: `twin of another ${owner}` }
      same((await other.insert(twin)).outcome, 'inserted', `the same keys of another ${owner}`)
    }
    same(await listed(store), [1, fresh(device)], 'the resource afterwards')
  }),

  resourceLaw('lists can be paged, filtered and sorted', async ({ store, same }) => {
    const sizes = [3, 1, 2, 1] as const
    const devices = sizes.map((size, index) => ({
      ...aResource(`${index}`, { comparable: { size, name: `n${index}` } }),
      createdAt: nowPlus(index),
    }))
    for (const device of devices.toReversed()) await store.insert(device)
    const ids = async (query: Partial<ListQuery>) =>
      (await listed(store, query)).map((found) => (typeof found === 'object' ? found.resourceId : found))

    same(await ids({}), [4, 'resource-0', 'resource-1', 'resource-2', 'resource-3'], 'all, by age')
    same(await ids({ page: { kind: 'index', offset: 1, limit: 2 } }), [4, 'resource-1', 'resource-2'], 'a page')
    same(await ids({ page: { kind: 'index', offset: 9, limit: 2 } }), [4], 'a page after the end')
    same(await ids({ filter: number('size', 'eq', 1) }), [2, 'resource-1', 'resource-3'], 'a filter')
    const older = number('meta.created', 'lt', nowPlus(2) * 1000)
    same(await ids({ filter: and(older, text('name', 'sw', 'n')) }), [2, 'resource-0', 'resource-1'], 'by creation')
    same(await ids({ filter: text('externalId', 'eq', 'external-2') }), [1, 'resource-2'], 'by externalId')
    const sort = { attribute: attribute('size'), elementPart: undefined, direction: 'ascending' } as const
    same(await ids({ sort }), [4, 'resource-1', 'resource-3', 'resource-2', 'resource-0'], 'an order')

    const first = await ids({ maxBytes: 1, page: { kind: 'cursor', after: undefined, limit: 100 } })
    same(first, [4, 'resource-0'], 'a page by cursor of few bytes has one resource')
    same(await ids({ maxBytes: 1 }), [4], 'a page by index of few bytes has no resource')

    const seen: string[] = []
    let after: string | undefined
    for (let page = 0; page < 3; page += 1) {
      const outcome = await store.list({ ...everyDevice, page: { kind: 'cursor', after, limit: 2 } satisfies ListPage })
      if (outcome.outcome !== 'listed') break
      seen.push(...outcome.records.map(({ resourceId }) => resourceId))
      after = outcome.next
      if (after === undefined) break
    }
    same(seen, ['resource-0', 'resource-1', 'resource-2', 'resource-3'], 'cursor pages')
  }),
]

type NewResource = Parameters<CustomResourceStore['insert']>[0]

/** A device. Each label gives a different identifier and different keys. */
const aResource = (label: string, state: Partial<CustomResourceState> = {}): NewResource => ({
  providerId: providerId('provider-1'),
  resourceType: 'Device',
  resourceId: `resource-${label}`,
  state: aState(label, state),
  createdAt: now,
})

const aState = (label: string, overrides: Partial<CustomResourceState> = {}): CustomResourceState => ({
  externalId: `external-${label}`,
  resource: { displayName: `Device ${label}` },
  comparable: { displayName: `device ${label}` },
  uniqueTexts: [`serial=${label}`],
  ...overrides,
})

const keyOf = ({ providerId: provider, resourceType, resourceId }: NewResource) => ({
  providerId: provider,
  resourceType,
  resourceId,
})

/** Returns a new resource as it is stored. */
const fresh = ({ state: { externalId, resource }, createdAt, ...key }: NewResource): CustomResourceRecord => ({
  ...key,
  externalId,
  resource,
  createdAt,
  updatedAt: createdAt,
  version: 1,
})

const everyDevice = {
  providerId: providerId('provider-1'),
  resourceType: 'Device',
  filter: undefined,
  sort: undefined,
  page: { kind: 'index', offset: 0, limit: 100 },
} as const

/** Returns the total, and the records of the page. */
async function listed(
  store: CustomResourceStore,
  query: Partial<Parameters<CustomResourceStore['list']>[0]> = {},
): Promise<readonly (number | string | CustomResourceRecord)[]> {
  const outcome = await store.list({ ...everyDevice, ...query })
  return outcome.outcome === 'listed' ? [outcome.total, ...outcome.records] : [outcome.outcome]
}
