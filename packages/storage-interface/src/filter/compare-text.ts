/**
 * Orders texts by code point, as a database does that compares UTF-8 bytes (`BINARY` in SQLite, collation `C` in
 * PostgreSQL). JavaScript's own `<` compares UTF-16 units, which puts U+FFFD after U+1F600.
 */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index += 1) {
    const difference = rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** A UTF-16 unit's place in code point order: surrogates stand for code points above all others. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
