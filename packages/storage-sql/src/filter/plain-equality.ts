import type { ResolvedFilter } from '@mintmark/storage-interface'

/** The attribute and the text of a filter that is nothing but `attribute eq "text"`. */
export function plainEquality(filter: ResolvedFilter): { readonly name: string; readonly value: string } | undefined {
  if (filter.kind !== 'text' || filter.operator !== 'eq') return undefined
  const { extension, name, subName } = filter.attribute
  return extension === undefined && subName === undefined ? { name, value: filter.value } : undefined
}
