import { createAdminServer, keepRequestLog } from '@mintmark/admin'
import { createScimServer } from '@mintmark/scim'
import { epochSeconds, type JsonObject } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createDirectorySetup, type ConsoleEvent } from '../src/index.ts'
import { textOf } from '../src/values.ts'
import { problemOf } from '../src/directory-setup/problems.ts'

const issuer = 'https://as.test'
const path = '/directory-setup'

/** The page over memory storage with two directories, and a browser that keeps its cookie. */
async function startSetup(options: Partial<Parameters<typeof createDirectorySetup>[0]> = {}) {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  let now = 1_790_000_000
  const clock = () => epochSeconds(now)
  const admin = createAdminServer({
    issuer,
    storage,
    clock,
    authorize: () => Promise.resolve({ actor: { kind: 'host', id: 'support' }, scopes: ['admin:write'] }),
  })
  const scim = createScimServer({
    issuer,
    storage,
    clock,
    onEvent: () => undefined,
    onRequest: keepRequestLog({ storage, clock }),
  })
  const events: ConsoleEvent[] = []
  const service = createDirectorySetup({ admin, onEvent: (event) => void events.push(event), ...options })
  let cookie = ''

  const send = async (server: typeof service, method: string, to: string, headers: object, body = '') => {
    const url = new URL(issuer + to)
    const sent = { url, method, headers: new Map(Object.entries(headers)), repeatedHeaders: new Set<string>() }
    const reply = await server.handle({ ...sent, host: undefined, body: new TextEncoder().encode(body) })
    const of = (name: string) => reply.headers.find(([each]) => each.toLowerCase() === name)?.[1]
    return {
      status: reply.status,
      text: String(reply.body ?? ''),
      header: of,
      location: of('location')?.replace(issuer, ''),
    }
  }
  const call = async (method: string, to: string, body: JsonObject = {}): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const { status, text } = await send(admin, method, `/admin/v1${to}`, headers, JSON.stringify(body))
    if (status >= 300) throw new Error(`${method} ${to}: ${text}`)
    return text === '' ? {} : (JSON.parse(text) as JsonObject)
  }
  const visit = async (
    method: string,
    to: string,
    fields: Readonly<Record<string, string>> = {},
    headers: object = {},
  ) => {
    const own = { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const reply = await send(service, method, to, { ...own, ...headers }, new URLSearchParams(fields).toString())
    cookie = reply.header('set-cookie')?.split(';')[0] ?? cookie
    return reply
  }
  for (const id of ['corp', 'globex'])
    await call('POST', '/identity-providers', { provider_id: id, display_name: `The ${id} <b>directory</b>` })

  return {
    events,
    call,
    visit,
    advance: (seconds: number) => void (now += seconds),
    dump: () =>
      JSON.stringify(database.tablesOf(issuer), (_key, value: unknown) => (value instanceof Map ? [...value] : value)),
    linkTo: async (id: string) =>
      textOf((await call('POST', `/identity-providers/${id}/setup-link`))['url']).replace(issuer, ''),
    forget: () => void (cookie = ''),
    /** Creates a group with a member that does not exist. */
    provisionGroup: (secret: string, member: string) =>
      send(
        scim,
        'POST',
        '/scim/v2/enterprise-idps/corp/Groups',
        { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
        JSON.stringify({
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
          displayName: 'Staff',
          members: [{ value: member }],
        }),
      ),
    provision: (secret: string, to = 'corp/Users?filter=x') =>
      send(scim, 'GET', `/scim/v2/enterprise-idps/${to}`, { authorization: `Bearer ${secret}` }),
  }
}

const opened = async (options: Parameters<typeof startSetup>[0] = {}) => {
  const system = await startSetup(options)
  await system.visit('POST', await system.linkTo('corp'))
  return system
}

const secretOn = (text: string): string => /id="new-secret"[^>]*>([^<]+)</.exec(text)?.[1] ?? ''

describe('a set-up link', () => {
  it('asks before it is opened, and is exchanged for a cookie, so that no further address contains it', async () => {
    const system = await startSetup()
    const link = await system.linkTo('corp')
    const before = system.dump()

    const asked = await system.visit('GET', link)
    expect([asked.status, system.dump()]).toEqual([200, before])
    const exchanged = await system.visit('POST', link)
    const page = await system.visit('GET', path)

    expect([exchanged.status, exchanged.location]).toEqual([303, path])
    expect(exchanged.header('set-cookie')).toMatch(
      /^__Host-mintmark-directory-setup=corp_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(page.status).toBe(200)
    expect(page.text).toContain('The corp &lt;b&gt;directory&lt;/b&gt;')
    expect(page.text).toContain(`${issuer}/scim/v2/enterprise-idps/corp</pre>`)
    expect(page.text + JSON.stringify(system.events)).not.toContain(link.slice(-43))
    expect(page.header('content-security-policy')).toMatch(/^default-src 'none'; style-src [^;]+; form-action 'self';/)
  })

  it('law: shows and changes nothing of another directory', async () => {
    const system = await opened()
    const other = await system.call('GET', '/identity-providers/globex')

    const pages = [
      await system.visit('POST', `${path}/secret`, { provider_id: 'globex' }),
      await system.visit('POST', `${path}/revoke-previous`, { provider_id: 'globex' }),
      await system.visit('GET', `${path}?provider_id=globex`),
    ]

    expect(pages.map(({ status }) => status)).toEqual([200, 303, 200])
    expect(pages.map(({ text }) => text).join('')).not.toContain('globex')
    expect(await system.call('GET', '/identity-providers/globex')).toEqual(other)
  })

  it.each([
    { title: 'expired', end: async ({ advance }: Awaited<ReturnType<typeof opened>>) => advance(604_800) },
    { title: 'revoked', end: async ({ call }) => void (await call('DELETE', '/identity-providers/corp/setup-link')) },
    {
      title: 'of a removed directory',
      end: async ({ call }) => void (await call('DELETE', '/identity-providers/corp')),
    },
    { title: 'unknown', end: async ({ forget }) => forget() },
  ])(
    'that is $title gets one page, which says whom to ask, and changes nothing (RFC 9110 §15.5.4)',
    async ({ end }) => {
      const system = await opened({ contact: 'it-help@product.test' })
      const link = `${path}/mmsetup_corp_${'A'.repeat(43)}`
      await end(system)
      const before = system.dump()

      for (const [method, to] of [
        ['GET', path],
        ['POST', `${path}/secret`],
        ['POST', `${path}/finish`],
        ['POST', link],
      ] as const) {
        const page = await system.visit(method, to)
        expect([to, page.status]).toEqual([to, 403])
        expect(page.text).toContain('This link does not work')
        expect(page.text).toContain('<bdi>it-help@product.test</bdi>')
      }

      expect(system.dump()).toBe(before)
      expect(new Set(system.events.map(({ reason }) => reason))).toEqual(new Set(['setup_link_invalid']))
      expect(JSON.stringify(system.events)).not.toContain('mmsetup')
    },
  )

  it('no longer works after its holder has finished', async () => {
    const system = await startSetup()
    const link = await system.linkTo('corp')
    await system.visit('POST', link)

    const finished = await system.visit('POST', `${path}/finish`)

    expect(finished.status).toBe(200)
    expect(finished.header('set-cookie')).toContain('Max-Age=0')
    expect((await system.visit('POST', link)).status).toBe(403)
  })
})

it.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': undefined, origin: 'https://evil.test' }])(
  'rejects a form of another site and changes nothing (RFC 9700 §4.7): %o',
  async (headers) => {
    const system = await opened()
    const link = await system.linkTo('corp')
    await system.visit('POST', link)
    const before = system.dump()

    for (const to of [`${path}/secret`, `${path}/revoke-previous`, `${path}/finish`, `${path}/test`, link]) {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
      expect((await system.visit('POST', to, {}, { 'sec-fetch-site': '', ...given })).status).toBe(403)
    }

    expect(system.dump()).toBe(before)
    expect(system.events.map(({ reason }) => reason)).toEqual(Array.from({ length: 5 }, () => 'cross_site'))
  },
)

describe('a Secret Token', () => {
  it('is shown once, works at once, and is in the audit log in the name of the link', async () => {
    const system = await opened()

    const secret = secretOn((await system.visit('POST', `${path}/secret`)).text)
    const checked = await system.visit('POST', `${path}/test`, { secret: `Bearer ${secret}` })

    expect((await system.provision(secret, 'corp/Users')).status).toBe(200)
    expect(checked.text).toContain('and it works')
    expect(checked.text).not.toContain(secret)
    expect((await system.visit('POST', `${path}/test`, { secret: 'x' })).text).toContain('is not a Secret Token')
    const { items } = await system.call('GET', '/audit?type=provider.secret_added')
    expect(items).toMatchObject([{ detail: { actor: { id: 'setup-link:corp' } } }, {}])
    expect(system.dump()).not.toContain(secret)
  })

  it('is refused with a sentence if there are too many (RFC 9110 §15.5.10)', async () => {
    const system = await opened()
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) statuses.push((await system.visit('POST', `${path}/secret`)).status)

    expect(statuses).toEqual([200, 200, 200, 409])
    expect((await system.visit('POST', `${path}/secret`)).text).toContain('Revoke the previous ones first')
    expect((await system.visit('POST', `${path}/revoke-previous`)).location).toBe(`${path}?done=yes`)
    expect((await system.visit('POST', `${path}/secret`)).status).toBe(200)
  })
})

