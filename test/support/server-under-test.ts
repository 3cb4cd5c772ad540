import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import {
  createAuthorizationServer,
  storedKeys,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type KeyRing,
  type ServerEvent,
} from '@mintmark/core'
import type { Endpoint } from '@mintmark/core/http'
import { epochSeconds, userId, type EpochSeconds, type Storage } from '@mintmark/storage-interface'
import { createMemoryMedium, createMemoryStorage } from '@mintmark/storage-interface/memory'
import express from 'express'

import { dumpMedium } from './dump-medium.ts'
import { registerFixtureClients, type FixtureClients } from './fixture-clients.ts'
import { send, type Reply, type Sent } from './reply.ts'

/** A running server with the attack rows' clients and users: issuer https://as.test, over Express on a free port. */
export interface ServerUnderTest {
  readonly issuer: string
  readonly port: number
  readonly server: AuthorizationServer
  readonly storage: Storage
  readonly keys: KeyRing
  readonly clients: FixtureClients
  /** Every event so far. */
  readonly events: readonly ServerEvent[]
  /** The reason of the last refusal; `undefined` when nothing was refused. */
  lastReason(): string | undefined
  /** The server's time; `advance` moves it. */
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  /** Everything that is stored, as text: equal before and after means that nothing changed. */
  dump(): string
  send(sent: Sent): Promise<Reply>
  close(): Promise<void>
}

const issuer = 'https://as.test'
const sealingKey = Buffer.alloc(32, 7).toString('base64url')

/** The claims of U1, one of each kind. */
export const claimsOfU1 = {
  name: 'Ann Lee',
  given_name: 'Ann',
  family_name: 'Lee',
  nickname: 'annie',
  locale: 'en-GB',
  updated_at: 1_700_000_000,
  email: 'ann@example.test',
  email_verified: true,
  address: { formatted: '1 High Street', country: 'GB' },
  phone_number: '+44 20 7946 0000',
  phone_number_verified: false,
}

export async function startServer(options: Partial<AuthorizationServerOptions> = {}): Promise<ServerUnderTest> {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const medium = createMemoryMedium()
  const storage = options.storage ?? createMemoryStorage({ issuer, medium })
  const keys = options.keys ?? storedKeys({ storage, sealingKey, clock: clock.now })
  const events: ServerEvent[] = []
  const clients = await registerFixtureClients(storage)
  await insertUsers(storage, clock.now())

  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    clock: clock.now,
    scopes: { 'api.read': 'Read the API', 'api.write': 'Write to the API' },
    resources: { 'https://api.test': { scopes: ['api.read', 'api.write'] } },
    dangerouslyAllowMissingPkceFor: ['X'],
    signedIn: (request) => Promise.resolve(hostSession(request.headers.get('cookie'))),
    onEvent: (event) => void events.push(event),
    ...options,
  })

  const app = express().use(toExpress(server))
  for (const path of ['/login', '/consent']) app.all(path, toExpressEndpoint(server, hostPage(server)))
  const listener = createServer(app)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  // The keys exist before a test looks at storage.
  await keys.publicKeys()

  return {
    issuer,
    port,
    server,
    storage,
    keys,
    clients,
    events,
    clock,
    lastReason: () => events.findLast((event) => event.type === 'request.refused')?.reason,
    dump: () => dumpMedium(medium, issuer),
    send: (sent) => send(port, sent),
    close: () => new Promise((resolve, reject) => listener.close((error) => (error ? reject(error) : resolve()))),
  }
}

/** The host's own session: the cookie `host=<user>.<seconds of authentication>` says who signed in, and when. */
function hostSession(cookie: string | undefined) {
  const match = /(?:^|; )host=([^.;]+)\.(\d+)(?:\.([\w:]+))?/.exec(cookie ?? '')
  if (match?.[1] === undefined) return undefined
  return { subject: match[1], authTime: Number(match[2]), amr: ['pwd'], acr: match[3], sessionId: `sid-${match[1]}` }
}

/**
 * The host's login and consent page, answered from the form: `subject` signs in (`auth_time`, `acr` optional), `scope`
 * values consent, `deny` refuses. A GET shows the pending interaction as JSON.
 */
const hostPage =
  (server: AuthorizationServer): Endpoint =>
  async (request) => {
    try {
      const pending = await server.interaction(request)
      if (request.method === 'GET') return { status: 200, headers: [['Content-Type', 'application/json']], body: JSON.stringify(pending) }

      const form = new URLSearchParams(Buffer.from(request.body).toString())
      if (form.has('deny')) return await pending.deny()
      const subject = form.get('subject')
      const signIn = subject === null ? {} : { subject, authTime: Number(form.get('auth_time')), amr: ['pwd'], acr: form.get('acr') ?? undefined }
      const consent = form.has('scope') ? { grantedScopes: form.getAll('scope') } : {}
      return await pending.complete({ ...signIn, ...consent })
    } catch (error) {
      return server.renderError(error, request)
    }
  }

async function insertUsers(storage: Storage, now: EpochSeconds): Promise<void> {
  for (const id of ['U1', 'U2', 'U3']) await storage.users.insert({ userId: userId(id), claims: claimsOfU1, createdAt: now })
  await storage.users.deactivate(userId('U2'), now)
  await storage.users.remove(userId('U3'), now)
}
