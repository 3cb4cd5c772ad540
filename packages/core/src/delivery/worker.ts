import { elapsed } from '@mintmark/internal'
import { after, type EpochSeconds, epochSeconds, seconds } from '@mintmark/storage-interface'

import type { RevocationWatch } from '../tokens/feed-watch.ts'
import { type AttemptChannel, type AttemptOutcome, createAttempts } from './attempts.ts'
import { deriveLogouts, type DeriveLogoutsDependencies, logoutChannel } from './derive-logouts.ts'
import { sendLogout, type SendLogoutDependencies } from './send-logout.ts'

export interface DeliveryWorkerDependencies extends DeriveLogoutsDependencies, SendLogoutDependencies {
  readonly watch: RevocationWatch
  /**
   * Receives the deliveries that begin after a revocation while `run` is not active; `undefined` if none then begin.
   */
  readonly waitUntil: ((work: Promise<DeliveryReport | undefined>) => void) | undefined
  /**
   * Resolves after this number of milliseconds, or when the signal is aborted.
   * @defaultValue A timer.
   */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** The result of a call of `deliverOnce`. */
export interface DeliveryReport {
  readonly delivered: number
  /** Attempts that failed and will be repeated. */
  readonly failed: number
  /** Messages that will not be sent again. */
  readonly dead: number
  /** Whether messages are still due, because the limit or the deadline was reached. */
  readonly more: boolean
}

/** The limits of one call of `deliverOnce`. */
export interface DeliverOnceOptions {
  /**
   * The maximum number of attempts to send logout tokens; the same maximum applies separately to webhooks.
   * @defaultValue 100.
   */
  readonly limit?: number
  /**
   * In milliseconds. No attempt begins after the deadline; an attempt takes up to five seconds.
   * @defaultValue 20000. A scheduled job that may run for half a minute then ends in time.
   */
  readonly deadline?: number
}

/** Sends the messages that follow from revocations or changes in this process and in others. */
export interface DeliveryWorker {
  /** Delivers until the signal is aborted, then waits for the attempts that have begun. */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /** Delivers the messages that are due. */
  once(options?: DeliverOnceOptions): Promise<DeliveryReport>
  /** Call it when something was revoked in this process: the messages are then sent at once. */
  readonly nudge: () => void
}

/** Creates the worker that sends logout tokens. */
export const createDeliveryWorker = (deps: DeliveryWorkerDependencies): DeliveryWorker =>
  createChannelWorker(
    {
      name: logoutChannel,
      watch: deps.watch,
      perRecipient: 2,
      derive: (now) => deriveLogouts(now, deps),
      send: (delivery) => sendLogout(delivery, deps),
    },
    deps,
  )

/** How the messages of a channel are derived, and how each message is sent. */
export interface DeliveryChannel extends AttemptChannel {
  readonly watch: DeliverySource
  /** Reads the next page of revocations or changes, and enqueues the messages that follow from them. */
  derive(now: EpochSeconds): Promise<{ readonly position: number; readonly more: boolean }>
}

/** Notices new revocations or changes. */
export type DeliverySource = Pick<RevocationWatch, 'version' | 'position' | 'noteSeen' | 'poll'>

/** What the worker of any channel needs. */
export interface ChannelDependencies
  extends
    Pick<DeriveLogoutsDependencies, 'storage' | 'random' | 'journal'>,
    Pick<SendLogoutDependencies, 'clock'>,
    Pick<DeliveryWorkerDependencies, 'waitUntil' | 'pause'> {}

export function createChannelWorker(channel: DeliveryChannel, deps: ChannelDependencies): DeliveryWorker {
  const { watch } = channel
  const { clock, storage, waitUntil } = deps
  const attempts = createAttempts(channel, deps)
  const sleeper = createSleeper(deps.pause ?? pauseFor)
  let isRunning = false
  let isNudged = false

  /**
   * Derives messages until every entry was read or `shouldStop` returns true.
   * @returns the position, and whether entries are left.
   */
  async function derive(shouldStop: () => boolean): Promise<{ readonly position: number; readonly more: boolean }> {
    for (;;) {
      const read = await channel.derive(clock())
      watch.noteSeen(read.position)
      if (!read.more || shouldStop()) return read
    }
  }

  async function run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (isRunning) throw new TypeError('This server is already delivering. Call deliver only once.')
    isRunning = true
    signal.addEventListener('abort', sleeper.wake)
    const step = createLoop(signal)
    let failures = 0
    while (!signal.aborted) {
      try {
        await step()
        failures = 0
      } catch (cause) {
        // The loop continues after an outage of the storage.
        failures += 1
        deps.journal.recordWithoutRequest({ type: 'delivery.interrupted', channel: channel.name, cause })
      }
      await sleeper.sleep(failures === 0 ? pollInterval : Math.min(1000 * 2 ** failures, 30_000))
    }
    signal.removeEventListener('abort', sleeper.wake)
    await attempts.waitForAll()
    isRunning = false
  }

