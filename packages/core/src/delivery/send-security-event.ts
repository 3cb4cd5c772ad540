import type { Clock, Random } from '@mintmark/internal'
import {
  after,
  type ClientRecord,
  type DeliveryRecord,
  type JsonObject,
  type JsonValue,
  type OAuthStorage,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { DeliveryResult, StreamRecord, WebhookRecord } from '@mintmark/storage-interface/stores'

import { signJwt } from '../keys/jws.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { sidFor, subjectFor } from '../tokens/pairwise.ts'
import { deliveredRetention } from './derive-logouts.ts'
import type { WebhookStorage } from './derive-webhooks.ts'
import { payloadOf } from './security-event-payload.ts'
import { isProvisioningEvent, type SecurityEventContent, streamScope, verificationEvent } from './security-events.ts'
import { giveUp, postMessage, retry } from './post-message.ts'
import { openWebhookSecret } from './webhook-secrets.ts'

export interface SendEventDependencies {
  readonly issuer: string
  readonly storage: WebhookStorage
  readonly keys: KeyRing
  readonly clock: Clock
  readonly random: Random
  readonly outbound: OutboundClient
}

/** Pushes a security event token to its receiver (RFC 8935 §2). @returns the result of the attempt. */
export async function sendSecurityEvent(
  delivery: DeliveryRecord,
  { webhook, stream }: { readonly webhook: WebhookRecord; readonly stream: StreamRecord },
  deps: SendEventDependencies,
): Promise<DeliveryResult> {
  const now = deps.clock()
  const client = await deps.storage.clients.find(stream.clientId)
  // The client has since been removed or disabled.
  if (client === undefined || client.disabledAt !== undefined) return giveUp('client_gone', now)
  // An administrator has since taken from the receiver what it needs to manage a stream, and to poll.
  if (!client.scopes.includes(streamScope)) return giveUp('scope_gone', now)
  // The receiver has since changed to polling, and reads what happens from then on.
  if (stream.delivery !== 'push') return giveUp('stream_polled', now)
  // SSF 1.0 §8.1.2.1: a disabled stream keeps nothing for later, a paused one everything.
  if (stream.status === 'disabled') return giveUp('stream_disabled', now)
  if (stream.status === 'paused') return { kind: 'postponed', dueAt: after(now, pausedWait) }
  // The receiver has since removed the stream and created another one.
  if (delivery.createdAt < webhook.createdAt) return giveUp('webhook_gone', now)
  const message = { jti: delivery.dedupeKey, content: { event: '', ...delivery.content } }
  const token = await mintSecurityEvent(message, client, deps)
  if (token === undefined) return retry(delivery, { failure: 'algorithm_unavailable', now })
  const [sealed] = webhook.secrets
  const identity = { issuer: deps.issuer, webhookId: webhook.webhookId }
  const authorization = sealed === undefined ? undefined : await openWebhookSecret(sealed, identity, deps.keys)
  if (sealed !== undefined && authorization === undefined)
    return retry(delivery, { failure: 'sealing_key_missing', now })

  const pushed = {
    url: webhook.url,
    headers: {
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
      ...(authorization !== undefined && { authorization }),
    },
    body: token,
    // RFC 8935 §2.4: with 400 the receiver refuses this token, and the stream goes on.
    isFinal: (status: number) => status === 400,
    deliveredRetention,
  }
  return postMessage(delivery, pushed, deps)
}

/** In seconds: how long an event of a paused stream is postponed. Only the first of a stream is looked at. */
const pausedWait = seconds(15)

/** A message of a stream. */
interface StreamMessage {
  /** The same in every attempt, so that receivers recognise an event that they already have (RFC 8417 §2.2). */
  readonly jti: string
  readonly content: SecurityEventContent
}

/**
 * Mints a security event token (RFC 8417, SSF 1.0 §4): one event, the subject in `sub_id`, no `sub` and no `exp`. It is signed with
 * RS256, which the interoperability profile of CAEP demands.
 * @returns `undefined` while the key ring does not sign with RS256.
 */
export async function mintSecurityEvent(
  { jti, content }: StreamMessage,
  client: ClientRecord,
  deps: Pick<SendEventDependencies, 'issuer' | 'keys' | 'clock' | 'random'> & { readonly storage: OAuthStorage },
): Promise<string | undefined> {
  if (!deps.keys.algorithms.includes('RS256')) return undefined
  const claims = {
    iss: deps.issuer,
    jti,
    iat: deps.clock(),
    aud: client.clientId,
    // SSF 1.0 §4.1.9: the same for all events of a change. A verification has no other event.
    txn: textOf(content, 'changeId') ?? jti,
    sub_id: await subjectOf(content, client, deps),
    events: { [content.event]: payloadOf(content) },
  }
  return signJwt('secevent+jwt', claims, await deps.keys.signer('RS256'))
}

async function subjectOf(
  content: SecurityEventContent,
  client: ClientRecord,
  deps: Pick<SendEventDependencies, 'issuer' | 'keys' | 'random'> & { readonly storage: OAuthStorage },
): Promise<JsonObject> {
  const { event } = content
  if (event === verificationEvent) return { format: 'opaque', id: textOf(content, 'streamId') ?? '' }
  const [user, group, session] = [textOf(content, 'userId'), textOf(content, 'groupId'), textOf(content, 'sessionId')]
  if (isProvisioningEvent(event))
    return { format: 'scim', uri: group === undefined ? `/Users/${user ?? ''}` : `/Groups/${group}` }
  const subject = { format: 'iss_sub', iss: deps.issuer, sub: await subjectFor(userId(user ?? ''), client, deps) }
  const sid = session === undefined ? undefined : await sidFor(session, client, deps.keys)
  // SSF 1.0 §3.1: only the session is meant, and not every session of the user.
  return sid === undefined ? subject : { format: 'complex', user: subject, session: { format: 'opaque', id: sid } }
}

function textOf(content: JsonObject, name: string): string | undefined {
  const value: JsonValue | undefined = content[name]
  return typeof value === 'string' ? value : undefined
}
