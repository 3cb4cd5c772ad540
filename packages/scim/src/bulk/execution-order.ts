/**
 * The order in which operations are carried out: as they were sent, but each after those that it refers to
 * (RFC 7644 §3.7.1). In a circle one comes first all the same; what it refers to is then not there. Linear in the number of
 * references, and without recursion.
 * @param references for each operation the positions of those that it refers to.
 * @returns every position once.
 */
export function executionOrder(references: readonly (readonly number[])[]): readonly number[] {
  const order: number[] = []
  const seen = new Set<number>()
  for (const start of references.keys()) {
    const open: Visit[] = [{ position: start, isReady: false }]
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { position, isReady } = visit
      if (isReady) order.push(position)
      if (isReady || seen.has(position)) continue
      seen.add(position)
      open.push({ position, isReady: true })
      for (const next of (references[position] ?? []).toReversed()) open.push({ position: next, isReady: false })
    }
  }
  return order
}

interface Visit {
  readonly position: number
  /** What it refers to is in the order already. */
  readonly isReady: boolean
}