it('names the attribute and the member that a request was refused for', async () => {
  const system = await opened()
  const secret = secretOn((await system.visit('POST', `${path}/secret`)).text)

  await system.provisionGroup(secret, 'nobody<b>')

  const named = 'member_unknown members &quot;nobody&lt;b&gt;&quot;'
  expect((await system.visit('GET', path)).text).toContain(`400 ${named}`)
  expect(await system.call('GET', '/identity-providers/corp/requests')).toMatchObject({
    items: [{ detail: { reason: 'member_unknown', attribute: 'members', value: 'nobody<b>' } }],
  })
})

it('says in plain words what the last requests of the directory came to', async () => {
  const system = await opened()
  expect((await system.visit('GET', path)).text).toContain('has not sent a request yet')
  const secret = secretOn((await system.visit('POST', `${path}/secret`)).text)

  await system.provision(secret)
  const refused = await system.visit('GET', path)
  await system.provision(secret, 'corp/Users')
  system.advance(1)
  await system.provision(secret, 'corp/Groups')
  const accepted = await system.visit('GET', path)
  await system.call('POST', '/identity-providers/corp/disable')

  expect(refused.text).toContain('The last request was refused on')
  expect(refused.text).toContain('sent something that this service does not understand')
  expect(accepted.text).toContain('It works: the last request was accepted on')
  expect((await system.visit('GET', path)).text).toContain('The connection is switched off')
})

it.each([
  [409, 'user_name_taken', 'taken'],
  [403, 'deprovisioning_suspended', 'suspended'],
  [400, 'value_too_long', 'value'],
  [503, 'storage_unavailable', 'failed'],
  [418, 'unknown', 'other'],
] as const)('explains status %d with the reason %s', (status, reason, problem) => {
  expect(problemOf(status, reason)).toBe(problem)
})

it('answers in the language of the browser, in its direction', async () => {
  const system = await opened()
  const page = await system.visit('GET', path, {}, { 'accept-language': 'he' })
  expect(page.text).toContain('<html lang="he" dir="rtl">')
  expect((await system.visit('GET', `${path}/secret`)).location).toBe(path)
})
