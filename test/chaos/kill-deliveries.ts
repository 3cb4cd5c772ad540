import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { clientId, epochSeconds, sessionId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { decodeJwt } from 'jose'

import { issuer, type CrashPoint, type DatabaseAddress } from '../processes/server-config.ts'
import type { ProcessSite } from '../processes/test-database.ts'

/** The configuration of a delivering process. */
export interface DeliveryConfig {
  readonly database: DatabaseAddress
  readonly crash: CrashPoint
  /** The port of the receiver. */
  readonly port: number
  /** Whether the process delivers webhooks and no logout tokens. */
  readonly deliversOnlyWebhooks: boolean
}

/** Twenty points: before and after each storage call of a delivery. */
export const deliveryPoints: readonly CrashPoint[] = [
  'cursors.read',
  'revocations.list',
  'sessions.participants',
  'sessions.find',
  'deliveries.enqueue',
  'cursors.compareAndSwap',
  'deliveries.lease',
  'clients.find',
  'deliveries.settle',
  'deliveries.nextDueAt',
].flatMap((call) => [
  { when: 'before', call },
  { when: 'after', call },
])

/** Returns the options of every delivering server. Its `fetch` sends all requests to the receiver. */
export const deliveryOptions = (port: number) => ({
  issuer,
  signedIn: () => Promise.resolve(undefined),
  purge: false as const,
  // Nothing is sent before the process that will be killed.
  backChannelLogout: { afterRequests: false } as const,
  onEvent: () => {},
  fetch: (_url: unknown, init?: RequestInit) => fetch(`http://127.0.0.1:${port}/`, init),
})

/**
 * For each point: revokes a session, starts a process that delivers its logout tokens and is killed (SIGKILL) at this
 * point, and lets another server deliver the rest.
 * @returns how many tokens were expected, how many arrived more than once, and which were lost.
 */
export async function killDeliveries(
  { database, storage }: ProcessSite,
  points: readonly CrashPoint[],
): Promise<{ readonly expected: number; readonly repeated: number; readonly violations: readonly string[] }> {
  const receiver = await startReceiver()
  const sealingKey = Buffer.alloc(32, 7).toString('base64url')
  const survivor = createAuthorizationServer({
    ...deliveryOptions(receiver.port),
    storage,
    keys: createStoredKeys({ storage, sealingKey, algorithms: ['ES256'] }),
    // 31 seconds ahead, so that the leases of a killed process have expired.
    clock: () => epochSeconds(Date.now() / 1000 + 31),
  })
  for (const id of clients) await storage.clients.insert(clientOf(id))
  const violations: string[] = []
  let repeated = 0

  for (const [index, crash] of points.entries()) {
    const session = `${crash.when}-${crash.call}-${index}-${Date.now()}`
    await revokeSession(session, storage)
    const signal = await deliverAndDie({ database, crash, port: receiver.port, deliversOnlyWebhooks: false })
    const name = `${crash.when} ${crash.call}`
    if (signal !== 'SIGKILL') violations.push(`${name}: the process did not die`)
    await drain(survivor)
    for (const client of clients) {
      const count = receiver.count(session, client)
      if (count === 0) violations.push(`${name}: a logout token was lost`)
      if (count > 1) repeated += 1
    }
  }
  const left = await storage.deliveries.counts()
  if (left.pending + left.dead > 0) violations.push(`${left.pending} deliveries are pending and ${left.dead} dead`)
  await receiver.close()
  return { expected: points.length * clients.length, repeated, violations }
}

const clients = ['rp-1', 'rp-2', 'rp-3']

const clientOf = (id: string) =>
  aClientRecord({
    clientId: clientId(id),
    backchannelLogoutUri: `https://${id}.test/logout`,
    idTokenSignedResponseAlg: 'ES256',
  })

async function revokeSession(id: string, storage: AdminStorage): Promise<void> {
  const now = epochSeconds(Date.now() / 1000)
  const session = {
    sessionId: sessionId(id),
    userId: userId('U1'),
    userGeneration: 0,
    authTime: now,
    acr: undefined,
    amr: [],
    userAgent: undefined,
    location: undefined,
    keptUntil: epochSeconds(now + 86_400),
  }
  for (const client of clients) await storage.sessions.join({ session, clientId: clientId(client), now })
  await storage.sessions.revoke({ sessionId: sessionId(id), reason: 'user', now, tombstoneUntil: undefined })
}

/** Starts a process that delivers until it dies. @returns the signal that ended it. */
export async function deliverAndDie(config: DeliveryConfig): Promise<string | null> {
  const script = fileURLToPath(new URL('delivery-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@mintmark/source', script, JSON.stringify(config)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
    },
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal
}

/** Delivers until nothing is due. */
export async function drain(server: ReturnType<typeof createAuthorizationServer>): Promise<void> {
  let report = await server.deliverOnce()
  while (report.delivered > 0 || report.more) report = await server.deliverOnce()
}

/** Accepts logout tokens and counts them by session and client. */
async function startReceiver() {
  const counts = new Map<string, number>()
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { sid, aud } = decodeJwt(new URLSearchParams(body).get('logout_token') ?? '')
    const key = `${String(sid)} ${String(aud)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    response.writeHead(204).end()
  }
  const listener = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    count: (session: string, client: string) => counts.get(`${session} ${client}`) ?? 0,
    close: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}
