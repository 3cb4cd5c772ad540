/** Aborts when the benchmark is told to stop, as by Ctrl-C: it then ends what it has started. Told again, it stops at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}
