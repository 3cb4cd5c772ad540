import { randomIdentifier, type Clock, type Random } from '@mintmark/internal'
import {
  after,
  type ClientRecord,
  clientId,
  type DeliveryRecord,
  type DeliveryStorage,
  type EpochSeconds,
  epochSeconds,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { DeliveryResult } from '@mintmark/storage-interface/stores'

import { idTokenAlgorithm, signJwt } from '../keys/jws.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { OutboundClient, OutboundFailure } from '../outbound/client.ts'
import { OAuthError } from '../refusals.ts'
import { sidFor, subjectFor } from '../tokens/pairwise.ts'
import { deadRetention, deliveredRetention } from './derive-logouts.ts'

export interface SendLogoutDependencies {
  readonly issuer: string
  readonly storage: DeliveryStorage
  readonly keys: KeyRing
  readonly clock: Clock
  readonly random: Random
  readonly outbound: OutboundClient
  /** Encrypts a logout token if the client is registered for encrypted ID tokens. */
  readonly encrypt: (jwt: string, to: { readonly client: ClientRecord; readonly now: EpochSeconds }) => Promise<string>
}

/** Sends a logout token to a client (Back-Channel Logout §2.5). @returns the result of the attempt. */
export async function sendLogout(delivery: DeliveryRecord, deps: SendLogoutDependencies): Promise<DeliveryResult> {
  const now = deps.clock()
  if (now >= delivery.expiresAt) return giveUp(delivery.lastFailure ?? 'expired', now)
  const client = await deps.storage.clients.find(clientId(delivery.recipient))
  // The client has since been removed or disabled, or no longer has a URL for logout tokens.
  if (client?.backchannelLogoutUri === undefined || client.disabledAt !== undefined) return giveUp('client_gone', now)
  const token = await mintLogoutToken(delivery, client, deps)
  if (token === undefined) return retry(delivery, { failure: 'algorithm_unavailable', now })

  const result = await deps.outbound.request({
    url: client.backchannelLogoutUri,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
    timeout: attemptTimeout,
    maxBytes: 1024,
    responseBody: 'ignored',
  })
  const answeredAt = deps.clock()
  return result.outcome === 'answered'
    ? resultOfStatus(delivery, result, answeredAt)
    : resultOfFailure(delivery, result.failure, answeredAt)
}

/** In milliseconds. */
export const attemptTimeout = 5000

/**
 * Mints a logout token (Back-Channel Logout §2.4). Each attempt has a new `jti`: some clients remember the `jti` before
 * they act, and would refuse to act on it again if they failed. The token has no `nonce`, and its type prevents its use
 * as another kind of token.
 * @returns `undefined` while the key ring does not sign with the client's algorithm, or the client has no key for
 *   encryption.
 */
async function mintLogoutToken(
  { content }: DeliveryRecord,
  client: ClientRecord,
  { issuer, storage, keys, encrypt, clock, random }: SendLogoutDependencies,
): Promise<string | undefined> {
  const { sub, sid } = content
  const iat = clock()
  const claims = {
    iss: issuer,
    sub: typeof sub === 'string' ? await subjectFor(userId(sub), client, { storage, random }) : undefined,
    aud: client.clientId,
    iat,
    exp: after(iat, logoutTokenLifetime),
    jti: randomIdentifier(random),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: typeof sid === 'string' ? await sidFor(sid, client, keys) : undefined,
  }
  try {
    const jwt = await signJwt('logout+jwt', claims, await keys.signer(idTokenAlgorithm(client, keys)))
    // Back-Channel Logout §2.6: a logout token may be encrypted.
    return await encrypt(jwt, { client, now: iat })
  } catch (error) {
    if (error instanceof OAuthError && temporaryReasons.has(error.reason)) return undefined
    throw error
  }
}

const temporaryReasons: ReadonlySet<string> = new Set([
  'signing_algorithm_unavailable',
  'encryption_key_missing',
  'client_keys_unavailable',
])

/** Back-Channel Logout §2.4 recommends at most two minutes. */
const logoutTokenLifetime = seconds(120)

/** Back-Channel Logout §2.8: 200 and 204 mean success, 400 means that the client refuses the token. */
function resultOfStatus(
  delivery: DeliveryRecord,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: EpochSeconds,
): DeliveryResult {
  if (isSuccess(status)) return { kind: 'delivered', keptUntil: after(now, deliveredRetention) }
  const failure = `http_${status}`
  // RFC 9110 §15.5.9 and §15.6, RFC 8470 §5.2, RFC 6585 §4: a later attempt may succeed.
  const isTransient = status >= 500 || status === 408 || status === 425 || status === 429
  return isTransient ? retry(delivery, { failure, now, atLeast: parseRetryAfter(headers, now) }) : giveUp(failure, now)
}

/** RFC 9110 §15.3. A redirect that a fetch of the host neither follows nor shows has the status 0 (Fetch §2.2.6). */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

export function resultOfFailure(delivery: DeliveryRecord, failure: OutboundFailure, now: EpochSeconds): DeliveryResult {
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
