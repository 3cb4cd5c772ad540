import { logoutChannel } from '@mintmark/core/internal'
import type { AdminStorage } from '@mintmark/storage-interface'

import { durationText } from '../command/options.ts'
import { type DoctorTarget, type Finding, fail, ok, warn } from './target.ts'

/** Checks that logout tokens are sent: OIDC Back-Channel Logout 1.0 §2.5. */
export async function checkDeliveries({ storage, metadata, io }: DoctorTarget): Promise<readonly Finding[]> {
  if (storage === undefined || metadata['backchannel_logout_supported'] !== true) return []
  const now = io.clock()
  const { dead, oldestPendingAt } = await storage.deliveries.counts()
  return [
    await workerFinding(storage, now),
    backlogFinding(oldestPendingAt === undefined ? 0 : now - oldestPendingAt),
    dead === 0
      ? ok('delivery.dead', 'No logout token was abandoned in the last month.')
      : warn(
          'delivery.dead',
          `${dead} logout tokens were abandoned.`,
          'List them with mintmark delivery list, and send them again with mintmark delivery requeue.',
        ),
  ]
}

async function workerFinding(storage: AdminStorage, now: number): Promise<Finding> {
  const cursor = await storage.cursors.read(logoutChannel)
  const age = cursor === undefined ? undefined : now - cursor.readAt
  if (age !== undefined && age <= maximumWorkerAge)
    return ok('delivery.worker', 'A worker checked for logout tokens to send in the last 15 minutes.')
  const clients = await storage.clients.list({ after: undefined, limit: 200 })
  if (clients.every(({ backchannelLogoutUri }) => backchannelLogoutUri === undefined))
    return ok('delivery.worker', 'No client has registered a URL for logout tokens.')
  return fail(
    'delivery.worker',
    age === undefined ? 'No worker has ever sent logout tokens.' : `No worker has run for ${durationText(age)}.`,
    'Call server.deliver in a long-running process, or server.deliverOnce every minute: docs/how-to/deliver-logouts-reliably.md.',
  )
}

/** In seconds. A worker records every five minutes that it is running. */
const maximumWorkerAge = 900

const backlogFinding = (age: number): Finding =>
  age <= maximumPendingAge
    ? ok('delivery.backlog', 'No logout token has been pending for more than an hour.')
    : warn(
        'delivery.backlog',
        `The oldest pending logout token is ${durationText(age)} old.`,
        'List the failures with mintmark delivery list --state pending.',
      )

/** In seconds. */
const maximumPendingAge = 3600
