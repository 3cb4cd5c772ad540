/** Who has a text. Most texts belong to one row, which stands by itself: a Set for each would be most of the index. */
export type TextIndex<Id extends string> = Map<string, Id | Set<Id>>

export const createTextIndex = <Id extends string>(): TextIndex<Id> => new Map()

/** The rows that have a text. */
export function havingText<Id extends string>(index: TextIndex<Id>, text: string): Iterable<Id> {
  const found = index.get(text)
  if (found === undefined) return []
  return typeof found === 'string' ? [found] : found
}

/** Enters a row under a text. */
export function putText<Id extends string>(index: TextIndex<Id>, text: string, id: Id): void {
  const found = index.get(text)
  if (found === undefined) index.set(text, id)
  else if (typeof found !== 'string') found.add(id)
  else if (found !== id) index.set(text, new Set([found, id]))
}

/** Takes a row from where `putText` has put it. */
export function takeText<Id extends string>(index: TextIndex<Id>, text: string, id: Id): void {
  const found = index.get(text)
  if (found === id) index.delete(text)
  if (found === undefined || typeof found === 'string') return

  found.delete(id)
  if (found.size === 0) index.delete(text)
}
