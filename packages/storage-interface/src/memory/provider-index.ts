import type { ProviderId } from '../identifiers.ts'
import { createRowsByAge, type Aged, type RowsByAge } from './age.ts'
import { createTextIndex, havingText, putText, takeText, type TextIndex } from './text-index.ts'

/** The rows of each provider and what they are found by, kept beside the rows as a database keeps its indexes. */
export type ProviderIndex<Id extends string> = Map<ProviderId, ProviderRows<Id>>

interface ProviderRows<Id extends string> {
  readonly byAge: RowsByAge<Id>
  readonly byText: Map<string, TextIndex<Id>>
}

/** A row with the texts that it is found by within its provider, by attributes such as `externalId`. */
export interface IndexedRow<Id extends string> {
  readonly providerId: ProviderId
  readonly age: Aged<Id>
  readonly texts: Readonly<Record<string, readonly string[]>>
}

export const createProviderIndex = <Id extends string>(): ProviderIndex<Id> => new Map()

/** The rows of a provider, oldest first. */
export const rowsByAge = <Id extends string>(index: ProviderIndex<Id>, providerId: ProviderId): RowsByAge<Id> =>
  (index.get(providerId) ?? createProviderRows<Id>()).byAge

/** Who of a provider has a text, such as the `externalId` "701984". */
export function rowsHaving<Id extends string>(
  index: ProviderIndex<Id>,
  providerId: ProviderId,
  [name, text]: readonly [name: string, text: string],
): Iterable<Id> {
  const texts = index.get(providerId)?.byText.get(name)
  return texts === undefined ? [] : havingText(texts, text)
}

/** The one who has a text that only one of the provider's rows may have. */
export function holderOf<Id extends string>(...given: Parameters<typeof rowsHaving<Id>>): Id | undefined {
  const [holder] = rowsHaving(...given)
  return holder
}

/** Enters a row under its provider and its texts, and takes it from where it was before. */
export function reindex<Id extends string>(index: ProviderIndex<Id>, { from, to }: Move<Id>): void {
  // Most changes are of something else.
  if (from !== undefined && to !== undefined && areFoundAlike(from, to)) return
  if (from !== undefined) {
    const { byAge, byText } = ensureRows(index, from.providerId)
    if (from.providerId !== to?.providerId) byAge.remove(from.age)
    eachText(from, (name, text) => takeText(ensureTexts(byText, name), text, from.age.id))
  }
  if (to !== undefined) {
    const { byAge, byText } = ensureRows(index, to.providerId)
    byAge.add(to.age)
    eachText(to, (name, text) => putText(ensureTexts(byText, name), text, to.age.id))
  }
}

interface Move<Id extends string> {
  readonly from: IndexedRow<Id> | undefined
  readonly to: IndexedRow<Id> | undefined
}

const areFoundAlike = (one: IndexedRow<string>, other: IndexedRow<string>): boolean =>
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
