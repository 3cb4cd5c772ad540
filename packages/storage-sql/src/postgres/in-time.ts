/** There was no turn, no connection, or no answer, in time. */
export class Late extends Error {
  override readonly name = 'Late'
}

/** What the work comes to, unless it takes too long. @throws Late; the work goes on. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const alarm = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late('it took too long')), milliseconds)
  })
  try {
    return await Promise.race([work, alarm])
  } finally {
    clearTimeout(timer)
  }
}
