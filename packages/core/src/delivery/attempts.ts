import { forgetOldest, type Clock, type Random, randomIdentifier } from '@mintmark/internal'
import {
  after,
  type DeliveryRecord,
  type DeliveryStorage,
  type EpochSeconds,
  seconds,
} from '@mintmark/storage-interface'
import type { DeliveryResult } from '@mintmark/storage-interface/stores'

import type { Journal } from '../events.ts'

/** How each message of a channel is sent. */
export interface AttemptChannel {
  readonly name: string
  /** How many messages to one recipient are sent at once in a process. */
  readonly perRecipient: number
  send(delivery: DeliveryRecord): Promise<DeliveryResult>
}

export interface AttemptDependencies {
  readonly storage: Pick<DeliveryStorage, 'deliveries'>
  readonly random: Random
  readonly clock: Clock
  readonly journal: Pick<Journal, 'recordWithoutRequest'>
}

/** How an attempt ended. `lost`: the lease had ended, so the result was not stored. */
export type AttemptOutcome = DeliveryResult['kind'] | 'lost' | 'interrupted'

/** The attempts to send messages of one channel in this process. */
export interface Attempts {
  /** How many more attempts may begin. */
  free(): number
  /** Leases messages that are due and begins to send them. */
  begin(limit: number, onEnd?: (outcome: AttemptOutcome) => void): Promise<readonly Promise<AttemptOutcome>[]>
  /** Waits until all attempts have ended. */
  waitForAll(): Promise<void>
}

export function createAttempts(channel: AttemptChannel, deps: AttemptDependencies): Attempts {
  const { storage, clock, random, journal } = deps
  const pending = new Map<string, PendingAttempt>()
  const timeouts = createTimeouts()

  /** Recipients that do not answer: their last attempt timed out, or an attempt has lasted for a second. */
  function slowRecipients(): ReadonlySet<string> {
    const now = clock()
    const late = [...pending.values()].filter(({ begunAt }) => now > begunAt)
    return new Set([...timeouts.recipients(), ...late.map(({ recipient }) => recipient)])
  }

  async function lease(limit: number, except: ReadonlySet<string>): Promise<readonly Promise<AttemptOutcome>[]> {
    if (limit <= 0) return []
    const now = clock()
    const token = randomIdentifier(random)
    const until = after(now, leaseTime)
    const { name, perRecipient } = channel
    const request = { channel: name, now, until, token, limit, perRecipient, except: [...except] }
    const leased = await storage.deliveries.lease(request)
    return leased.map((delivery) => begin(delivery, token))
  }

  function begin(delivery: DeliveryRecord, token: string): Promise<AttemptOutcome> {
    const ended = attempt(delivery, token).finally(() => pending.delete(delivery.deliveryId))
    pending.set(delivery.deliveryId, { recipient: delivery.recipient, begunAt: clock(), ended })
    return ended
  }

  const busyRecipients = (): ReadonlySet<string> => new Set([...pending.values()].map(({ recipient }) => recipient))

  return {
    free() {
      const { prompt, slow } = placesBeside(pending, slowRecipients())
      return prompt + slow
    },

    async begin(limit, onEnd = () => {}) {
      const slow = slowRecipients()
      const free = placesBeside(pending, slow)
      const prompt = await lease(Math.min(limit, free.prompt), new Set([...busyRecipients(), ...slow]))
      const others = await lease(Math.min(limit - prompt.length, free.slow), busyRecipients())
      const started = [...prompt, ...others]
      for (const ended of started) void ended.then(onEnd)
      return started
    },

    async waitForAll() {
      await Promise.all([...pending.values()].map(({ ended }) => ended))
    },
  }

  async function attempt(delivery: DeliveryRecord, token: string): Promise<AttemptOutcome> {
    try {
      const result = await channel.send(delivery)
      timeouts.note(delivery.recipient, result)
      const now = clock()
      const { outcome } = await storage.deliveries.settle({ deliveryId: delivery.deliveryId, token, result, now })
      if (outcome === 'lost') return 'lost'
      const event = resultEvent(delivery, result, { channel: channel.name, now })
      if (event !== undefined) journal.recordWithoutRequest(event)
      return result.kind
    } catch (cause) {
      // When the lease ends, a worker tries again.
      journal.recordWithoutRequest({ type: 'delivery.interrupted', channel: channel.name, cause })
      return 'interrupted'
    }
  }
}

/** Remembers the recipients whose last attempt timed out. */
function createTimeouts() {
  const timedOut = new Map<string, true>()
  return {
    recipients: (): Iterable<string> => timedOut.keys(),
    note(recipient: string, result: DeliveryResult): void {
      // Without an attempt, nothing is known that was not known before.
      if (result.kind === 'postponed') return
      timedOut.delete(recipient)
      if (result.kind === 'delivered' || result.failure !== 'timeout') return
      timedOut.set(recipient, true)
      forgetOldest(timedOut, maximumTimedOut)
    },
  }
}

/** Returns the event for the result of an attempt. */
function resultEvent(
  { deliveryId, recipient, createdAt, attempts }: DeliveryRecord,
  result: DeliveryResult,
  { channel, now }: { readonly channel: string; readonly now: EpochSeconds },
): Parameters<Journal['recordWithoutRequest']>[0] | undefined {
  const about = { channel, deliveryId, clientId: recipient, attempts: attempts + 1 }
  switch (result.kind) {
    case 'delivered':
      return { type: 'delivery.delivered', ...about }
    case 'retry':
      return { type: 'delivery.failed', ...about, failure: result.failure, retryAt: result.dueAt }
    case 'dead':
      return { type: 'delivery.dead', ...about, failure: result.failure, age: now - createdAt }
    case 'postponed':
      return undefined
    default:
      return result satisfies never
  }
}

/** How many attempts may begin beside the pending ones, to recipients that answer and to slow ones. */
function placesBeside(
  pending: ReadonlyMap<string, PendingAttempt>,
  slow: ReadonlySet<string>,
): { readonly prompt: number; readonly slow: number } {
  const toSlow = [...pending.values()].filter(({ recipient }) => slow.has(recipient)).length
  const left = (places: number): number => Math.max(0, Math.min(places, maxPending - pending.size))
  return {
    prompt: left(promptPlaces - (pending.size - toSlow)),
    slow: slow.size === 0 ? 0 : left(slowPlaces - toSlow),
  }
}

interface PendingAttempt {
  readonly recipient: string
  readonly begunAt: EpochSeconds
  readonly ended: Promise<AttemptOutcome>
}

/** The maximum number of attempts at the same time for one channel in one process. */
export const maxPending = 64

/** How many of them may be to recipients that answer. An attempt that lasts longer than a second gives its place back. */
const promptPlaces = 16

/** How many attempts to slow recipients there may be before another one begins. */
const slowPlaces = 8

/** Tenants name the recipients, so their number is limited. */
const maximumTimedOut = 1000

/** How long a delivery is leased: several times as long as an attempt takes. */
const leaseTime = seconds(30)
