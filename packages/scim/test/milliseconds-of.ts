/** The shortest of several runs: what the work takes when nothing else has the processor. */
export function millisecondsOf(act: () => unknown, runs = 7): number {
  return Math.min(
    ...Array.from({ length: runs }, () => {
      const start = performance.now()
      act()
      return performance.now() - start
    }),
  )
}

/** The same for work that waits. */
export async function millisecondsOfAsync(act: () => Promise<unknown>, runs = 7): Promise<number> {
  const taken: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now()
    await act()
    taken.push(performance.now() - start)
  }
  return Math.min(...taken)
}