  /** Creates a step of the loop. It looks for new revocations or changes, and begins deliveries when any may be due. */
  function createLoop(signal: AbortSignal): () => Promise<void> {
    let version: number | undefined
    let deriveAt = epochSeconds(0)
    let checkDueAt = epochSeconds(0)
    let isWaiting = false
    let ended = 0
    const shouldStop = (): boolean => signal.aborted
    const attemptEnded = (outcome: AttemptOutcome): void => {
      ended += 1
      // The loop waits for the end of the lease at the latest, but a message that has to be sent again is due earlier.
      if (!isWaiting && outcome !== 'retry' && outcome !== 'postponed') return
      checkDueAt = epochSeconds(0)
      sleeper.wake()
    }

    return async () => {
      const wasNudged = isNudged
      isNudged = false
      if (!wasNudged && version !== undefined) await watch.poll()
      const seen = watch.version()
      const isNew = wasNudged || version !== seen
      const now = clock()
      if (!isNew && now < checkDueAt) return
      // If this step fails, the next step looks again.
      checkDueAt = epochSeconds(0)

      if (isNew || now >= deriveAt) {
        const { position, more } = await derive(shouldStop)
        // Other code that polls the same watch may already have seen an entry that was written after this read.
        version = !more && watch.position() <= position ? watch.version() : seen
        deriveAt = after(now, checkInterval)
      }
      let endedBefore = ended
      while (!shouldStop() && attempts.free() > 0) {
        endedBefore = ended
        if ((await attempts.begin(attempts.free(), attemptEnded)).length === 0) break
      }
      const next = await storage.deliveries.nextDueAt(channel.name)
      // If deliveries are due but must wait for an attempt to end, the end of the attempt wakes the loop.
      isWaiting = attempts.free() === 0 || (next !== undefined && next <= now)
      checkDueAt = epochSeconds(Math.min(Math.max(next ?? Infinity, now + 1), now + checkInterval))
      // An attempt that ended during these reads wakes nobody later: what waited for it may begin now.
      if (isWaiting && ended !== endedBefore) {
        checkDueAt = epochSeconds(0)
        sleeper.wake()
      }
    }
  }

  async function once({ limit = 100, deadline = 20_000 }: DeliverOnceOptions = {}): Promise<DeliveryReport> {
    const endsAt = elapsed() + deadline
    const shouldStop = (): boolean => elapsed() >= endsAt
    const { more } = await derive(shouldStop)
    const outcomes: AttemptOutcome[] = []
    const pending = new Set<Promise<void>>()
    let begun = 0
    const noteOutcome = async (attempt: Promise<AttemptOutcome>): Promise<void> => {
      outcomes.push(await attempt)
    }
    do {
      const slots = shouldStop() ? 0 : Math.min(attempts.free(), limit - begun)
      const started = slots > 0 ? await attempts.begin(slots) : []
      begun += started.length
      for (const attempt of started) {
        const ended = noteOutcome(attempt)
        pending.add(ended)
        void ended.finally(() => pending.delete(ended))
      }
      if (started.length === 0 && pending.size > 0) await Promise.race(pending)
      else if (started.length === 0) break
    } while (pending.size > 0 || begun < limit)

    const count = (kind: AttemptOutcome): number => outcomes.filter((each) => each === kind).length
    const next = await storage.deliveries.nextDueAt(channel.name)
    return {
      delivered: count('delivered'),
      failed: count('retry'),
      dead: count('dead'),
      more: more || (next !== undefined && next <= clock()),
    }
  }

  return {
    run,
    once,
    nudge() {
      if (isRunning) {
        isNudged = true
        sleeper.wake()
      } else waitUntil?.(announceFailure(once()))
    },
  }

  async function announceFailure(work: Promise<DeliveryReport>): Promise<DeliveryReport | undefined> {
    try {
      return await work
    } catch (cause) {
      deps.journal.recordWithoutRequest({ type: 'delivery.interrupted', channel: channel.name, cause })
      return undefined
    }
  }
}

/** Combines the workers of several channels into one. */
export const combineWorkers = (workers: readonly DeliveryWorker[]): DeliveryWorker => ({
  async run(options) {
    await Promise.all(workers.map((worker) => worker.run(options)))
  },
  async once(options) {
    const reports = await Promise.all(workers.map((worker) => worker.once(options)))
    const sum = (count: 'delivered' | 'failed' | 'dead') => reports.reduce((total, report) => total + report[count], 0)
    const more = reports.some((report) => report.more)
    return { delivered: sum('delivered'), failed: sum('failed'), dead: sum('dead'), more }
  },
  nudge() {
    for (const worker of workers) worker.nudge()
  },
})

/** In milliseconds: slightly more than the minimum time between two polls of the watch. */
const pollInterval = 102

/**
 * In seconds: how often an idle worker looks for due deliveries although nothing was revoked or changed. An administrator
 * may have requeued some.
 */
const checkInterval = seconds(60)

/** Sleeps until the time has passed or `wake` is called. If `wake` was called before, `sleep` returns at once. */
interface Sleeper {
  sleep(milliseconds: number): Promise<void>
  readonly wake: () => void
}

function createSleeper(pause: NonNullable<DeliveryWorkerDependencies['pause']>): Sleeper {
  let isAwake = false
  let sleeping: AbortController | undefined

  return {
    async sleep(milliseconds) {
      if (!isAwake) {
        sleeping = new AbortController()
        await pause(milliseconds, sleeping.signal)
        sleeping = undefined
      }
      isAwake = false
    },
    wake: () => {
      isAwake = true
      sleeping?.abort()
    },
  }
}

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
