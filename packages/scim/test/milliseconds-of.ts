/** Of the processor, the shortest of several runs: what else the machine does is no part of it. */
export function millisecondsOf(act: () => unknown, runs = 7): number {
  return Math.min(
    ...Array.from({ length: runs }, () => {
      const start = process.cpuUsage()
      act()
      return millisecondsSince(start)
    }),
  )
}

/** The same for work that waits. */
export async function millisecondsOfAsync(act: () => Promise<unknown>, runs = 7): Promise<number> {
  const taken: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const start = process.cpuUsage()
    await act()
    taken.push(millisecondsSince(start))
  }
  return Math.min(...taken)
}

function millisecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
