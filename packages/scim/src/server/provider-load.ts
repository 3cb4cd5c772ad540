import type { ProviderId } from '@mintmark/storage-interface/stores'

import type { ScimLimits } from './scim-limits.ts'

/**
 * Limits what each provider uses of the server at one time, so that requests of others find memory, time and connections
 * to the database.
 */
export interface ProviderLoad {
  /** Reserves memory for a body. Undefined when the provider has too much in memory already. */
  readonly reserve: (provider: ProviderId, bytes: number) => Release | undefined
  /** Waits for one of the provider's places. Undefined when too many requests wait already. */
  readonly enter: (provider: ProviderId) => Promise<Release> | undefined
  /** Counts a response that is being sent. Until little is left to send, the provider's next requests wait. */
  readonly hold: (provider: ProviderId, bytes: number) => Release
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
}

export function createProviderLoad({
  requestsAtOnce,
  bytesAtOnce,
}: Pick<ScimLimits, 'requestsAtOnce' | 'bytesAtOnce'>): ProviderLoad {
  const loads = new Map<ProviderId, Load>()

  function loadOf(provider: ProviderId): Load {
    const load = loads.get(provider) ?? { read: 0, sent: 0, places: 0, waiting: [] }
    loads.set(provider, load)
    return load
  }

  /** Lets waiting requests go on, and forgets a provider that uses nothing. */
  function settle(provider: ProviderId, load: Load): void {
    while (load.waiting.length > 0 && hasPlace(load)) {
      load.places += 1
      load.waiting.shift()?.()
    }
    if (load.read === 0 && load.sent === 0 && load.places === 0 && load.waiting.length === 0) loads.delete(provider)
  }

  const hasPlace = ({ places, sent }: Load): boolean => places < requestsAtOnce && sent <= bytesAtOnce

  function hold(provider: ProviderId, use: 'read' | 'sent', bytes: number): Release {
    const load = loadOf(provider)
    load[use] += bytes
    return once(() => {
      load[use] -= bytes
      settle(provider, load)
    })
  }

  return {
    hold: (provider, bytes) => hold(provider, 'sent', bytes),
    reserve(provider, bytes) {
      const { read } = loadOf(provider)
      return read > 0 && read + bytes > bytesAtOnce ? undefined : hold(provider, 'read', bytes)
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

/** The work that a request may still cause. All operations of a Bulk request share one. */
export interface WorkBudget {
  /** @returns false when less is left: the request is refused. */
  readonly spend: (units: number) => boolean
}

export function createWorkBudget(units: number): WorkBudget {
  let left = units
  return {
    spend(spent) {
      if (spent > left) return false
      left -= spent
      return true
    },
  }
}
