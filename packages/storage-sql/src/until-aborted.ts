/** Waits for the work, but only until the signal is aborted. @throws the signal's reason; the work goes on. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController()
  const left = new Promise<never>((_, reject) => {
    const leave = (): void => reject(signal.reason as Error)
    if (signal.aborted) leave()
    // The listener goes when the work is done: one signal serves all statements of a request.
    else signal.addEventListener('abort', leave, { once: true, signal: done.signal })
  })
  try {
    return await Promise.race([work, left])
  } finally {
    done.abort()
  }
}
