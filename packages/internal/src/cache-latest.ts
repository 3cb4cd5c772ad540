/**
 * Caches the latest result of asynchronous work. Calls share the work while it runs. A failure is not cached: after an
 * outage, the next call starts the work again.
 * @param isCurrent whether the result for the cached key may be used for this key. Default: only for the same key.
 */
export function cacheLatest<Value, Key = void>(
  work: (key: Key) => Promise<Value>,
  isCurrent: (cached: Key, key: Key) => boolean = Object.is,
): (key: Key) => Promise<Value> {
  let latest: { readonly key: Key; readonly result: Promise<Value> } | undefined

  return (key) => {
    if (latest !== undefined && isCurrent(latest.key, key)) return latest.result
    const started = { key, result: work(key) }
    latest = started
    started.result.catch(() => {
      if (latest === started) latest = undefined
    })
    return started.result
  }
}
