import type { CustomResourceRecord, CustomResourceState, CustomResourceStore } from '../custom-resource.ts'
import { knownMembers } from '../filter/find-candidates.ts'
import { providerId as asProviderId, type JsonObject, type ProviderId, utf8Length } from '../values.ts'
import { listPage, type ListedRow, type Listing } from './list-page.ts'
import {
  createProviderIndex,
  findHolder,
  type IndexedRow,
  type ProviderIndex,
  reindex,
  rowsByAge,
  findByText,
} from './provider-index.ts'
import { frozenCopy, type SchedulerHook } from './rows.ts'

interface StoredResource {
  readonly record: CustomResourceRecord
  readonly comparable: JsonObject
  readonly uniqueTexts: readonly string[]
}

/** Resources of all custom types. */
export interface CustomResourceTable {
  readonly byId: Map<string, StoredResource>
  /** The key is the provider and the type together. */
  readonly byOwner: ProviderIndex<string>
}

export const createCustomResourceTable = (): CustomResourceTable => ({
  byId: new Map(),
  byOwner: createProviderIndex(),
})

export function createMemoryCustomResources(
  { customResources: table }: { readonly customResources: CustomResourceTable },
  scheduler: SchedulerHook,
): CustomResourceStore {
  return {
    async insert({ state, createdAt, ...key }) {
      await scheduler()
      if (table.byId.has(key.resourceId)) return { outcome: 'taken', key: 'id' }
      const taken = takenKey(table, key, state)
      if (taken !== undefined) return { outcome: 'taken', key: taken }

      return {
        outcome: 'inserted',
        record: write(table, { ...key, createdAt, updatedAt: createdAt, version: 1 }, state),
      }
    },

    async find(key) {
      await scheduler()
      return findResource(table, key)?.record
    },

    async compareAndSwap({ version, state, now, ...key }) {
      await scheduler()
      const current = findResource(table, key)
      if (current === undefined) return { outcome: 'absent' }
      if (current.record.version !== version) return { outcome: 'conflict' }
      const taken = takenKey(table, key, state)
      if (taken !== undefined) return { outcome: 'taken', key: taken }

      const { createdAt } = current.record
      return {
        outcome: 'swapped',
        record: write(table, { ...key, createdAt, updatedAt: now, version: version + 1 }, state),
      }
    },

    async remove({ version, ...key }) {
      await scheduler()
      const current = findResource(table, key)
      if (current === undefined) return { outcome: 'absent' }
      if (version !== undefined && current.record.version !== version) return { outcome: 'conflict' }

      reindex(table.byOwner, { from: indexedRow(current), to: undefined })
      table.byId.delete(key.resourceId)
      return { outcome: 'removed' }
    },

    async list(query) {
      await scheduler()
      return listPage(resourcesOf(table, query), query)
    },
  }
}

type Key = Pick<CustomResourceRecord, 'providerId' | 'resourceType' | 'resourceId'>

const ownerOf = ({ providerId, resourceType }: Omit<Key, 'resourceId'>): ProviderId =>
  asProviderId(JSON.stringify([providerId, resourceType]))

function findResource(table: CustomResourceTable, key: Key): StoredResource | undefined {
  const found = table.byId.get(key.resourceId)
  return found !== undefined && ownerOf(found.record) === ownerOf(key) ? found : undefined
}

function takenKey(
  { byOwner }: CustomResourceTable,
  key: Key,
  { externalId, uniqueTexts }: CustomResourceState,
): 'externalId' | 'unique' | undefined {
  const belongsToAnother = (name: string, text: string): boolean =>
    (findHolder(byOwner, ownerOf(key), [name, text]) ?? key.resourceId) !== key.resourceId
  if (externalId !== undefined && belongsToAnother('externalId', externalId)) return 'externalId'
  return uniqueTexts.some((text) => belongsToAnother('unique', text)) ? 'unique' : undefined
}

function write(
  table: CustomResourceTable,
  record: Omit<CustomResourceRecord, 'externalId' | 'resource'>,
  { externalId, resource, comparable, uniqueTexts }: CustomResourceState,
): CustomResourceRecord {
  const stored = frozenCopy({ record: { ...record, externalId, resource }, comparable, uniqueTexts })
  const before = table.byId.get(record.resourceId)
  reindex(table.byOwner, { from: before && indexedRow(before), to: indexedRow(stored) })
  table.byId.set(record.resourceId, stored)
  return stored.record
}

function resourcesOf(
  table: CustomResourceTable,
  { providerId, resourceType }: Omit<Key, 'resourceId'>,
): Listing<string, CustomResourceRecord> {
  const owner = ownerOf({ providerId, resourceType })
  return {
    byAge: rowsByAge(table.byOwner, owner),
    lookups: new Map([
      ['id', { rows: 1, find: (id) => [id] }],
      ['externalId', { rows: 1, find: (text) => findByText(table.byOwner, owner, ['externalId', text]) }],
    ]),
    row: (resourceId) => {
      const found = findResource(table, { providerId, resourceType, resourceId })
      return found && listedRow(found)
    },
    sizeOf: ({ resource }) => utf8Length(JSON.stringify(resource)),
  }
}

function indexedRow({ record, uniqueTexts }: StoredResource): IndexedRow<string> {
  const { resourceId: id, externalId, createdAt } = record
  return {
    providerId: ownerOf(record),
    age: { id, createdAt },
    texts: { externalId: externalId === undefined ? [] : [externalId], unique: uniqueTexts },
  }
}

const listedRow = ({ record, comparable }: StoredResource): ListedRow<string, CustomResourceRecord> => ({
  id: record.resourceId,
  createdAt: record.createdAt,
  record: () => record,
  comparable: () => ({ ...comparable, ...knownMembers(record.resourceId, record) }),
})
