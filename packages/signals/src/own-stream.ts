import type { ServerRequest } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import { refuse } from './refusals.ts'
import { isStream, type Stream, streamView } from './stream-configuration.ts'
import type { Receiver, TransmitterDependencies } from './transmitter-context.ts'

export const streamInQuery = (
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<Stream> => ownStream(request.url.searchParams.get('stream_id') ?? '', receiver, deps)

export const streamInBody = (body: JsonObject, receiver: Receiver, deps: TransmitterDependencies): Promise<Stream> => {
  const { stream_id: id } = body
  if (typeof id !== 'string') throw refuse('configuration_invalid', { member: 'stream_id' })
  return ownStream(id, receiver, deps)
}

/** @throws SignalError `stream_unknown`, for a stream of another receiver as well. */
export async function ownStream(
  id: string,
  { client }: Receiver,
  { storage }: Pick<TransmitterDependencies, 'storage'>,
): Promise<Stream> {
  const found = id === '' || id.length > 200 ? undefined : await storage.webhooks.find(id)
  if (!isStream(found) || found.stream.clientId !== client.clientId) throw refuse('stream_unknown')
  return found
}

export const streamsOf = async (
  { client }: Receiver,
  { storage }: TransmitterDependencies,
): Promise<readonly Stream[]> =>
  (await storage.webhooks.list()).filter(isStream).filter(({ stream }) => stream.clientId === client.clientId)

/** Changes a stream in one compare-and-swap. */
export const changeStored = (
  { id, receiver }: { readonly id: string; readonly receiver: Receiver },
  change: (stream: Stream) => Stream,
  deps: TransmitterDependencies,
): Promise<Stream> =>
  untilSettled(async () => {
    const before = await ownStream(id, receiver, deps)
    const changed = { ...change(before), updatedAt: deps.clock() }
    const swapped = await deps.storage.webhooks.compareAndSwap(changed, before.version)
    return swapped.outcome === 'swapped' ? { ...changed, version: before.version + 1 } : undefined
  })

export const recordChange = (
  request: ServerRequest,
  { webhookId, stream }: Stream,
  deps: TransmitterDependencies,
): void => deps.journal.record(request, { type: 'stream.changed', streamId: webhookId, clientId: stream.clientId })

export const viewOf = (stream: Stream, { issuer, pollPath }: TransmitterDependencies): JsonObject =>
  streamView(stream, { issuer, pollUrl: new URL(issuer).origin + pollPath + encodeURIComponent(stream.webhookId) })
