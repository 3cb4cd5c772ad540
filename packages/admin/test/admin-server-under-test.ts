import { matchPatterns } from '@mintmark/internal'
import type { AdminServer } from '../src/http/create-admin-server.ts'
import type { ServerResponse } from '@mintmark/core/http'
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

/** A request of a test. Unless `scopes` says otherwise, it comes from a client with `admin:write`. */
export interface AdminSent {
  readonly method?: string
  /** Below the base, with a leading slash, query included. */
  readonly path: string
  /** The scope values of a client's access token; undefined sends no token. */
  readonly scopes?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown
}

export interface AdminReply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Undefined when there is none. */
  readonly body: JsonObject | undefined
  readonly text: string
}

/** A server over memory storage, without a port. Every response is checked against the schema of its route. */
export interface AdminServerUnderTest {
  readonly server: AdminServer
  readonly storage: AdminStorage
  readonly events: readonly AdminEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  send(sent: AdminSent): Promise<AdminReply>
  /** Everything in storage but the logs, as text. */
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
    dump: () => JSON.stringify({ ...database.tablesOf(issuer), logs: undefined }, plain, 1),
  }
}

/** Expects a refusal: problem details with this reason, an event, and unchanged storage. */
export async function expectRefused(
  under: AdminServerUnderTest,
  sent: AdminSent,
  refused: { status: number; reason: AdminRefusalReason },
): Promise<AdminReply> {
  const before = under.dump()

  const reply = await under.send(sent)

  expect({ sent, status: reply.status, code: reply.body?.['code'] }).toEqual({
    sent,
    status: refused.status,
    code: refused.reason,
  })
  expect(reply.headers.get('content-type')).toBe('application/problem+json')
  expect(under.events.at(-1)).toMatchObject({
    type: 'request.refused',
    status: refused.status,
    reason: refused.reason,
    correlationId: reply.headers.get('x-correlation-id'),
  })
  expect(under.dump()).toBe(before)
  return reply
}

/** A token is the JSON of subject, client and scopes, in base64url. Any other text is not a token. */
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

/** The route that a request reaches. */
function routeOf(method: string, path: string): AdminRoute | undefined {
  const matches = matchPatterns(path.split('?')[0] ?? '', adminRoutes)
  return matches.find(({ pattern }) => pattern.method === (method === 'HEAD' ? 'GET' : method))?.pattern
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}
