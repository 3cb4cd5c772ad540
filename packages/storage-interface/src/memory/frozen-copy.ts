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

  const copied: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    // Assigned, a key of this name would change the prototype; defined, it stays data.
    if (key === '__proto__') Object.defineProperty(copied, key, { value: copy(member), enumerable: true })
    else copied[key] = copy(member)
  }
  return Object.freeze(copied)
}
