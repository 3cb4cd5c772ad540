import { sealWebhookSecret, streamConsumer } from '@mintmark/core/internal'
import {
  encodeBase64url,
  isStorable,
  json,
  noStore,
  type ServerRequest,
  type ServerResponse,
  sha256,
} from '@mintmark/internal'

import { changeStored, recordChange, streamInBody, streamInQuery, streamsOf, viewOf } from './own-stream.ts'
import { refuse } from './refusals.ts'
import { isStream, readChoices, refuseNoChange, refuseOtherIdentity, type Stream } from './stream-configuration.ts'
import { readBody, type Receiver, type TransmitterDependencies } from './transmitter-context.ts'

/** Reads the configuration of the stream in the query, or of all streams of the receiver (SSF 1.0 §8.1.1.2). */
export async function readStreams(
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  if (request.url.searchParams.has('stream_id'))
    return json(200, viewOf(await streamInQuery(request, receiver, deps), deps), noStore)
  return json(
    200,
    (await streamsOf(receiver, deps)).map((stream) => viewOf(stream, deps)),
    noStore,
  )
}

export async function createStream(
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const { storage, clock, journal } = deps
  const choices = readChoices(readBody(request), deps.allowedOrigins)
  const { clientId } = receiver.client
  const all = (await storage.webhooks.list()).filter(isStream)
  if (all.some(({ stream }) => stream.clientId === clientId)) throw refuse('stream_exists')
  if (all.length >= maxStreams) throw refuse('too_many_streams')
  const now = clock()
  const { delivery = { kind: 'poll' } } = choices
  // One stream for each receiver: of two requests at once, one creates it.
  const webhookId = `stream-${encodeBase64url(await sha256(clientId)).slice(0, 22)}`
  await beginAt(webhookId, deps)
  const record: Stream = {
    webhookId,
    ...(await storedDelivery(delivery, webhookId, deps)),
    types: [],
    includesUser: false,
    startsAfter: await storage.changes.lastPosition(),
    replays: 0,
    target: undefined,
    stream: {
      clientId,
      delivery: delivery.kind,
      eventsRequested: choices.eventsRequested ?? [],
      description: choices.description,
      status: 'enabled',
      statusReason: undefined,
      removedUserIds: [],
      acknowledged: [],
      verification: undefined,
      verifiedAt: undefined,
    },
    disabledAt: undefined,
    createdAt: now,
    updatedAt: now,
    version: 1,
  }
  const { outcome } = await storage.webhooks.insert(record)
  if (outcome === 'taken') throw refuse('stream_exists')
  journal.record(request, { type: 'stream.created', streamId: webhookId, clientId })
  return json(201, viewOf(record, deps), noStore)
}

/** Moves the position that an earlier stream of the receiver left to the last change. */
async function beginAt(webhookId: string, { storage, clock }: TransmitterDependencies): Promise<void> {
  const consumer = streamConsumer({ webhookId, replays: 0 })
  const cursor = await storage.cursors.read(consumer)
  if (cursor === undefined) return
  const position = await storage.changes.lastPosition()
  await storage.cursors.compareAndSwap({ consumer, position, readAt: clock() }, cursor.version)
}

/** Every change is read for each stream. */
const maxStreams = 100

/** Returns the columns that say where events are sent, with the receiver's credential sealed. */
async function storedDelivery(
  delivery: NonNullable<ReturnType<typeof readChoices>['delivery']>,
  webhookId: string,
  { issuer, keys, random }: TransmitterDependencies,
): Promise<Pick<Stream, 'url' | 'secrets'>> {
  if (delivery.kind === 'poll') return { url: '', secrets: [] }
  const { url, authorization } = delivery
  const secrets =
    authorization === undefined ? [] : [await sealWebhookSecret(authorization, { issuer, webhookId }, { keys, random })]
  return { url, secrets }
}

/** PATCH changes the members that were sent; PUT replaces the rest by its defaults (SSF 1.0 §8.1.1.3, §8.1.1.4). */
export async function changeStream(
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const body = readBody(request)
  const choices = readChoices(body, deps.allowedOrigins)
  const before = await streamInBody(body, receiver, deps)
  refuseOtherIdentity(body, viewOf(before, deps))
  // A PUT without them sets their defaults.
  if (request.method === 'PATCH') refuseNoChange(body)
  const delivery = choices.delivery ?? (request.method === 'PUT' ? { kind: 'poll' as const } : undefined)
  const stored = delivery && (await storedDelivery(delivery, before.webhookId, deps))
  const isWhole = request.method === 'PUT'
  const changed = await changeStored(
    { id: before.webhookId, receiver },
    (found) => ({
      ...found,
      ...stored,
      stream: {
        ...found.stream,
        delivery: delivery?.kind ?? found.stream.delivery,
        eventsRequested: choices.eventsRequested ?? (isWhole ? [] : found.stream.eventsRequested),
        description: choices.description ?? (isWhole ? undefined : found.stream.description),
      },
    }),
    deps,
  )
  recordChange(request, changed, deps)
  return json(200, viewOf(changed, deps), noStore)
}

export async function removeStream(
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const { webhookId, stream } = await streamInQuery(request, receiver, deps)
  await deps.storage.webhooks.remove(webhookId)
  deps.journal.record(request, { type: 'stream.removed', streamId: webhookId, clientId: stream.clientId })
  return noContent
}

export const noContent: ServerResponse = { status: 204, headers: [...noStore], body: undefined }

export async function changeStatus(
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const body = readBody(request)
  const { status, reason } = body
  const isReason = reason === undefined || (typeof reason === 'string' && reason.length <= 1000 && isStorable(reason))
  if ((status !== 'enabled' && status !== 'paused' && status !== 'disabled') || !isReason)
    throw refuse('status_invalid')
  const { webhookId, stream } = await streamInBody(body, receiver, deps)
  const now = deps.clock()
  // A disabled stream is sent nothing that happens until it is enabled again, a paused one everything.
  if (status === 'enabled' && stream.status === 'disabled') await beginAt(webhookId, deps)
  const changed = await changeStored(
    { id: webhookId, receiver },
    (found) => ({
      ...found,
      disabledAt: status === 'disabled' ? (found.disabledAt ?? now) : undefined,
      stream: {
        ...found.stream,
        status,
        statusReason: typeof reason === 'string' ? reason : undefined,
        verification: status === 'disabled' ? undefined : found.stream.verification,
      },
    }),
    deps,
  )
  recordChange(request, changed, deps)
  return statusResponse(changed)
}

export const statusResponse = ({ webhookId, stream: { status, statusReason } }: Stream): ServerResponse =>
  json(200, { stream_id: webhookId, status, ...(statusReason !== undefined && { reason: statusReason }) }, noStore)
