import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAdminServer, type AdminEvent, type CustomField } from '@mintmark/admin'
import type { ServerResponse } from '@mintmark/core/http'
import { epochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { aMigratedDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { hostileAdminRequest, type GoodAdminRequest } from '../arbitraries/hostile-admin-request.ts'
import { plainRequest } from '../support/plain-request.ts'
import { rounds } from '../support/rounds.ts'
import { ownKeysOfPrototypes, initialKeysOfPrototypes } from '../support/prototypes.ts'

const issuer = 'https://as.test'
const base = `${issuer}/admin/v1`

it('law: no administration request causes a server error, on memory', async () => {
  await noInputIsAServerError(createMemoryStorage({ issuer }), rounds({ fast: 400, long: 2000 }))
})

it('law: no administration request causes a server error, on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-admin-'))
  const dialect = openSqliteDialect(join(folder, 'mintmark.db'), { migrate: 'on-open' })
  await noInputIsAServerError(await createSqlStorage({ issuer, dialect }), rounds({ fast: 400, long: 1000 }))
  await dialect.close()
  rmSync(folder, { recursive: true })
})

it('law: no administration request causes a server error, on PostgreSQL', async () => {
  const database = await aMigratedDatabase()
  const dialect = toPostgresDialect(database.pool())
  await noInputIsAServerError(await createSqlStorage({ issuer, dialect }), rounds({ fast: 400, long: 700 }))
  await database.remove()
})

// RFC 9110 §15.6: PostgreSQL cannot store U+0000 in text.
it('refuses U+0000 in each identifier of each path and in each query parameter, on PostgreSQL', async () => {
  const database = await aMigratedDatabase()
  const dialect = toPostgresDialect(database.pool())
  const { server } = startServer(await createSqlStorage({ issuer, dialect }))
  const document = await server.handle(asSent({ method: 'GET', path: '/openapi.json' }))
  const { paths } = JSON.parse(String(document.body)) as { readonly paths: Readonly<Record<string, Operations>> }
  const requests = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters }]) => {
      const target = { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '%00') }
      const queries = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => `?${name}=%00`)
      return ['', ...queries].map((query) => ({ ...target, path: target.path + query }))
    }),
  )

  const failed = []
  for (const request of requests) {
    const { status } = await server.handle(asSent({ ...request, body: {} }))
    if (status >= 500 || (request.path.includes('%00') && status < 400)) failed.push({ ...request, status })
  }

  expect(requests.length).toBeGreaterThan(60)
  expect(failed).toEqual([])
  await database.remove()
})

type Operations = Readonly<Record<string, { readonly parameters: readonly { name: string; in: string }[] }>>

async function noInputIsAServerError(storage: AdminStorage, numRuns: number): Promise<void> {
  const { server, events } = startServer(storage)
  const answered = new Set<number>()
  const restore = () => restored((sent) => server.handle(asSent(sent)))
  await restore()

  let count = 0
  const law = fc.asyncProperty(hostileAdminRequest(base, good), async (request) => {
    if ((count += 1) % 50 === 0) await restore()
    events.splice(0)
    const response = await server.handle(request)

    answered.add(response.status)
    expectHarmless(response)
    expect(
      events.filter(
        (event) => 'reason' in event && ['unexpected_failure', 'storage_unavailable'].includes(event.reason),
      ),
    ).toEqual([])
    expect(ownKeysOfPrototypes()).toEqual(initialKeysOfPrototypes)
  })
  await fc.assert(law, { numRuns })

  // The requests reached the endpoints, which answered with all of these statuses. Few requests may not meet the rarer ones.
  const rare = numRuns < 700 ? [] : [201, 204, 409, 412, 415]
  expect([...answered]).toEqual(expect.arrayContaining([200, 400, 404, 405, ...rare]))
}

function startServer(storage: AdminStorage) {
  const events: AdminEvent[] = []
  const server = createAdminServer({
    issuer,
    storage,
    clock: () => epochSeconds(1_790_000_000),
    customFields: [{ name: 'employeeNumber', claim: 'employee_number', type: 'decimal', schema: anyNumber }],
    lastAdministrators: {
      protectedRoles: ['owner'],
      administrators: 'claims.nickname eq "root" and not (provider pr)',
    },
    authorize: async () => ({ actor: { kind: 'host', id: 'fuzz' }, scopes: ['admin:write'] }),
    onEvent: (event) => void events.push(event),
  })
  return { server, events }
}

