import type { ProviderId } from '../identifiers.ts'

/** The rows of each provider and what they are found by, kept beside the rows as a database keeps its indexes. */
export interface ProviderIndex<Id> {
  /** What rows are found by. */
  readonly keyNames: readonly string[]
  readonly ids: Map<ProviderId, Set<Id>>
  /** The row that holds a key. */
  readonly holders: Map<string, Id>
}

/** What a row is found by within its provider. A key that is `undefined` finds nothing. */
export interface IndexedKeys {
  readonly providerId: ProviderId
  readonly keys: Readonly<Record<string, string | undefined>>
}

export const createProviderIndex = <Id>(keyNames: readonly string[]): ProviderIndex<Id> => ({
  keyNames,
  ids: new Map(),
  holders: new Map(),
})

/** The identifiers of a provider's rows. */
export const idsOf = <Id>(index: ProviderIndex<Id>, providerId: ProviderId): Iterable<Id> =>
  index.ids.get(providerId) ?? []

/** Who of a provider has a key, such as the `externalId` "701984". */
export function holderOf<Id>(
  index: ProviderIndex<Id>,
  providerId: ProviderId,
  key: readonly [name: string, value: string],
): Id | undefined {
  return index.holders.get(holding(providerId, ...key))
}

/** Enters a row under its provider and its keys, and takes it from where it was before. */
export function reindex<Id>(index: ProviderIndex<Id>, id: Id, { from, to }: Move): void {
  if (from !== undefined) {
    index.ids.get(from.providerId)?.delete(id)
    for (const key of holdings(from)) index.holders.delete(key)
  }
  if (to !== undefined) {
    index.ids.set(to.providerId, (index.ids.get(to.providerId) ?? new Set<Id>()).add(id))
    for (const key of holdings(to)) index.holders.set(key, id)
  }
}

interface Move {
  readonly from: IndexedKeys | undefined
  readonly to: IndexedKeys | undefined
}

const holdings = ({ providerId, keys }: IndexedKeys): readonly string[] =>
  Object.entries(keys).flatMap(([name, value]) => (value === undefined ? [] : [holding(providerId, name, value)]))

const holding = (providerId: ProviderId, name: string, value: string): string =>
  JSON.stringify([providerId, name, value])
