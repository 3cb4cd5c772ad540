import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createAdministration } from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { epochSeconds } from '@mintmark/storage-interface'

import type { CrashPoint } from '../processes/server-config.ts'
import type { ProcessSite } from '../processes/test-database.ts'
import { deliverAndDie, deliveryOptions, drain } from './kill-deliveries.ts'

/** Twenty points: before and after each storage call that turns a change into a message or sends the message. */
export const webhookPoints: readonly CrashPoint[] = [
  'webhooks.list',
  'cursors.read',
  'changes.list',
  'deliveries.enqueue',
  'cursors.compareAndSwap',
  'deliveries.lease',
  'webhooks.find',
  'users.find',
  'deliveries.settle',
  'deliveries.nextDueAt',
].flatMap((call) => [
  { when: 'before', call },
  { when: 'after', call },
])

/**
 * For each point: changes users, starts a process that sends the webhooks and is killed (SIGKILL) at this point, and
 * lets another server send the rest.
 * @returns how many messages were expected, how many arrived more than once, and which were lost or out of order.
 */
export async function killWebhooks(
  { database, storage }: ProcessSite,
  points: readonly CrashPoint[],
): Promise<{ readonly expected: number; readonly repeated: number; readonly violations: readonly string[] }> {
  const receiver = await startReceiver()
  const keys = createStoredKeys({
    storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    algorithms: ['ES256'],
  })
  const survivor = createAuthorizationServer({
    ...deliveryOptions(receiver.port),
    backChannelLogout: false,
    storage,
    keys,
    // 31 seconds ahead, so that the leases of a killed process have expired.
    clock: () => epochSeconds(Date.now() / 1000 + 31),
  })
  const { users, webhooks } = createAdministration({ storage, keys }).as({ kind: 'host', id: 'chaos' })
  const { webhook } = await webhooks.create({
    url: 'https://host.test/hooks',
    types: expectedTypes,
    includesUser: true,
  })
  const violations: string[] = []
  let repeated = 0

  for (const [index, crash] of points.entries()) {
    const ids = ['a', 'b', 'c'].map((name) => `${name}-${crash.when}-${crash.call}-${index}-${Date.now()}`)
    for (const id of ids) await users.create({ userId: id, claims: { name: 'Ann' } })
    for (const id of ids) await users.update({ userId: id }, { claims: { name: 'Anna' } })
    for (const id of ids) await users.deactivate(id)
    const name = `${crash.when} ${crash.call}`
    const signal = await deliverAndDie({ database, crash, port: receiver.port, deliversOnlyWebhooks: true })
    if (signal !== 'SIGKILL') violations.push(`${name}: the process did not die`)
    await drain(survivor)
    for (const id of ids) {
      const types = receiver.typesOf(id)
      repeated += types.length - new Set(types).size
      violations.push(...findFaults(types).map((fault) => `${name}: ${fault}: ${types.join(' ')}`))
    }
  }
  const left = await storage.deliveries.counts()
  if (left.pending + left.dead > 0) violations.push(`${left.pending} deliveries are pending and ${left.dead} dead`)
  await webhooks.remove(webhook.webhookId)
  await receiver.close()
  return { expected: points.length * 3 * expectedTypes.length, repeated, violations }
}

/** The changes of one user, in their order. */
const expectedTypes = ['user.created', 'user.changed', 'user.deactivated'] as const

/** A message may arrive again, but only before the next message about the same user. */
function findFaults(types: readonly string[]): readonly string[] {
  const positions = types.map((type) => expectedTypes.findIndex((expected) => expected === type))
  const isLost = expectedTypes.some((type) => !types.includes(type))
  const isDisordered = positions.some((position, at) => position < (positions[at - 1] ?? 0))
  return [...(isLost ? ['a message was lost'] : []), ...(isDisordered ? ['messages arrived out of order'] : [])]
}

/** Accepts messages and keeps their types by user. */
async function startReceiver() {
  const received = new Map<string, string[]>()
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { type, data } = JSON.parse(body) as { readonly type: string; readonly data: { readonly user_id: string } }
    const types = received.get(data.user_id) ?? []
    received.set(data.user_id, [...types, type])
    response.writeHead(204).end()
  }
  const listener = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    typesOf: (id: string): readonly string[] => received.get(id) ?? [],
    close: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}
