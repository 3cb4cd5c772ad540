/**
 * Returns a signal that aborts when the benchmark is interrupted, for example by Ctrl-C. The handlers stay, because a
 * package manager sends the signal a second time.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  return controller.signal
}
