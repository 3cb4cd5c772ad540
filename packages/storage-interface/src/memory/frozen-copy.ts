/**
 * A copy of plain data that nobody can alter. Records are frozen once, when they are written, so that reading costs
 * nothing and neither the writer nor a reader holds a way into the store.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copy))

  // Object.fromEntries defines each key, so that a key named `__proto__` stays data.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)])))
}
