/** Limits the number of waiting requests, in total and per caller. */
export interface WaitLimit {
  /** Takes a place if one is free. After `true`, the caller must call `release`. */
  acquire(name: string): boolean
  release(name: string): void
}

/** Creates the limit of a process. */
export function createWaitLimit(maximum: { readonly total: number; readonly perCaller: number }): WaitLimit {
  const waitingByCaller = new Map<string, number>()
  let total = 0

  return {
    acquire(name) {
      const own = waitingByCaller.get(name) ?? 0
      if (own >= maximum.perCaller || total >= maximum.total) return false
      waitingByCaller.set(name, own + 1)
      total += 1
      return true
    },
    release(name) {
      const own = waitingByCaller.get(name) ?? 0
      if (own > 1) waitingByCaller.set(name, own - 1)
      else waitingByCaller.delete(name)
      total -= 1
    },
  }
}
