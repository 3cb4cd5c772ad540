import { elapsed, randomIdentifier } from '@mintmark/internal'
import { after, type DeliveryRecord, type EpochSeconds, epochSeconds, seconds } from '@mintmark/storage-interface'
import type { DeliveryResult } from '@mintmark/storage-interface/stores'

import type { RevocationWatch } from '../tokens/feed-watch.ts'
import { deriveLogouts, type DeriveLogoutsDependencies, logoutChannel } from './derive-logouts.ts'
import { sendLogout, type SendLogoutDependencies } from './send-logout.ts'

export interface DeliveryWorkerDependencies extends DeriveLogoutsDependencies, SendLogoutDependencies {
  readonly watch: RevocationWatch
  /** Keeps the process alive for work that begins after a revocation while no loop runs; `undefined`: there is none. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
  /**
   * Resolves after so many milliseconds, or when the signal is aborted.
   * @defaultValue A timer.
   */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** What a call of `deliverOnce` did. */
export interface DeliveryReport {
  readonly delivered: number
  /** Attempts that failed and will be repeated. */
  readonly failed: number
  /** Messages that were given up. */
  readonly dead: number
  /** Whether messages are due that the limit or the deadline has left. */
  readonly more: boolean
}

/** The limits of one call of `deliverOnce`. */
export interface DeliverOnceOptions {
  /**
   * The number of attempts.
   * @defaultValue 100.
   */
  readonly limit?: number
  /**
   * In milliseconds. No attempt begins later; one takes up to five seconds.
   * @defaultValue 20000. A scheduled job of half a minute then ends in time.
   */
  readonly deadline?: number
}

/** Sends messages to clients: those that follow from revocations in this process and in others. */
export interface DeliveryWorker {
  /** Delivers until the signal is aborted, then waits for the attempts that have begun. */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /** Delivers what is due. */
  once(options?: DeliverOnceOptions): Promise<DeliveryReport>
  /** Something was revoked in this process: its messages are sent at once. */
  readonly nudge: () => void
}

/** Sends logout tokens. */
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

/** What the messages of a channel follow from, and how each is sent. */
export interface DeliveryChannel {
  readonly name: string
  readonly watch: DeliverySource
  /** How many messages of one recipient are sent at once in a process. */
  readonly perRecipient: number
  /** Enqueues the messages that follow from the next page of what happened. */
  derive(now: EpochSeconds): Promise<{ readonly position: number; readonly more: boolean }>
  send(delivery: DeliveryRecord): Promise<DeliveryResult>
}

/** Notices that something happened which messages follow from. */
export type DeliverySource = Pick<RevocationWatch, 'version' | 'position' | 'noteSeen' | 'poll'>

interface ChannelDependencies
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

  /** Reads the list of revocations to its end. @returns the position, and whether there is more. */
  async function derive(isOver: () => boolean): Promise<{ readonly position: number; readonly more: boolean }> {
    for (;;) {
      const read = await channel.derive(clock())
      watch.noteSeen(read.position)
      if (!read.more || isOver()) return read
    }
  }

  async function run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (isRunning) throw new TypeError('This server delivers already: call deliver once.')
    isRunning = true
    signal.addEventListener('abort', sleeper.wake)
    const step = createLoop(signal)
    let failures = 0
    while (!signal.aborted) {
      try {
        await step()
        failures = 0
      } catch (cause) {
        // The loop outlives an outage of the storage.
        failures += 1
        deps.journal.announce({ type: 'delivery.interrupted', channel: channel.name, cause })
      }
      await sleeper.sleep(failures === 0 ? pollEvery : Math.min(1000 * 2 ** failures, 30_000))
    }
    signal.removeEventListener('abort', sleeper.wake)
    await attempts.finished()
    isRunning = false
  }

  /** A step looks for revocations, and for deliveries when there may be any that are due. */
  function createLoop(signal: AbortSignal): () => Promise<void> {
    let version: number | undefined
    let deriveAt = epochSeconds(0)
    let lookAt = epochSeconds(0)
    let isWaiting = false
    const isOver = (): boolean => signal.aborted
    const attemptEnded = (outcome: AttemptOutcome): void => {
      // A message that is repeated is due earlier than its lease would have ended.
      if (!isWaiting && outcome !== 'retry' && outcome !== 'postponed') return
      lookAt = epochSeconds(0)
      sleeper.wake()
    }

    return async () => {
      const wasNudged = isNudged
      isNudged = false
      if (!wasNudged && version !== undefined) await watch.poll()
      const seen = watch.version()
      const isNew = wasNudged || version !== seen
      const now = clock()
      if (!isNew && now < lookAt) return
      // If this step fails, the next one looks again.
      lookAt = epochSeconds(0)

      if (isNew || now >= deriveAt) {
        const { position, more } = await derive(isOver)
        // Somebody else may have seen a revocation that was written after the read.
        version = !more && watch.position() <= position ? watch.version() : seen
        deriveAt = after(now, lookEvery)
      }
      while (!isOver() && attempts.free() > 0)
        if ((await attempts.begin(attempts.free(), attemptEnded)).length === 0) break
      const next = await storage.deliveries.nextDueAt(channel.name)
      // What is due but waits for an attempt to end is looked for then.
      isWaiting = attempts.free() === 0 || (next !== undefined && next <= now)
      lookAt = epochSeconds(Math.min(Math.max(next ?? Infinity, now + 1), now + lookEvery))
    }
  }

  async function once({ limit = 100, deadline = 20_000 }: DeliverOnceOptions = {}): Promise<DeliveryReport> {
    const endsAt = elapsed() + deadline
    const isOver = (): boolean => elapsed() >= endsAt
    const { more } = await derive(isOver)
    const kinds: AttemptOutcome[] = []
    const pending = new Set<Promise<void>>()
    let begun = 0
    const noteEnd = async (attempt: Promise<AttemptOutcome>): Promise<void> => {
      kinds.push(await attempt)
    }
    do {
      const room = isOver() ? 0 : Math.min(attempts.free(), limit - begun)
      const started = room > 0 ? await attempts.begin(room) : []
      begun += started.length
      for (const attempt of started) {
        const ended = noteEnd(attempt)
        pending.add(ended)
        void ended.finally(() => pending.delete(ended))
      }
      if (started.length === 0 && pending.size > 0) await Promise.race(pending)
      else if (started.length === 0) break
    } while (pending.size > 0 || begun < limit)

    const count = (kind: AttemptOutcome): number => kinds.filter((each) => each === kind).length
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
      } else waitUntil?.(reported(once()))
    },
  }

  async function reported(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (cause) {
      deps.journal.announce({ type: 'delivery.interrupted', channel: channel.name, cause })
    }
  }
}