function expectHarmless({ status, headers, body = '' }: ServerResponse): void {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)

  expect(status).toBeLessThan(500)
  expect(headers.filter(([name, value]) => !/^[\w-]+$/.test(name) || !/^[\x20-\x7E]*$/.test(value))).toEqual([])
  if (status < 400) return
  expect(text).not.toMatch(/node_modules|\.ts\b|\n\s+at |SQL|Error:.*\(/)
  expect(text.length).toBeLessThan(1024)
}

const anyNumber: CustomField['schema'] = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value === 'number' ? { value } : { issues: [{ message: 'no' }] }),
  },
}

const app = { client_id: 'app', client_name: 'App', redirect_uris: ['https://app.test/cb'] }
const change = { claims: { email: 'a@x.test', nickname: null }, custom_fields: { employeeNumber: 7 } }

const beginnings: readonly GoodAdminRequest[] = [
  { method: 'POST', path: '/clients', body: app },
  { method: 'POST', path: '/identity-providers', body: { provider_id: 'corp', tolerance_profile: 'okta' } },
  { method: 'POST', path: '/users', body: { user_id: 'ann', ...change } },
  { method: 'POST', path: '/organizations', body: { organization_id: 'acme', display_name: 'Acme' } },
  { method: 'PUT', path: '/organizations/acme/members/ann', body: { roles: ['owner'] } },
]

/**
 * Deletions are permanent, so deleted records are replaced: valid requests are about `app`, `ann`, `corp` and `acme`
 * while they exist.
 */
const restored = async (send: (sent: GoodAdminRequest) => Promise<unknown>): Promise<void> => {
  for (const sent of beginnings) await send(sent)
}

const good: readonly GoodAdminRequest[] = [
  ...beginnings,
  { method: 'POST', path: '/clients', body: { client_name: 'New', grant_types: [] } },
  { method: 'POST', path: '/users', body: {} },
  { method: 'POST', path: '/organizations', body: { display_name: 'New' } },
  { method: 'PATCH', path: '/clients/app', body: { client_name: 'Changed', default_max_age: 60, scopes: ['openid'] } },
  { method: 'POST', path: '/clients/app/secrets', body: { previous_expires_at: 1_790_000_060 } },
  { method: 'PATCH', path: '/identity-providers/corp', body: { display_name: 'Corp', client_ids: ['app'] } },
  { method: 'POST', path: '/identity-providers/corp/secrets', body: {} },
  { method: 'PATCH', path: '/users/ann', body: change },
  { method: 'POST', path: '/user-search', body: { filter: 'active eq true', limit: 10 } },
  {
    method: 'POST',
    path: '/user-upserts',
    body: { users: [{ user_id: 'kim', active: true, ...change }], dry_run: true },
  },
  { method: 'PATCH', path: '/organizations/acme', body: { display_name: 'ACME' } },
  ...['/clients/app', '/identity-providers/corp', '/users/ann', '/organizations/acme'].map((path) => ({
    method: 'GET',
    path,
  })),
  ...['/clients', '/identity-providers', '/users', '/organizations', '/audit'].map((path) => ({
    method: 'GET',
    path: `${path}?limit=5`,
  })),
  ...['/clients/app/grants', '/users/ann/grants', '/users/ann/sessions', '/users/ann/memberships'].map((path) => ({
    method: 'GET',
    path,
  })),
  ...[
    '/organizations/acme/members',
    '/identity-providers/corp/requests',
    '/identity-providers/corp/setup?product=okta',
  ].map((path) => ({ method: 'GET', path })),
  ...['/clients/app', '/identity-providers/corp'].flatMap((path) =>
    ['disable', 'enable'].map((verb) => ({ method: 'POST', path: `${path}/${verb}` })),
  ),
  ...[
    '/users/ann/deactivate',
    '/users/ann/reactivate',
    '/users/ann/revoke-access',
    '/identity-providers/corp/release-deprovisioning',
  ].map((path) => ({ method: 'POST', path })),
  ...[
    '/users/ann/grants',
    '/users/ann/sessions',
    '/clients/app/grants',
    '/clients/app/secrets/previous',
    '/users/ann/grants/g',
    '/users/ann/sessions/s',
  ].map((path) => ({ method: 'DELETE', path })),
  { method: 'DELETE', path: '/organizations/acme/members/ann' },
  ...['/webhooks', '/webhooks/w', '/deliveries?state=pending', '/initial-access-tokens'].map((path) => ({
    method: 'GET',
    path,
  })),
  ...['/webhooks/w/enable', '/webhooks/w/replay', '/deliveries/d/requeue'].map((path) => ({ method: 'POST', path })),
  { method: 'DELETE', path: '/initial-access-tokens/t' },
]

const asSent = ({ method, path, body }: GoodAdminRequest) =>
  plainRequest(base, {
    method,
    path,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
