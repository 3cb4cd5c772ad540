import { elementsOf, valuesOf } from '../filter/matches-filter.ts'
import type { FilterAttribute } from '../filter/resolved-filter.ts'
import type { ProviderId, JsonObject } from '../values.ts'
import { type Aged, type RowsByAge, createRowsByAge } from './sorted-rows.ts'

/** The indexes of each provider's rows. They are separate from the rows, like the indexes of a database. */
export type ProviderIndex<Id extends string> = Map<ProviderId, ProviderRows<Id>>

interface ProviderRows<Id extends string> {
  readonly byAge: RowsByAge<Id>
  readonly byText: Map<string, TextIndex<Id>>
}

/** A row with its indexed strings, by attributes such as `externalId`. */
export interface IndexedRow<Id extends string> {
  readonly providerId: ProviderId
  readonly age: Aged<Id>
  readonly texts: Readonly<Record<string, readonly string[]>>
}

export const createProviderIndex = <Id extends string>(): ProviderIndex<Id> => new Map()

/** Returns the rows of a provider, oldest first. */
export const rowsByAge = <Id extends string>(index: ProviderIndex<Id>, providerId: ProviderId): RowsByAge<Id> =>
  (index.get(providerId) ?? createProviderRows<Id>()).byAge

/** Returns the rows of a provider that have a string, such as the `externalId` "701984". */
export function findByText<Id extends string>(
  index: ProviderIndex<Id>,
  providerId: ProviderId,
  [name, text]: readonly [name: string, text: string],
): Iterable<Id> {
  const texts = index.get(providerId)?.byText.get(name)
  return texts === undefined ? [] : idsWithText(texts, text)
}

/** Returns the row with a string that is unique within the provider. */
export function findHolder<Id extends string>(...args: Parameters<typeof findByText<Id>>): Id | undefined {
  const [holder] = findByText(...args)
  return holder
}

/** Indexes a row under its provider and its strings, and removes its previous index entries. */
export function reindex<Id extends string>(index: ProviderIndex<Id>, { from, to }: Move<Id>): void {
  // Most changes do not affect the index.
  if (from !== undefined && to !== undefined && haveSameEntries(from, to)) return
  if (from !== undefined) {
    const { byAge, byText } = ensureRows(index, from.providerId)
    if (from.providerId !== to?.providerId) byAge.remove(from.age)
    eachText(from, (name, text) => removeText(ensureTexts(byText, name), text, from.age.id))
  }
  if (to !== undefined) {
    const { byAge, byText } = ensureRows(index, to.providerId)
    byAge.add(to.age)
    eachText(to, (name, text) => addText(ensureTexts(byText, name), text, to.age.id))
  }
}

interface Move<Id extends string> {
  readonly from: IndexedRow<Id> | undefined
  readonly to: IndexedRow<Id> | undefined
}

const haveSameEntries = (one: IndexedRow<string>, other: IndexedRow<string>): boolean =>
  one.providerId === other.providerId &&
  Object.entries(one.texts).every(([name, texts]) => areSame(texts, other.texts[name] ?? []))

const areSame = (texts: readonly string[], others: readonly string[]): boolean =>
  texts.length === others.length && texts.every((text, index) => text === others[index])

function eachText({ texts }: IndexedRow<string>, visit: (name: string, text: string) => void): void {
  for (const [name, ofName] of Object.entries(texts)) for (const text of ofName) visit(name, text)
}

function ensureRows<Id extends string>(index: ProviderIndex<Id>, providerId: ProviderId): ProviderRows<Id> {
  const rows = index.get(providerId) ?? createProviderRows()
  index.set(providerId, rows)
  return rows
}

const createProviderRows = <Id extends string>(): ProviderRows<Id> => ({
  byAge: createRowsByAge(),
  byText: new Map(),
})

function ensureTexts<Id extends string>(byText: Map<string, TextIndex<Id>>, name: string): TextIndex<Id> {
  const texts = byText.get(name) ?? createTextIndex()
  byText.set(name, texts)
  return texts
}

/**
 * The rows with each string. Most strings belong to one row, which is stored without a Set, because Sets would take most of the
 * memory of the index.
 */
export type TextIndex<Id extends string> = Map<string, Id | Set<Id>>

export const createTextIndex = <Id extends string>(): TextIndex<Id> => new Map()

/** Returns the rows that have a string. */
export function idsWithText<Id extends string>(index: TextIndex<Id>, text: string): Iterable<Id> {
  const found = index.get(text)
  if (found === undefined) return []
  return typeof found === 'string' ? [found] : found
}

/** Adds a row under a string. */
export function addText<Id extends string>(index: TextIndex<Id>, text: string, id: Id): void {
  const found = index.get(text)
  if (found === undefined) index.set(text, id)
  else if (typeof found !== 'string') found.add(id)
  else if (found !== id) index.set(text, new Set([found, id]))
}

/** Removes a row from under a string. */
export function removeText<Id extends string>(index: TextIndex<Id>, text: string, id: Id): void {
  const found = index.get(text)
  if (found === id) index.delete(text)
  if (found === undefined || typeof found === 'string') return

  found.delete(id)
  if (found.size === 0) index.delete(text)
}

/** Returns the strings of an attribute, such as `userName`, or of a part of each of its values, such as `emails.value`. */
export function textsOf(comparable: JsonObject, attribute: string): readonly string[] {
  const [name = '', part] = attribute.split('.')
  const values =
    part === undefined
      ? valuesOf(comparable, plain(name))
      : elementsOf(comparable, plain(name)).flatMap((element) => valuesOf(element, plain(part)))
  return values.filter((value) => typeof value === 'string')
}

const plain = (name: string): FilterAttribute => ({
  extension: undefined,
  name,
  subName: undefined,
  multiValued: false,
})