/** Several channels as one. */
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

/** In milliseconds. A little more than the watch needs between two polls. */
const pollEvery = 102

/** In seconds: how often an idle worker looks for what others have left, such as what an administrator has requeued. */
const lookEvery = seconds(60)

/** How an attempt ended; `lost`: the lease had ended, and the result of another worker counts. */
type AttemptOutcome = DeliveryResult['kind'] | 'lost' | 'interrupted'

/** The attempts of this process. */
interface Attempts {
  /** How many more attempts may begin. */
  free(): number
  /** Leases messages that are due and begins to send them. */
  begin(limit: number, onEnd?: (outcome: AttemptOutcome) => void): Promise<readonly Promise<AttemptOutcome>[]>
  /** Waits until all have ended. */
  finished(): Promise<void>
}

function createAttempts(channel: DeliveryChannel, deps: ChannelDependencies): Attempts {
  const { storage, clock, random, journal } = deps
  const pending = new Map<string, { readonly recipient: string; readonly ended: Promise<AttemptOutcome> }>()

  return {
    free: () => maxPending - pending.size,

    async begin(limit, onEnd = () => {}) {
      const now = clock()
      const token = randomIdentifier(random)
      const except = [...new Set([...pending.values()].map(({ recipient }) => recipient))]
      const until = after(now, leaseTime)
      const request = { channel: channel.name, now, until, token, limit, perRecipient: channel.perRecipient, except }
      const leased = await storage.deliveries.lease(request)
      return leased.map((delivery) => {
        const ended = attempt(delivery, token).then((outcome) => {
          pending.delete(delivery.deliveryId)
          onEnd(outcome)
          return outcome
        })
        pending.set(delivery.deliveryId, { recipient: delivery.recipient, ended })
        return ended
      })
    },

    async finished() {
      await Promise.all([...pending.values()].map(({ ended }) => ended))
    },
  }

  async function attempt(delivery: DeliveryRecord, token: string): Promise<AttemptOutcome> {
    try {
      const result = await channel.send(delivery)
      const now = clock()
      const { outcome } = await storage.deliveries.settle({ deliveryId: delivery.deliveryId, token, result, now })
      if (outcome === 'lost') return 'lost'
      recordResult(delivery, result, now)
      return result.kind
    } catch (cause) {
      // The lease ends by itself, and the attempt is repeated.
      journal.announce({ type: 'delivery.interrupted', channel: channel.name, cause })
      return 'interrupted'
    }
  }

  function recordResult(delivery: DeliveryRecord, result: DeliveryResult, now: EpochSeconds): void {
    const { deliveryId, recipient, createdAt } = delivery
    const about = { channel: channel.name, deliveryId, clientId: recipient, attempts: delivery.attempts + 1 }
    switch (result.kind) {
      case 'delivered':
        return journal.announce({ type: 'delivery.delivered', ...about })
      case 'retry':
        return journal.announce({ type: 'delivery.failed', ...about, failure: result.failure, retryAt: result.dueAt })
      case 'dead':
        return journal.announce({ type: 'delivery.dead', ...about, failure: result.failure, age: now - createdAt })
      case 'postponed':
        return undefined
      default:
        return result satisfies never
    }
  }
}

/** In one process. */
const maxPending = 16

/** Several times as long as an attempt. */
const leaseTime = seconds(30)

/** Sleeps until the time is over or somebody wakes it, also if that was before it began to sleep. */
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
