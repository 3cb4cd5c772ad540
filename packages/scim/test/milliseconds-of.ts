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
