import { createAdminServer, type AdminEvent } from '@mintmark/admin'
import type { ServerResponse } from '@mintmark/core/http'
import { epochSeconds, type AdminStorage, type JsonObject } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

import { createConsole, type ConsoleEvent } from '../src/index.ts'

export const issuer = 'https://as.test'

/** A console over memory storage. The cookie of a request contains the scope values of the administrator. */
export interface ConsoleUnderTest {
  readonly storage: AdminStorage
  readonly events: readonly ConsoleEvent[]
  readonly adminEvents: readonly AdminEvent[]
  readonly clock: { now(): number }
  /** Sends a request to the administration API. */
  admin(method: string, path: string, body?: JsonObject): Promise<JsonObject>
  open(path: string, visitor?: Visitor): Promise<ShownPage>
  /** Posts a form as the browser does: from a page of the console. */
  post(path: string, fields: Fields, visitor?: Visitor): Promise<ShownPage>
  /** Returns everything in storage except the logs, as text. */
  dump(): string
}

type Fields = readonly (readonly [name: string, value: string])[]

export interface Visitor {
  /** The scope values of the administrator; undefined for a visitor who is not signed in. */
  readonly scopes?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface ShownPage {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** The path and query to which the response redirects. */
  readonly location: string | undefined
}

export function startConsole(options: Partial<Parameters<typeof createConsole>[0]> = {}): ConsoleUnderTest {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const events: ConsoleEvent[] = []
  const adminEvents: AdminEvent[] = []
  let now = 1_790_000_000
  const admin = createAdminServer({
    issuer,
    storage,
    keys: { algorithms: ['ES256'], list: () => Promise.resolve([]) },
    clock: () => epochSeconds(now),
    onEvent: (event) => void adminEvents.push(event),
    authorize: async ({ headers }) => {
      const cookie = headers.get('cookie')
      if (cookie?.startsWith('scopes=') !== true) return undefined
      const scopes = cookie.slice('scopes='.length).split('+').filter(isScope)
      return { actor: { kind: 'person', id: 'ada' }, scopes, name: 'Ada Lovelace' }
    },
  })
  const service = createConsole({ admin, onEvent: (event) => void events.push(event), ...options })
  const send = async (method: string, path: string, { scopes, headers = {} }: Visitor, body = '') => {
    const cookie = scopes === undefined ? {} : { cookie: `scopes=${scopes.replaceAll(' ', '+')}` }
    return readPage(
      await service.handle({
        method,
        url: new URL(issuer + path),
        headers: new Map(Object.entries({ ...cookie, ...headers })),
        repeatedHeaders: new Set(),
        host: undefined,
        body: new TextEncoder().encode(body),
      }),
    )
  }
  return {
    storage,
    events,
    adminEvents,
    clock: { now: () => (now += 1) },
    async admin(method, path, body) {
      const response = await admin.handle({
        method,
        url: new URL(`${issuer}/admin/v1${path}`),
        headers: new Map(
          Object.entries({
            cookie: 'scopes=admin:write',
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/json',
          }),
        ),
        repeatedHeaders: new Set(),
        host: undefined,
        body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
      })
      if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${String(response.body)}`)
      return typeof response.body === 'string' ? (JSON.parse(response.body) as JsonObject) : {}
    },
    open: (path, visitor = administrator) => send('GET', path, visitor),
    post: (path, fields, visitor = administrator) =>
      send(
        'POST',
        path,
        {
          ...visitor,
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'sec-fetch-site': 'same-origin',
            ...visitor.headers,
          },
        },
        new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
      ),
    dump: () => JSON.stringify({ ...database.tablesOf(issuer), logs: undefined }, sorted, 1),
  }
}

export const administrator: Visitor = { scopes: 'admin:write' }

function sorted(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value.entries()].toSorted(([a], [b]) => String(a).localeCompare(String(b))) : value
}

const isScope = (scope: string): scope is 'admin:read' | 'admin:write' => scope.startsWith('admin:')

function readPage({ status, headers, body }: ServerResponse): ShownPage {
  const map = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const location = map.get('location')
  return {
    status,
    headers: map,
    text: typeof body === 'string' ? body : '',
    location: location === undefined ? undefined : location.replace(issuer, ''),
  }
}
