import type { Clock } from '@mintmark/internal'
import {
  after,
  type DeliveryRecord,
  type DurationSeconds,
  type EpochSeconds,
  epochSeconds,
  seconds,
} from '@mintmark/storage-interface'
import type { DeliveryResult } from '@mintmark/storage-interface/stores'

import type { OutboundClient, OutboundFailure } from '../outbound/client.ts'
import { deadRetention } from './derive-logouts.ts'

interface OutgoingMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the recipient would refuse the message again, after a status that means no success. */
  readonly isFinal: (status: number) => boolean
  /** How long the message is kept after it was delivered. */
  readonly deliveredRetention: DurationSeconds
}

/** Posts a message to its recipient, and reads nothing but the status and the headers. @returns the result of the attempt. */
export async function postMessage(
  delivery: DeliveryRecord,
  { isFinal, deliveredRetention, ...message }: OutgoingMessage,
  { outbound, clock }: { readonly outbound: OutboundClient; readonly clock: Clock },
): Promise<DeliveryResult> {
  const result = await outbound.request({
    ...message,
    method: 'POST',
    timeout: attemptTimeout,
    maxBytes: 1024,
    responseBody: 'ignored',
  })
  const answeredAt = clock()
  if (result.outcome === 'failed') return resultOfFailure(delivery, result.failure, answeredAt)
  const { status, headers } = result
  if (isSuccess(status)) return { kind: 'delivered', keptUntil: after(answeredAt, deliveredRetention) }
  const failure = `http_${status}`
  if (isFinal(status)) return giveUp(failure, answeredAt)
  return retry(delivery, { failure, now: answeredAt, atLeast: parseRetryAfter(headers, answeredAt) })
}

/** In milliseconds. */
const attemptTimeout = 5000

/** RFC 9110 §15.3. A redirect that a fetch of the host neither follows nor shows has the status 0 (Fetch §2.2.6). */
const isSuccess = (status: number): boolean => status >= 200 && status < 300

function resultOfFailure(delivery: DeliveryRecord, failure: OutboundFailure, now: EpochSeconds): DeliveryResult {
  switch (failure) {
    case 'not_allowed':
    case 'not_public':
      return giveUp(failure, now)
    case 'busy':
      return { kind: 'postponed', dueAt: after(now, seconds(1)) }
    case 'circuit_open':
      return { kind: 'postponed', dueAt: after(now, seconds(30)) }
    case 'timeout':
    case 'too_large':
    case 'unreachable':
      return retry(delivery, { failure, now })
    default:
      return failure satisfies never
  }
}

/**
 * Schedules the next attempt, or gives up if the delivery would have expired by then.
 * @param atLeast the minimum delay that the receiver asks for, in seconds.
 */
export function retry(
  delivery: DeliveryRecord,
  { failure, now, atLeast = 0 }: { readonly failure: string; readonly now: EpochSeconds; readonly atLeast?: number },
): DeliveryResult {
  const delay = retryDelays[delivery.attempts] ?? longestDelay
  const dueAt = epochSeconds(now + Math.max(delay, atLeast))
  return dueAt < delivery.expiresAt ? { kind: 'retry', failure, dueAt } : giveUp(failure, now)
}

/** The delay after each attempt, in seconds. */
const retryDelays = [5, 30, 120, 600]
const longestDelay = 3600

export const giveUp = (failure: string, now: EpochSeconds): DeliveryResult => ({
  kind: 'dead',
  failure,
  keptUntil: after(now, deadRetention),
})

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3).
 * @returns seconds, at most `longestDelay`; 0 if it is missing or malformed.
 */
export function parseRetryAfter(headers: Headers, now: EpochSeconds): number {
  const value = headers.get('retry-after') ?? ''
  const wait = /^\d{1,9}$/.test(value) ? Number(value) : Date.parse(value) / 1000 - now
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), longestDelay)
}
