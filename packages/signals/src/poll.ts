import { contentOf, eventsOf, mintSecurityEvent, streamConsumer, verificationEvent } from '@mintmark/core/internal'
import {
  elapsed,
  encodeBase64url,
  isJsonObject,
  json,
  noStore,
  type ServerRequest,
  type ServerResponse,
  sha256,
} from '@mintmark/internal'
import type { ClientRecord, JsonObject } from '@mintmark/storage-interface'
import { changeRetention, untilSettled } from '@mintmark/storage-interface/stores'

import { authenticateReceiver } from './authenticate-receiver.ts'
import { ownStream } from './own-stream.ts'
import { refuse } from './refusals.ts'
import { isStream, type Stream } from './stream-configuration.ts'
import { readBody, type TransmitterDependencies } from './transmitter-context.ts'

/** A poll (RFC 8936 §2.2). */
interface PollRequest {
  readonly limit: number
  readonly isImmediate: boolean
  /** The `jti` of events that the receiver has, or cannot use. */
  readonly settled: ReadonlySet<string>
  readonly refused: readonly string[]
}

interface PolledStream {
  readonly stream: Stream
  readonly client: ClientRecord
}

/**
 * Answers a poll (RFC 8936 §2): forgets the events that the receiver acknowledges, and returns the next ones in their order. Without
 * `returnImmediately` it waits for an event.
 */
export async function pollStream(
  request: ServerRequest,
  { stream: found, client }: PolledStream,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const poll = readPoll(readBody(request))
  if (found.stream.delivery !== 'poll') throw refuse('poll_invalid')
  for (const jti of poll.refused)
    deps.journal.record(request, { type: 'event.refused', streamId: found.webhookId, clientId: client.clientId, jti })
  const stream = await acknowledge(found, poll.settled, { request, deps })
  const pending = await nextEvents(stream, poll.limit, { request, deps })
  // RFC 8936 §2.4: an answer without events is allowed at any time.
  if (poll.isImmediate || hasNews(pending) || !deps.waiting.acquire(client.clientId))
    return pollResponse(pending, client, deps)
  try {
    const later = await waitForEvents(stream, { request, client, limit: poll.limit }, deps)
    // Meanwhile, the receiver may have been disabled, or its token revoked.
    await authenticateReceiver(request, [], deps)
    return await pollResponse(later, client, deps)
  } finally {
    deps.waiting.release(client.clientId)
  }
}

/** Looks twice a second until there are events, the time is over or the receiver has closed the connection. */
async function waitForEvents(
  found: Stream,
  {
    request,
    client,
    limit,
  }: { readonly request: ServerRequest; readonly client: ClientRecord; readonly limit: number },
  deps: TransmitterDependencies,
): Promise<PendingEvents> {
  const endsAt = elapsed() + longestWait
  const signal = request.signal?.()
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pauseBetweenReads))
    // Meanwhile the receiver may have paused the stream, or asked for a verification event.
    const stream = await ownStream(found.webhookId, { client }, deps)
    const pending = await nextEvents(stream, limit, { request, deps })
    if (hasNews(pending) || elapsed() >= endsAt || signal?.aborted === true) return pending
  }
}

const hasNews = ({ events, more }: PendingEvents): boolean => events.length > 0 || more

/** Returns the next events. Changes that are no events of the stream are passed over: an event after them must not wait for another poll. */
async function nextEvents(
  found: Stream,
  limit: number,
  { request, deps }: { readonly request: ServerRequest; readonly deps: TransmitterDependencies },
): Promise<PendingEvents> {
  let stream = found
  for (let skipped = 0; ; skipped += 1) {
    const pending = await pendingEvents(stream, limit, deps)
    if (pending.events.length > 0 || !pending.more || skipped >= maxSkippedPages) return pending
    stream = await acknowledge(stream, new Set(), { request, deps })
  }
}

/** In milliseconds. A proxy closes a connection that is silent for much longer. */
const longestWait = 20_000
const pauseBetweenReads = 500

/** The number of pages of changes without an event that one poll reads; the next poll continues behind them. */
const maxSkippedPages = 50

function readPoll(body: JsonObject): PollRequest {
  const { maxEvents = defaultEvents, returnImmediately = false, ack = [], setErrs = {} } = body
  const isLimit = Number.isSafeInteger(maxEvents) && Number(maxEvents) >= 0
  const isList = Array.isArray(ack) && ack.length <= 1000 && ack.every((jti) => typeof jti === 'string')
  if (!isLimit || typeof returnImmediately !== 'boolean' || !isList || !isJsonObject(setErrs))
    throw refuse('poll_invalid')
  const refused = Object.keys(setErrs).slice(0, 1000)
  return {
    limit: Math.min(Number(maxEvents), defaultEvents),
    isImmediate: returnImmediately || maxEvents === 0,
    settled: new Set([...ack.filter((jti) => typeof jti === 'string'), ...refused]),
    refused,
  }
}

const defaultEvents = 100

