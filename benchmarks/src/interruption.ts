/** Aborts when the benchmark is told to stop, as by Ctrl-C: it then ends what it has started. A package manager tells it again. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  return controller.signal
}
