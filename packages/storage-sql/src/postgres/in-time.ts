/** There was no turn, no connection, or no answer, in time. */
export class Late extends Error {
  override readonly name = 'Late'

  constructor() {
    super('it took too long')
  }
}

/** What the work comes to, unless it takes too long. @throws Late; the work goes on. */
export function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  // Not a race, which makes twice as many promises: this stands around every statement.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Late()), milliseconds)
    untilDone(work, timer).then(resolve, reject)
  })
}

async function untilDone<T>(work: Promise<T>, timer: NodeJS.Timeout): Promise<T> {
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
