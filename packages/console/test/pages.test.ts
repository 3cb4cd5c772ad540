import { expect, it } from 'vitest'

import { administrator, startConsole, type ConsoleUnderTest, type ShownPage } from './console-under-test.ts'

const hostile = '"><img src=x onerror=alert(1)>&amp;<b>'

/** Creates one record of each kind, with a hostile value wherever the API accepts one. */
async function withHostileRecords(): Promise<ConsoleUnderTest> {
  const system = startConsole()
  await system.admin('POST', '/clients', {
    client_id: 'app',
    client_name: hostile,
    redirect_uris: ['https://app.test/cb?a=1&amp;lt=2'],
    scopes: ['openid'],
  })
  await system.admin('POST', '/users', {
    user_id: `u@x|1:+~`,
    claims: { name: `${hostile}\u202E`, preferred_username: hostile, email: `${hostile}@x.test` },
  })
  await system.admin('POST', '/identity-providers', { provider_id: 'corp', display_name: hostile })
  await system.admin('POST', '/organizations', { organization_id: 'acme', display_name: hostile })
  await system.admin('PUT', `/organizations/acme/members/${encodeURIComponent(`u@x|1:+~`)}`, {
    roles: ['<b>owner'],
  })
  await system.admin('POST', '/clients/app/disable')
  return system
}

it('shows hostile values as text on every page, and loads and runs nothing (CSP 3 §6)', async () => {
  const system = await withHostileRecords()
  const seen = new Set<string>()
  const queue = ['/console', '/console/users?q=%22%3E%3Cimg%3E', '/console/audit?type=%22%3E%3Cimg%3E&actor=ada']

  for (let path = queue.pop(); path !== undefined && seen.size < 60; path = queue.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const page = await system.open(path)
    expect([path, page.status]).toEqual([path, path.includes('q=%22') ? 400 : 200])
    if (path.startsWith('/console/audit.csv')) continue
    expect(page.text).not.toMatch(/<(?:img|script|b)\b/)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src /)
    queue.push(...linksOf(page))
  }

  for (const part of ['users/', 'clients/app', 'directories/corp', 'organizations/', 'audit', 'keys', 'deliveries'])
    expect([...seen].some((path) => path.includes(part))).toBe(true)
})

it('downloads the audit log as CSV, in which no value is a formula (RFC 4180 §2)', async () => {
  const system = startConsole()
  await system.admin('POST', '/clients', { client_id: '=1+1', client_name: 'App', grant_types: [] })
  await system.admin('POST', '/clients', { client_id: 'a"b,c', client_name: 'App', grant_types: [] })

  const { status, headers, text } = await system.open('/console/audit.csv?type=client.created')

  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
  const rows = text.trimEnd().split('\r\n')
  expect(rows).toHaveLength(5)
  expect(rows[1]).toContain('"client.created","client","a""b,c","person","ada","done"')
  expect(rows[3]).toContain(`"'=1+1"`)
})

it.each([
  { kind: 'web', secret: true, method: 'client_secret', grants: ['authorization_code', 'refresh_token'] },
  { kind: 'spa', secret: false, method: 'none', grants: ['authorization_code'] },
  { kind: 'native', secret: false, method: 'none', grants: ['authorization_code', 'refresh_token'] },
  { kind: 'service', secret: true, method: 'client_secret', grants: ['client_credentials'] },
  { kind: 'mcp', secret: false, method: 'none', grants: ['authorization_code', 'refresh_token'] },
])('creates a client of the kind $kind', async ({ kind, secret, method, grants }) => {
  const system = startConsole()

  const page = await system.post('/console/new-client', [
    ['kind', kind],
    ['name', 'App'],
    ['redirect_uri', kind === 'service' ? '' : 'https://app.test/cb'],
    ['scopes', kind === 'service' ? 'books.read' : 'openid'],
  ])

  expect(page.status).toBe(secret ? 200 : 303)
  expect(page.text.includes('id="new-secret"')).toBe(secret)
  expect(await system.admin('GET', '/clients')).toMatchObject({
    items: [{ client_name: 'App', token_endpoint_auth_method: method, grant_types: grants }],
  })
})

it('shows the form again with what was typed if the API refuses it, and stores nothing', async () => {
  const system = startConsole()
  const before = system.dump()

  const page = await system.post('/console/new-client', [
    ['kind', 'web'],
    ['name', 'Cats'],
    ['redirect_uri', 'not a uri'],
    ['scopes', 'openid'],
  ])

  expect(page.status).toBe(400)
  expect(page.text).toContain('value="Cats"')
  expect(page.text).toContain('value="not a uri"')
  expect(page.text).toContain('role="alert"')
  expect(system.dump()).toBe(before)
})

it('answers in the language of the browser, in its direction', async () => {
  const page = await startConsole().open('/console/users', {
    ...administrator,
    headers: { 'accept-language': 'ar-EG, en;q=0.5' },
  })

  expect(page.text).toContain('<html lang="ar" dir="rtl">')
  expect(page.text).toContain('المستخدمون')
})

it('finds users by a part of a name in any case, and by a filter (RFC 7644 §3.4.2.2)', async () => {
  const system = startConsole()
  await system.admin('POST', '/users', { user_id: 'g', claims: { name: 'Grace Hopper' } })
  await system.admin('POST', '/users', { user_id: 'a', claims: { name: 'Ada Lovelace' } })
  const found = async (text: string) =>
    [
      ...(await system.open(`/console/users?q=${encodeURIComponent(text)}`)).text.matchAll(
        /class="name">([^<]+)<\/bdi><\/a>/g,
      ),
    ].map(([, name]) => name)

  expect(await found('hopper')).toEqual(['Grace Hopper'])
  expect(await found('GRACE')).toEqual(['Grace Hopper'])
  expect(await found('a')).toContain('Ada Lovelace')
  expect(await found('claims.name sw "Ada"')).toEqual(['Ada Lovelace'])
  expect(await found('nobody')).toEqual([])
})

const linksOf = ({ text }: ShownPage): readonly string[] =>
  [...text.matchAll(/href="https:\/\/as\.test([^"]*)"/g)].map(([, path = '']) => path.replaceAll('&amp;', '&'))
