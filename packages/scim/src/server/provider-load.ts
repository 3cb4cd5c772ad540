import type { ProviderId } from '@mintmark/storage-interface/stores'

import type { ScimLimits } from './scim-limits.ts'

/**
 * Limits what each provider, and all of them together, use of the server at one time, so that requests of others find memory,
 * time and connections to the database.
 */
export interface ProviderLoad {
  /** Reserves memory for a body. Refused when the provider, or the server, has too much in memory already. */
  readonly reserve: (provider: ProviderId, bytes: number) => Release | 'provider_full' | 'server_full'
  /** Waits for one of the provider's places. Undefined when too many requests wait already. */
  readonly enter: (provider: ProviderId) => Promise<Release> | undefined
  /** Counts a response that is being sent. Until little is left to send, the provider's next requests wait. */
  readonly hold: (provider: ProviderId, bytes: number) => Release
  /**
   * Waits until a large response may be made beside those that are made or sent, in the order of the requests of all
   * providers. It counts as one of them. Undefined when too many wait already.
   */
  readonly makeRoom: (provider: ProviderId, bytes: number) => Promise<Release> | undefined
}

type Release = () => void

interface Load {
  /** Bytes of messages that are being read or processed. */
  read: number
  /** Bytes of responses that are being sent. */
  sent: number
  /** Requests that are being processed. */
  places: number
  readonly waiting: (() => void)[]
  /** How many of its large responses are not made yet. */
  unmade: number
}

/** A large response that is not made yet. */
interface Unmade {
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
  let unmade: readonly Unmade[] = []

  function loadOf(provider: ProviderId): Load {
    const load = loads.get(provider) ?? { read: 0, sent: 0, places: 0, waiting: [], unmade: 0 }
    loads.set(provider, load)
    return load
  }

  /** Lets large responses be made. One that waits for the server's memory lets no later one pass, or it might wait for ever. */
  function startUnmade(): void {
    const left: Unmade[] = []
    let isFull = false
    for (const next of unmade) {
      const load = loadOf(next.provider)
      const hasOwnRoom = load.sent === 0 || load.sent + next.bytes <= bytesAtOnce
      if (hasOwnRoom && !isFull) isFull = total.sent > 0 && total.sent + total.read + next.bytes > totalBytesAtOnce
      if (!hasOwnRoom || isFull) {
        left.push(next)
        continue
      }
      load.unmade -= 1
      load.sent += next.bytes
      total.sent += next.bytes
      next.start()
    }
    unmade = left
  }

  /** Lets waiting requests go on, and forgets a provider that uses nothing. */
  function settle(provider: ProviderId, load: Load): void {
    if (unmade.length > 0) startUnmade()
    while (load.waiting.length > 0 && hasPlace(load)) {
      load.places += 1
      load.waiting.shift()?.()
    }
    if (load.read === 0 && load.sent === 0 && load.places === 0 && load.waiting.length === 0 && load.unmade === 0)
      loads.delete(provider)
  }

  const hasPlace = ({ places, sent }: Load): boolean => places < requestsAtOnce && sent <= bytesAtOnce

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
    makeRoom(provider, bytes) {
      if (unmade.length >= maximumUnmade) return undefined
      const load = loadOf(provider)
      const release = once(() => {
        load.sent -= bytes
        total.sent -= bytes
        settle(provider, load)
      })
      return new Promise((resolve) => {
        load.unmade += 1
        unmade = [...unmade, { provider, bytes, start: () => resolve(release) }]
        settle(provider, load)
      })
    },
    enter(provider) {
      const load = loadOf(provider)
      if (load.waiting.length >= maximumWaiting) return undefined
      const leave = once(() => {
        load.places -= 1
        settle(provider, load)
      })
      return new Promise((resolve) => {
        load.waiting.push(() => resolve(leave))
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

const maximumWaiting = 200

/** Of all providers. */
const maximumUnmade = 100

/** The work that a request may still cause. All operations of a Bulk request share one. */
export interface WorkBudget {
  readonly left: () => number
  /** @returns false when less is left: the request is refused. */
  readonly spend: (units: number) => boolean
}

export function createWorkBudget(units: number): WorkBudget {
  let left = units
  return {
    left: () => left,
    spend(spent) {
      if (spent > left) return false
      left -= spent
      return true
    },
  }
}
