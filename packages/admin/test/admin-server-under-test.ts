import { matchPatterns } from '@mintmark/internal'
import type { AdminServer } from '../src/http/create-admin-server.ts'
import { createStoredKeys } from '@mintmark/core'
import type { ServerResponse } from '@mintmark/core/http'
import { createProvisioning } from '@mintmark/provisioning'
import {
  clientId,
  epochSeconds,
  type EpochSeconds,
  type JsonObject,
  type AdminStorage,
} from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect } from 'vitest'

import { createAdminServer, type AdminEvent, type AdminRefusalReason, type AdminServerOptions } from '../src/index.ts'
import type { AdminRoute } from '../src/http/admin-route.ts'
import { adminRoutes } from '../src/http/admin-routes.ts'
import { sortedJson } from './admin-under-test.ts'

/** A request of a test. By default a client with `admin:write` sends it. */
export interface AdminSent {
  readonly method?: string
  /** The path below the base URL, with a leading slash, including the query. */
  readonly path: string
  /** The scope values of a client's access token; undefined sends no token. */
  readonly scopes?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

export interface AdminReply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Undefined when there is none. */
  readonly body: JsonObject | undefined
  readonly text: string
}

/** A server with memory storage, without a port. Every response is checked against the schema of its route. */
export interface AdminServerUnderTest {
  readonly server: AdminServer
  readonly storage: AdminStorage
  readonly events: readonly AdminEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  send(sent: AdminSent): Promise<AdminReply>
  /** Returns everything in storage except the logs, as text. */
  dump(): string
}

export const issuer = 'https://as.test'
export const base = `${issuer}/admin/v1`

export function startAdminServer(options: Partial<AdminServerOptions> = {}): AdminServerUnderTest {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const database = createMemoryDatabase()
  const storage = options.storage ?? createMemoryStorage({ issuer, database })
  const events: AdminEvent[] = []
  const server = createAdminServer({
    issuer,
    storage,
    clock: () => clock.now(),
    onEvent: (event) => void events.push(event),
    accessTokens: { accessToken: async (token) => tokenOf(token) },
    provisioning: createProvisioning({
      storage,
      keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43), clock: () => clock.now() }),
      clock: () => clock.now(),
    }),
    ...options,
  })
  return {
    server,
    storage,
    events,
    clock,
    send: async (sent) => {
      const reply = readReply(await server.handle(requestOf(sent)))
      expectDocumented(sent, reply)
      return reply
    },
    dump: () => JSON.stringify({ ...database.tablesOf(issuer), logs: undefined }, sortedJson, 1),
  }
}

/** Expects a refusal: problem details with the reason, an event, and unchanged storage. */
export async function expectRefused(
  system: AdminServerUnderTest,
  sent: AdminSent,
  expected: { status: number; reason: AdminRefusalReason },
): Promise<AdminReply> {
  const before = system.dump()

  const reply = await system.send(sent)

  expect({ sent, status: reply.status, code: reply.body?.['code'] }).toEqual({
    sent,
    status: expected.status,
    code: expected.reason,
  })
  expect(reply.headers.get('content-type')).toBe('application/problem+json')
  expect(system.events.at(-1)).toMatchObject({
    type: 'request.refused',
    status: expected.status,
    reason: expected.reason,
    correlationId: reply.headers.get('x-correlation-id'),
  })
  expect(system.dump()).toBe(before)
  return reply
}

/** Creates a token: the JSON of subject, client and scopes, in base64url. */
export const tokenFor = (subject: string, scopes: string, client = subject): string =>
  Buffer.from(JSON.stringify([subject, client, scopes])).toString('base64url')

function tokenOf(token: string) {
  try {
    const [subject, client, scopes] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [string, string, string]
    return { subject, clientId: clientId(client), scopes: scopes.split(' '), expiresAt: epochSeconds(2_000_000_000) }
  } catch {
    return undefined
  }
}

function requestOf({ method = 'GET', path, headers = {}, body, ...sent }: AdminSent) {
  const scopes = 'scopes' in sent ? sent.scopes : 'admin:write'
  const all = new Map(Object.entries({ 'content-type': 'application/json', ...headers }))
  if (scopes !== undefined && !all.has('authorization')) all.set('authorization', `Bearer ${tokenFor('ops', scopes)}`)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    method,
    url: new URL(base + path),
    headers: all,
    repeatedHeaders: new Set<string>(),
    host: undefined,
    body: body === undefined ? new Uint8Array() : new TextEncoder().encode(text),
  }
}

function readReply({ status, headers, body }: ServerResponse): AdminReply {
  const text = typeof body === 'string' ? body : ''
  return {
    status,
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: text === '' ? undefined : (JSON.parse(text) as JsonObject),
    text,
  }
}

/** Checks that a successful response has the status and the schema of its route. */
function expectDocumented({ method = 'GET', path }: AdminSent, { status, body }: AdminReply): void {
  expect(status).toBeLessThan(500)
  if (status >= 300) return
  const route = routeOf(method, path)
  if (route === undefined || method === 'HEAD') return
  expect(status).toBe(route.status)
  expect(route.answer === undefined ? body : route.answer.safeParse(body).error).toBeUndefined()
}

/** Returns the route that a request reaches. */
function routeOf(method: string, path: string): AdminRoute | undefined {
  const matches = matchPatterns(path.split('?')[0] ?? '', adminRoutes)
  return matches.find(({ pattern }) => pattern.method === (method === 'HEAD' ? 'GET' : method))?.pattern
}
