/** Starts all of them before any is awaited, and waits for all. */
export async function atOnce<T>(count: number, start: (index: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => start(index)))
}

/** How many there are of each outcome. */
export function tally(results: readonly { readonly outcome: string }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return Object.fromEntries(counts)
}
