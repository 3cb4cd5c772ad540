import { createAdminServer } from '@mintmark/admin'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createConsole } from '../src/index.ts'
import { administrator, issuer, startConsole, type ConsoleUnderTest, type ShownPage } from './console-under-test.ts'

describe('who may open the console', () => {
  it('sends a visitor who is not signed in to the sign-in page, which returns to the page', async () => {
    const system = startConsole({ signInUrl: (returnTo) => `/sign-in?return_to=${encodeURIComponent(returnTo)}` })

    const { status, location } = await system.open('/console/users?q=grace', {})

    expect([status, location]).toEqual([303, '/sign-in?return_to=%2Fconsole%2Fusers%3Fq%3Dgrace'])
    expect(system.events.at(-1)).toMatchObject({ reason: 'not_signed_in', status: 403, path: '/console/users' })
  })

  it('shows a page to a visitor who is not signed in, without the option signInUrl (RFC 9110 §15.5.4)', async () => {
    const system = startConsole()

    expect(await system.open('/console/users', {})).toMatchObject({ status: 403 })
  })

  it('shows no navigation and no data to a user who is not an administrator (RFC 9110 §15.5.4)', async () => {
    const system = startConsole()

    const page = await system.open('/console/users', { scopes: '' })

    expect(page.status).toBe(403)
    expect(page.text).not.toContain('<nav')
    expect(system.events.at(-1)).toMatchObject({ reason: 'not_an_administrator' })
  })

  it('lists the parts that the scope values of the administrator include, and refuses the others (RFC 6750 §3.1)', async () => {
    const system = startConsole()
    const visitor = { scopes: 'admin:clients:read' }

    const page = await system.open('/console/clients', visitor)

    expect(navigationOf(page)).not.toContain('Users')
    expect(navigationOf(page)).toContain('Clients')
    expect(page.text).not.toContain('Create a client')
    expect(await system.open('/console/users', visitor)).toMatchObject({ status: 403 })
    expect(await system.open('/console/new-client', visitor)).toMatchObject({ status: 403 })
    expect(system.events.at(-1)).toMatchObject({ reason: 'scope_missing' })
  })

  it('refuses an administration API that cannot authenticate browsers', () => {
    const admin = createAdminServer({
      issuer,
      storage: createMemoryStorage({ issuer }),
      accessTokens: { accessToken: async () => undefined },
    })

    expect(() => createConsole({ admin })).toThrow('createConsole: admin needs the option authorize')
  })
})

it.each(['/admin', '/admin/v1', '/admin/v1/console'])(
  'refuses the path %s, which overlaps the administration API',
  (path) => {
    expect(() => startConsole({ path })).toThrow('createConsole: path must not contain /admin/v1')
  },
)

it('serves another path below the issuer, and nothing beside it', async () => {
  const system = startConsole({ path: '/staff/console' })

  expect(await system.open('/staff/console/users')).toMatchObject({ status: 200 })
  expect((await system.open('/staff/console')).text).toContain('href="https://as.test/staff/console/users"')
})

describe('forms', () => {
  it.each([
    { headers: { 'sec-fetch-site': 'cross-site' } },
    { headers: { 'sec-fetch-site': 'same-site' } },
    { headers: { 'sec-fetch-site': 'none' } },
  ])('rejects a form that another site has posted: %o (RFC 9700 §4.7)', async ({ headers }) => {
    const system = await withGrace()
    const before = system.dump()

    const page = await system.post('/console/users/grace/deactivate', [], { ...administrator, headers })

    expect(page.status).toBe(403)
    expect(system.events.at(-1)).toMatchObject({ reason: 'cross_site' })
    expect(system.dump()).toBe(before)
  })

  it.each([
    { type: 'text/plain', path: '/console/users/grace/deactivate' },
    { type: 'application/json', path: '/console/users/grace/deactivate' },
  ])('rejects a form of the type $type (RFC 9110 §15.5.1)', async ({ type, path }) => {
    const system = await withGrace()
    const before = system.dump()

    const page = await system.post(path, [], { ...administrator, headers: { 'content-type': type } })

    expect(page.status).toBe(400)
    expect(system.events.at(-1)).toMatchObject({ reason: 'form_malformed' })
    expect(system.dump()).toBe(before)
  })

  it('redirects after a change, so that reloading the page does not repeat it (RFC 9110 §15.4.4)', async () => {
    const system = await withGrace()

    const { status, location } = await system.post('/console/users/grace/deactivate', [])

    expect([status, location]).toEqual([303, '/console/users/grace?done=yes'])
    expect((await system.open('/console/users/grace')).text).toContain('Blocked by an administrator')
    expect(system.adminEvents.at(-1)).toMatchObject({
      type: 'user.deactivated',
      actor: { kind: 'person', id: 'ada' },
      logged: 'whole',
    })
  })

  it('asks before it deactivates a user, and changes nothing until the answer', async () => {
    const system = await withGrace()
    const before = system.dump()

    const page = await system.open('/console/users/grace/deactivate')

    expect(page.status).toBe(200)
    expect(page.text).toContain('<bdi class="name">Grace Hopper</bdi>')
    expect(system.dump()).toBe(before)
  })

  it('refuses a change from a tab that shows an older version of the client (RFC 9110 §13.1.1)', async () => {
    const system = startConsole()
    await system.admin('POST', '/clients', { client_id: 'app', client_name: 'App', grant_types: [] })
    await system.admin('PATCH', '/clients/app', { client_name: 'Renamed' })
    const before = system.dump()

    const page = await system.post('/console/clients/app', [
      ['version', '1'],
      ['name', 'Mine'],
    ])
    const disabled = await system.post('/console/clients/app/disable', [['version', '1']])

    expect([page.status, disabled.status]).toEqual([412, 412])
    expect(page.text).toContain('Somebody has changed this in the meantime')
    expect(system.dump()).toBe(before)
  })
})

describe('addresses', () => {
  it.each([
    { method: 'open', path: '/console/nothing', status: 404, reason: 'page_not_found' },
    { method: 'post', path: '/console/users', status: 405, reason: 'method_not_allowed' },
  ] as const)('answers $method $path with $status (RFC 9110 §15.5)', async ({ method, path, status, reason }) => {
    const system = startConsole()

    const page = method === 'open' ? await system.open(path) : await system.post(path, [])

    expect(page.status).toBe(status)
    expect(system.events.at(-1)).toMatchObject({ reason, status, correlationId: page.headers.get('x-correlation-id') })
  })

  it('shows that a record does not exist', async () => {
    expect(await startConsole().open('/console/users/nobody')).toMatchObject({ status: 404 })
  })
})

const withGrace = async (): Promise<ConsoleUnderTest> => {
  const system = startConsole()
  await system.admin('POST', '/users', {
    user_id: 'grace',
    claims: { name: 'Grace Hopper', email: 'grace@example.org' },
  })
  return system
}

const navigationOf = ({ text }: ShownPage): string => /<nav.*?<\/nav>/s.exec(text)?.[0] ?? ''
