/**
 * Whether two values are the same plain data. A member that is `undefined` counts as not there: records name every
 * member, JSON does not. Keys are compared as own properties, so that `__proto__` is a key like any other.
 */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b)

  const left = definedMembers(a)
  const right = definedMembers(b)
  return (
    left.size === right.size && [...left].every(([key, value]) => right.has(key) && isSameValue(value, right.get(key)))
  )
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((value, index) => isSameValue(value, b[index]))
}

function definedMembers(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined))
}
