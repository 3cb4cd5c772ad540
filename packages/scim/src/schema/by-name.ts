import type { Attribute } from './attribute.ts'
import { nameKey } from './name-key.ts'

/**
 * Attributes to be looked up by `nameKey`; a Map, so that no name reaches a prototype.
 * @throws TypeError when two names differ by case only (RFC 7643 §2.1).
 */
export function byName(attributes: readonly Attribute[], owner: string): ReadonlyMap<string, Attribute> {
  const found = new Map(attributes.map((attribute) => [nameKey(attribute.name), attribute]))
  if (found.size < attributes.length)
    throw new TypeError(`${owner}: two attributes have one name; names do not differ by case.`)
  return found
}
