import type { ResolvedFilter } from '../filter/resolved-filter.ts'
import type { ListQuery } from '../resource-list.ts'
import { holderOf, idsOf, type ProviderIndex } from './provider-index.ts'

/** Rows that a query may find: the one that holds a key it asks for, or else all of the provider's. */
export function candidates<Id>(index: ProviderIndex<Id>, { providerId, filter }: ListQuery): readonly Id[] {
  const key = filter === undefined ? undefined : soughtKey(filter, index.keyNames)
  if (key === undefined) return [...idsOf(index, providerId)]
  const holder = holderOf(index, providerId, key)
  return holder === undefined ? [] : [holder]
}

/** A key that whatever matches the filter has. */
function soughtKey(
  filter: ResolvedFilter,
  keyNames: readonly string[],
): readonly [name: string, value: string] | undefined {
  if (filter.kind === 'and')
    return filter.operands.map((operand) => soughtKey(operand, keyNames)).find((key) => key !== undefined)
  if (filter.kind !== 'text' || filter.operator !== 'eq') return undefined
  const { extension, name, subName } = filter.attribute
  const isKey = extension === undefined && subName === undefined && keyNames.includes(name)
  return isKey ? [name, filter.value] : undefined
}
