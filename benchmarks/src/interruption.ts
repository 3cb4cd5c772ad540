/**
 * Aborts when the benchmark is interrupted, as by Ctrl-C, and stops everything that it started. A package manager sends
 * the signal again.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  return controller.signal
}
