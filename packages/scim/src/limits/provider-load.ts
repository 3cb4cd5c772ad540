import type { ProviderId } from '@mintmark/storage-interface/stores'

import type { ScimLimits } from './scim-limits.ts'

/**
 * Limits how much of the server one provider, and all providers together, can use at one time, so that enough memory,
 * time and database connections remain for the requests of others.
 */
export interface ProviderLoad {
  /** Reserves memory for a body, or returns who already has too much in memory: the provider or the server. */
  readonly reserve: (provider: ProviderId, bytes: number) => Release | 'provider_full' | 'server_full'
  /**
   * Waits until the provider may have one more request processed. Returns undefined when too many requests are already
   * waiting.
   */
  readonly enter: (provider: ProviderId) => Promise<Release> | undefined
  /** Counts a response while it is being sent. The provider's next requests wait while too much remains to be sent. */
  readonly hold: (provider: ProviderId, bytes: number) => Release
  /**
   * Waits until a large response fits in memory alongside the responses that are being made or sent. Large responses
   * start in the order of the requests of all providers, and count from then on. Returns undefined when too many are
   * already waiting.
   */
  readonly waitForRoom: (provider: ProviderId, bytes: number) => Promise<Release> | undefined
}

type Release = () => void

interface Load {
  /** Bytes of messages that are being read or processed. */
  read: number
  /** Bytes of responses that are being sent. */
  sent: number
  /** The number of requests that are being processed. */
  running: number
  readonly waitingRequests: (() => void)[]
  /** The number of large responses that wait for memory. */
  waitingResponses: number
}

/** A large response that waits for memory. */
interface WaitingResponse {
  readonly provider: ProviderId
  readonly bytes: number
  readonly start: () => void
}

export function createProviderLoad({
  requestsAtOnce,
  bytesAtOnce,
  totalBytesAtOnce,
}: Pick<ScimLimits, 'requestsAtOnce' | 'bytesAtOnce' | 'totalBytesAtOnce'>): ProviderLoad {
  const loads = new Map<ProviderId, Load>()
  /** Bytes of all providers. */
  const total = { read: 0, sent: 0 }
  /** In the order of the requests. */
  let waitingResponses: readonly WaitingResponse[] = []

  function loadOf(provider: ProviderId): Load {
    const load = loads.get(provider) ?? { read: 0, sent: 0, running: 0, waitingRequests: [], waitingResponses: 0 }
    loads.set(provider, load)
    return load
  }

  /**
   * Starts the waiting responses that fit in memory. A response that waits for the server's memory blocks all later
   * ones; otherwise it might never start.
   */
  function startWaitingResponses(): void {
    const left: WaitingResponse[] = []
    let isFull = false
    for (const next of waitingResponses) {
      const load = loadOf(next.provider)
      const hasOwnRoom = load.sent === 0 || load.sent + next.bytes <= bytesAtOnce
      if (hasOwnRoom && !isFull) isFull = total.sent > 0 && total.sent + total.read + next.bytes > totalBytesAtOnce
      if (!hasOwnRoom || isFull) {
        left.push(next)
        continue
      }
      load.waitingResponses -= 1
      load.sent += next.bytes
      total.sent += next.bytes
      next.start()
    }
    waitingResponses = left
  }

  /** Starts waiting responses and requests, and forgets a provider that uses nothing. */
  function settle(provider: ProviderId, load: Load): void {
    if (waitingResponses.length > 0) startWaitingResponses()
    while (load.waitingRequests.length > 0 && canStart(load)) {
      load.running += 1
      load.waitingRequests.shift()?.()
    }
    if (
      load.read === 0 &&
      load.sent === 0 &&
      load.running === 0 &&
      load.waitingRequests.length === 0 &&
      load.waitingResponses === 0
    )
      loads.delete(provider)
  }

  const canStart = ({ running, sent }: Load): boolean => running < requestsAtOnce && sent <= bytesAtOnce

  function hold(provider: ProviderId, use: 'read' | 'sent', bytes: number): Release {
    const load = loadOf(provider)
    load[use] += bytes
    total[use] += bytes
    return once(() => {
      load[use] -= bytes
      total[use] -= bytes
      settle(provider, load)
    })
  }

  return {
    hold: (provider, bytes) => hold(provider, 'sent', bytes),
    reserve(provider, bytes) {
      const { read } = loadOf(provider)
      if (read > 0 && read + bytes > bytesAtOnce) return 'provider_full'
      if (total.read > 0 && total.read + total.sent + bytes > totalBytesAtOnce) return 'server_full'
      return hold(provider, 'read', bytes)
    },
    waitForRoom(provider, bytes) {
      if (waitingResponses.length >= maximumWaitingResponses) return undefined
      const load = loadOf(provider)
      const release = once(() => {
        load.sent -= bytes
        total.sent -= bytes
        settle(provider, load)
      })
      return new Promise((resolve) => {
        load.waitingResponses += 1
        waitingResponses = [...waitingResponses, { provider, bytes, start: () => resolve(release) }]
        settle(provider, load)
      })
    },
    enter(provider) {
      const load = loadOf(provider)
      if (load.waitingRequests.length >= maximumWaiting) return undefined
      const leave = once(() => {
        load.running -= 1
        settle(provider, load)
      })
      return new Promise((resolve) => {
        load.waitingRequests.push(() => resolve(leave))
        settle(provider, load)
      })
    },
  }
}

function once(release: Release): Release {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    release()
  }
}

/** The maximum number of waiting requests of one provider. */
const maximumWaiting = 200

/** The maximum number of waiting responses of all providers. */
const maximumWaitingResponses = 100