/** An event of a polled stream that was not acknowledged. */
interface PendingEvent {
  readonly jti: string
  readonly content: JsonObject & { readonly event: string }
}

interface PendingEvents {
  readonly events: readonly PendingEvent[]
  readonly more: boolean
}

/** Returns the next events after the position of the stream. Nothing is stored: an event that is not acknowledged is returned again. */
async function pendingEvents(
  { webhookId, startsAfter, replays, stream }: Stream,
  limit: number,
  deps: TransmitterDependencies,
): Promise<PendingEvents> {
  if (stream.status !== 'enabled' || limit === 0) return { events: [], more: false }
  const { storage } = deps
  const cursor = await storage.cursors.read(streamConsumer({ webhookId, replays }))
  const { verification } = stream
  const asked =
    verification === undefined ? [] : [{ jti: verification.jti, content: verificationContent(webhookId, verification) }]
  const page = await storage.changes.list({ after: cursor?.position ?? startsAfter, limit: pageSize })
  const known = new Set(stream.acknowledged)
  const events = await Promise.all(
    page.flatMap((change) =>
      eventsOf(change, stream).map(async (event) => ({
        jti: await jtiOf(webhookId, change.changeId, event),
        content: { ...contentOf(change), event },
      })),
    ),
  )
  const pending = [...asked, ...events.filter(({ jti }) => !known.has(jti))]
  return { events: pending.slice(0, limit), more: pending.length > limit || page.length === pageSize }
}

/** The number of changes that are read at once. */
const pageSize = 100

const verificationContent = (streamId: string, { state }: { readonly state: string | undefined }) => ({
  event: verificationEvent,
  streamId,
  ...(state !== undefined && { state }),
})

/** The same for every poll: a receiver recognises an event that it already has (RFC 8417 §2.2). */
const jtiOf = async (streamId: string, changeId: string, event: string): Promise<string> =>
  encodeBase64url(await sha256(JSON.stringify([streamId, changeId, event])))

async function pollResponse(
  { events, more }: PendingEvents,
  client: ClientRecord,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const sets: Record<string, string> = {}
  for (const { jti, content } of events) {
    const token = await mintSecurityEvent({ jti, content }, client, deps)
    // The transmitter refuses to start with a key ring that does not sign with RS256.
    if (token !== undefined) sets[jti] = token
  }
  return json(200, { sets, ...(more && { moreAvailable: true }) }, noStore)
}

/**
 * Moves the position of the stream behind the first changes whose events are all settled, and remembers the settled events after it.
 * @returns the stream as it is now.
 */
async function acknowledge(
  found: Stream,
  settled: ReadonlySet<string>,
  { request, deps }: { readonly request: ServerRequest; readonly deps: TransmitterDependencies },
): Promise<Stream> {
  const { storage, clock, journal } = deps
  const { webhookId: streamId, stream } = found
  const consumer = streamConsumer(found)
  const cursor = await storage.cursors.read(consumer)
  const now = clock()
  if (cursor !== undefined && now > cursor.readAt + changeRetention)
    journal.record(request, { type: 'stream.gap', streamId, clientId: stream.clientId, since: cursor.readAt })
  const known = new Set([...found.stream.acknowledged, ...settled])
  const page = await storage.changes.list({ after: cursor?.position ?? found.startsAfter, limit: pageSize })
  let position = cursor?.position ?? found.startsAfter
  const left: string[] = []
  let isContiguous = true
  for (const change of page) {
    const ids = await Promise.all(
      eventsOf(change, found.stream).map((event) => jtiOf(found.webhookId, change.changeId, event)),
    )
    isContiguous &&= ids.every((jti) => known.has(jti))
    if (isContiguous) ({ position } = change)
    else left.push(...ids.filter((jti) => known.has(jti)))
  }
  const stored = settled.size === 0 ? found : await storeAcknowledged(found, { left, settled }, deps)
  // Another poll at the same time may have moved the position; then its acknowledgements count, and these are repeated.
  if (cursor === undefined || position > cursor.position || now >= cursor.readAt + refreshEvery)
    await storage.cursors.compareAndSwap({ consumer, position, readAt: now }, cursor?.version ?? 0)
  return stored
}

/** In seconds: how often the time of the last poll is written while the position does not change. */
const refreshEvery = 300

const storeAcknowledged = (
  { webhookId }: Stream,
  { left, settled }: { readonly left: readonly string[]; readonly settled: ReadonlySet<string> },
  { storage }: TransmitterDependencies,
): Promise<Stream> =>
  untilSettled(async () => {
    const before = await storage.webhooks.find(webhookId)
    if (!isStream(before)) throw refuse('stream_unknown')
    const { verification } = before.stream
    const isVerified = verification !== undefined && settled.has(verification.jti)
    const stream = { ...before.stream, acknowledged: left, ...(isVerified && { verification: undefined }) }
    const changed = { ...before, stream }
    const swapped = await storage.webhooks.compareAndSwap(changed, before.version)
    return swapped.outcome === 'swapped' ? { ...changed, version: before.version + 1 } : undefined
  })
