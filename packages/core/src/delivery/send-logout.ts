import { randomIdentifier, type Clock, type Random } from '@mintmark/internal'
import {
  after,
  type ClientRecord,
  clientId,
  type DeliveryRecord,
  type DeliveryStorage,
  type EpochSeconds,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { DeliveryResult } from '@mintmark/storage-interface/stores'

import { idTokenAlgorithm, signJwt } from '../keys/jws.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { OAuthError } from '../refusals.ts'
import { sidFor, subjectFor } from '../tokens/pairwise.ts'
import { deliveredRetention } from './derive-logouts.ts'
import { giveUp, postMessage, retry } from './post-message.ts'

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

  const message = {
    url: client.backchannelLogoutUri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
    isFinal,
    deliveredRetention,
  }
  return postMessage(delivery, message, deps)
}

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

/** Back-Channel Logout §2.8: 400 means that the client refuses the token. */
const isFinal = (status: number): boolean =>
  // RFC 9110 §15.5.9 and §15.6, RFC 8470 §5.2, RFC 6585 §4: a later attempt may succeed.
  status < 500 && status !== 408 && status !== 425 && status !== 429
