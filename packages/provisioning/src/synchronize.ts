import { deliveryTo, newDeliveryId, streamConsumer } from '@mintmark/core/internal'
import { encodeBase64url, randomIdentifier, sha256, type Random } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { NewDelivery } from '@mintmark/storage-interface/stores'

import { allUsers, selectedGroups } from './local-lists.ts'
import { desiredUser, type LocalDependencies } from './local-resources.ts'
import { selectionOf, type Target } from './targets.ts'

/** How many messages were enqueued. */
export interface SynchronizationReport {
  readonly users: number
  readonly groups: number
}

/**
 * Enqueues a message for each user and each group that a target selects. The worker sends them like those of changes: what
 * the partner has already costs a search. If it is interrupted, call it again.
 */
export async function synchronizeTarget(
  target: Target,
  now: EpochSeconds,
  deps: LocalDependencies & { readonly random: Random },
): Promise<SynchronizationReport> {
  const { storage, random } = deps
  const selection = selectionOf(target)
  const run = randomIdentifier(random)
  // Changes that are recorded from now on have later positions.
  const position = await storage.changes.lastPosition()
  let waiting: NewDelivery[] = []
  const enqueue = async (subject: { readonly userId: string | null; readonly groupId: string | null }) => {
    waiting.push(await toDelivery(subject))
    if (waiting.length < batch) return
    await storage.deliveries.enqueue(waiting)
    waiting = []
  }
  const toDelivery = async (subject: { readonly userId: string | null; readonly groupId: string | null }) => {
    const name = subject.groupId ?? subject.userId ?? ''
    const content = { ...subject, isComplete: true }
    return {
      ...deliveryTo(target.webhookId, content, now),
      deliveryId: newDeliveryId(now, random),
      dedupeKey: encodeBase64url(await sha256(JSON.stringify([streamConsumer(target), run, name]))),
      lane: `${target.webhookId} ${name}`,
      // Before the messages of later changes of the same user or group.
      sequence: (position + 1) * 8 - 1,
    }
  }

  let users = 0
  for await (const user of allUsers(storage)) {
    if ((await desiredUser(user, selection, deps)) === undefined) continue
    users += 1
    await enqueue({ userId: user.userId, groupId: null })
  }
  let groups = 0
  for await (const group of selectedGroups(selection, storage)) {
    groups += 1
    await enqueue({ userId: null, groupId: group.groupId })
  }
  if (waiting.length > 0) await storage.deliveries.enqueue(waiting)
  return { users, groups }
}

const batch = 100
