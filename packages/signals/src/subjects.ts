import { userOfSubject, verificationDelivery, verificationEvent } from '@mintmark/core/internal'
import {
  isJsonObject,
  json,
  noStore,
  randomIdentifier,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import { type JsonObject, userId, type UserId } from '@mintmark/storage-interface'

import { changeStored, recordChange, streamInBody } from './own-stream.ts'
import { refuse } from './refusals.ts'
import { minVerificationInterval, readText } from './stream-configuration.ts'
import { noContent } from './streams.ts'
import { readBody, type Receiver, type TransmitterDependencies } from './transmitter-context.ts'

/** Adds a subject that was left out, or leaves one out (SSF 1.0 §8.1.3). Streams begin with all subjects. */
export async function changeSubjects(
  request: ServerRequest,
  receiver: Receiver,
  { isAdded, deps }: { readonly isAdded: boolean; readonly deps: TransmitterDependencies },
): Promise<ServerResponse> {
  const body = readBody(request)
  const { webhookId } = await streamInBody(body, receiver, deps)
  const user = await userOf(body['subject'], receiver, deps)
  // A subject that does not exist has no events, so adding it changes nothing.
  if (user === undefined && !isAdded) throw refuse('subject_unknown')
  if (user !== undefined) {
    const changed = await changeStored(
      { id: webhookId, receiver },
      (found) => {
        const others = found.stream.removedUserIds.filter((each) => each !== user)
        if (!isAdded && others.length >= maxRemoved) throw refuse('subjects_too_many')
        return { ...found, stream: { ...found.stream, removedUserIds: isAdded ? others : [...others, user] } }
      },
      deps,
    )
    recordChange(request, changed, deps)
  }
  return isAdded ? json(200, {}, noStore) : noContent
}

const maxRemoved = 1000

/** Finds the user whom a subject identifies: by `sub` at this receiver. Other formats are valid, and identify nobody here. */
async function userOf(
  subject: JsonObject[string] | undefined,
  { client }: Receiver,
  { issuer, storage }: TransmitterDependencies,
): Promise<UserId | undefined> {
  if (!isJsonObject(subject) || typeof subject['format'] !== 'string') throw refuse('subject_invalid')
  const { format, iss, sub } = subject
  if (format !== 'iss_sub' || iss !== issuer || typeof sub !== 'string') return undefined
  const id = await userOfSubject(sub, client, storage)
  return id === undefined ? undefined : (await storage.users.find(userId(id)))?.userId
}

/** Sends a verification event (SSF 1.0 §8.1.4.2). */
export async function verify(
  request: ServerRequest,
  receiver: Receiver,
  deps: TransmitterDependencies,
): Promise<ServerResponse> {
  const body = readBody(request)
  const { state } = body
  const text = state === undefined ? undefined : readText(state, { member: 'state', maxLength: 1024 })
  const now = deps.clock()
  const { webhookId } = await streamInBody(body, receiver, deps)
  const jti = randomIdentifier(deps.random)
  const { stream } = await changeStored(
    { id: webhookId, receiver },
    (found) => {
      const { verifiedAt, delivery } = found.stream
      if (verifiedAt !== undefined && now < verifiedAt + minVerificationInterval)
        throw refuse('verified_too_often', { retryAfter: verifiedAt + minVerificationInterval - now })
      const verification = delivery === 'poll' ? { jti, state: text } : undefined
      return { ...found, stream: { ...found.stream, verifiedAt: now, verification } }
    },
    deps,
  )
  if (stream.delivery === 'push') {
    const content = { event: verificationEvent, streamId: webhookId, ...(text !== undefined && { state: text }) }
    const position = await deps.storage.changes.lastPosition()
    await deps.storage.deliveries.enqueue([verificationDelivery({ jti, webhookId, content, position, now })])
  }
  return noContent
}
