import { createServer, type Server } from 'node:http'
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

/** A running server with the attack rows' clients and users, over Express on a free port of 127.0.0.1. */
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
  readonly clock: { readonly now: () => EpochSeconds; readonly advance: (seconds: number) => void }
  /** Everything that is stored, as text: equal before and after means that nothing changed. */
  dump(): string
  send(sent: Sent): Promise<Reply>
  close(): Promise<void>
}

const sealingKey = Buffer.alloc(32, 7).toString('base64url')

/** The claims of U1, one of each kind. */
const claimsOfU1 = {
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

type ServerOptions = Partial<AuthorizationServerOptions>

/** The server of the attack rows: issuer https://as.test unless the options say another, at a fixed time. */
export async function startServer(options: ServerOptions = {}): Promise<ServerUnderTest> {
  return start(createServer(), { issuer: options.issuer ?? 'https://as.test', now: 1_790_000_000 }, options)
}

/** The same server as others' software needs it: the issuer is the address that it listens on, and the time is the real one. */
export async function startLoopbackServer(options: Omit<ServerOptions, 'issuer'> = {}): Promise<ServerUnderTest> {
  const listener = createServer()
  return start(listener, { issuer: `http://127.0.0.1:${await listen(listener)}`, now: Math.floor(Date.now() / 1000) }, options)
}

async function start(
  listener: Server,
  { issuer, now: startedAt }: { readonly issuer: string; readonly now: number },
  options: ServerOptions,
): Promise<ServerUnderTest> {
  let now = startedAt
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
  for (const page of ['login', 'consent']) app.all(new URL(`${issuer}/${page}`).pathname, toExpressEndpoint(server, hostPage(server)))
  listener.on('request', app)
  const port = listener.listening ? (listener.address() as AddressInfo).port : await listen(listener)
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

async function listen(listener: Server): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return (listener.address() as AddressInfo).port
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
