/** Waits for the work, but only until the signal is aborted. @throws the signal's reason; the work goes on. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const rejectWithReason = (): void => reject(signal.reason as Error)
    if (signal.aborted) rejectWithReason()
    // The listener is removed when the work is done: one signal serves all statements of a request.
    else signal.addEventListener('abort', rejectWithReason, { once: true, signal: done.signal })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    done.abort()
  }
}
