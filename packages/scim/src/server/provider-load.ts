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
  /** Waits until a large response may be made beside those that are made or sent. It counts as one of them. */
  readonly makeRoom: (provider: ProviderId, bytes: number) => Promise<Release>
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
  /** Large responses that are not made yet. */
  readonly unmade: { readonly bytes: number; readonly start: () => void }[]
}

export function createProviderLoad({
  requestsAtOnce,
  bytesAtOnce,
}: Pick<ScimLimits, 'requestsAtOnce' | 'bytesAtOnce'>): ProviderLoad {
  const loads = new Map<ProviderId, Load>()

  function loadOf(provider: ProviderId): Load {
    const load = loads.get(provider) ?? { read: 0, sent: 0, places: 0, waiting: [], unmade: [] }
    loads.set(provider, load)
    return load
  }

  /** Lets waiting requests go on, and forgets a provider that uses nothing. */
  function settle(provider: ProviderId, load: Load): void {
    for (let [next] = load.unmade; next !== undefined && hasRoom(load, next.bytes); [next] = load.unmade) {
      load.unmade.shift()
      load.sent += next.bytes
      next.start()
    }
    while (load.waiting.length > 0 && hasPlace(load)) {
      load.places += 1
      load.waiting.shift()?.()
    }
    if (
      load.read === 0 &&
      load.sent === 0 &&
      load.places === 0 &&
      load.waiting.length === 0 &&
      load.unmade.length === 0
    )
      loads.delete(provider)
  }

  const hasPlace = ({ places, sent }: Load): boolean => places < requestsAtOnce && sent <= bytesAtOnce

  /** A single response may be larger than the limit. */
  const hasRoom = ({ sent }: Load, bytes: number): boolean => sent === 0 || sent + bytes <= bytesAtOnce

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
    makeRoom(provider, bytes) {
      const load = loadOf(provider)
      const release = once(() => {
        load.sent -= bytes
        settle(provider, load)
      })
      return new Promise((resolve) => {
        load.unmade.push({ bytes, start: () => resolve(release) })
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
