import { toFetch } from '@mintmark/adapter-fetch'
import { createAuthorizationServer, createStoredKeys, type ServerEvent } from '@mintmark/core'
import { createProvisioning, type ProvisioningOptions, ProvisioningError } from '@mintmark/provisioning'
import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { epochSeconds, type JsonObject, providerId, userId } from '@mintmark/storage-interface'
import { jsonText } from '@mintmark/storage-interface/stores'
import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

const issuer = 'https://as.test'
const partnerIssuer = 'https://partner.example'
const baseUrl = `${partnerIssuer}/scim/v2/enterprise-idps/us`
const provider = providerId('provider-1')

type Sent = {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly ifMatch: string | null
}

/** A server with a directory and a partner, which is another server of ours. */
async function start(
  options: Partial<ProvisioningOptions> & {
    readonly change?: object
    readonly withoutPatch?: () => Response
    /** The largest page of the partner. */
    readonly pageSize?: number
    /** Answers in place of the partner. */
    readonly answer?: (url: URL) => Response | undefined
  } = {},
) {
  const { change, withoutPatch, pageSize, answer, ...given } = options
  let now = 1_790_000_000
  const clock = () => epochSeconds(now)
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43), clock })
  const partnerStorage = createMemoryStorage({ issuer: partnerIssuer })
  const { secret } = await registerIdentityProvider(
    { providerId: 'us', toleranceProfile: 'strict' },
    { storage: partnerStorage, clock },
  )
  const partner = toFetch(
    createScimServer({ issuer: partnerIssuer, storage: partnerStorage, clock, onEvent: () => {} }),
  )
  const sent: Sent[] = []
  const answers: ((request: Request) => Response | undefined)[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const body = init?.body
    const text = typeof body === 'string' ? body : ''
    sent.push({
      method: request.method,
      path: pathname.replace('/scim/v2/enterprise-idps/us', '') + search,
      body: text,
      ifMatch: request.headers.get('if-match'),
    })
    if (withoutPatch !== undefined && request.method === 'PATCH') return withoutPatch()
    if (withoutPatch !== undefined && pathname.endsWith('/ServiceProviderConfig'))
      return Response.json({ patch: { supported: false } })
    return (
      answers.shift()?.(request) ??
      answer?.(new URL(request.url)) ??
      partner(pageSize === undefined ? request : withCount(request, pageSize))
    )
  }
  const provisioning = createProvisioning({ storage, keys, fetch, clock, ...given })
  const events: ServerEvent[] = []
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    fetch,
    clock,
    provisioning,
    signedIn: async () => undefined,
    onEvent: (event) => void events.push(event),
  })
  await registerIdentityProvider({ providerId: 'provider-1' }, { storage, clock })
  await provisioning.targets.create({
    targetId: 'crm',
    displayName: 'CRM',
    baseUrl,
    credential: { bearerToken: secret },
    providerIds: ['provider-1'],
    ...change,
  })
  const read = async (path: string) => {
    const reply = await partner(new Request(baseUrl + path, { headers: { authorization: `Bearer ${secret}` } }))
    return (await reply.json()) as JsonObject
  }
  const resources = async (path: string) => ((await read(path))['Resources'] ?? []) as readonly JsonObject[]
  return {
    storage,
    provisioning,
    sent,
    answers,
    events,
    secret,
    enable: () => provisioning.targets.enable('crm'),
    advance: (seconds: number) => void (now += seconds),
    now: clock,
    /** Delivers until nothing is due, also what waits for other messages. */
    async deliver() {
      for (let round = 0; round < 4; round += 1) {
        await server.deliverOnce()
        now += 11
      }
    },
    deliverOnce: () => server.deliverOnce(),
    createAtPartner: (user: object) =>
      partner(
        new Request(`${baseUrl}/Users`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
          body: JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], ...user }),
        }),
      ),
    users: () => resources('/Users'),
    groups: () => resources('/Groups'),
    changesSent: () => sent.filter(({ method }) => method !== 'GET'),
  }
}

/** Returns the request for a list with another page size, as if the partner had smaller pages. */
function withCount(request: Request, count: number): Request {
  const url = new URL(request.url)
  if (url.searchParams.has('count')) url.searchParams.set('count', String(count))
  return new Request(url, request)
}

const byText = (one: unknown, other: unknown): number => (String(one) < String(other) ? -1 : 1)

type World = Awaited<ReturnType<typeof start>>

const changeUser = async ({ storage, now }: World, label: string, change: object): Promise<void> => {
  const id = userId(`user-${label}`)
  const before = await storage.provisionedUsers.find(provider, id)
  const state = aProvisionedState(label, change)
  await storage.provisionedUsers.compareAndSwap({
    providerId: provider,
    userId: id,
    version: before?.version ?? 0,
    state,
    now: now(),
  })
}

describe('a user of a directory', () => {
  it('is created, changed, deactivated, reactivated and deactivated at the partner when it is removed here', async () => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    await world.deliver()
    const [created] = await world.users()
    expect(created).toMatchObject({ externalId: 'user-p', active: true })

    await changeUser(world, 'p', { resource: jsonText({ userName: 'p', title: 'Chief' }) })
    await world.deliver()
    expect(await world.users()).toMatchObject([{ id: created?.['id'], userName: 'p', title: 'Chief' }])

    await world.storage.users.deactivate(userId('user-p'), world.now())
    await world.deliver()
    expect(await world.users()).toMatchObject([{ active: false }])
    await world.storage.users.reactivate(userId('user-p'), world.now())
    await world.deliver()
    expect(await world.users()).toMatchObject([{ active: true }])
    await world.storage.users.remove(userId('user-p'), world.now())
    await world.deliver()

    expect(await world.users()).toMatchObject([{ externalId: 'user-p', active: false }])
    expect(world.changesSent().map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'PATCH', 'PATCH'])
  })

  it('is changed by a PATCH that names only what differs, with If-Match (RFC 7644 §3.5.2, §3.14)', async () => {
    const world = await start()
    await world.enable()
    const insert = (resource: object) =>
      world.storage.provisionedUsers.insert({
        ...aProvisionedUser('p'),
        state: aProvisionedState('p', { resource: jsonText(resource as JsonObject) }),
      })
    await insert({ userName: 'p', displayName: 'P', title: 'Old', nickName: 'pp' })
    await world.deliver()

    await changeUser(world, 'p', { resource: jsonText({ userName: 'p', displayName: 'P', title: 'New' }) })
    await world.deliver()

    const patched = world.changesSent().at(-1)
    expect(patched?.ifMatch).toMatch(/^W\//)
    expect(JSON.parse(patched?.body ?? '{}')).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [
        { op: 'remove', path: 'nickName' },
        { op: 'replace', path: 'title', value: 'New' },
      ],
    })
  })

  it.each([
    ['answers PATCH with 501', () => new Response(null, { status: 501 })],
    ['answers PATCH with 405', () => new Response(null, { status: 405 })],
    ['answers PATCH with 404, and says that it has none', () => new Response(null, { status: 404 })],
  ])('is replaced with If-Match at a partner that %s (RFC 7644 §3.5.1)', async (_subject, noPatch) => {
    const world = await start({ withoutPatch: noPatch })
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    await world.storage.groups.insert(aGroup('g', { memberIds: [userId('user-p')] }))
    await world.deliver()

    await changeUser(world, 'p', {
      resource: jsonText({
        userName: 'p',
        title: 'Chief',
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' },
      }),
    })
    await world.deliver()
    await world.storage.users.deactivate(userId('user-p'), world.now())
    await world.deliver()

    expect(await world.users()).toMatchObject([
      {
        externalId: 'user-p',
        userName: 'p',
        title: 'Chief',
        active: false,
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' },
      },
    ])
    const replacements = world.sent.filter(({ method }) => method === 'PUT')
    expect(replacements.length).toBeGreaterThanOrEqual(2)
    expect(replacements.every(({ ifMatch }) => ifMatch?.startsWith('W/') === true)).toBe(true)
    expect(await world.groups()).toMatchObject([{ members: [{ type: 'User' }] }])
  })

  it('keeps the roles that the partner gave, and loses a title that it does not have here', async () => {
    const world = await start({ change: { adoptsExisting: true } })
    await world.enable()
    await world.createAtPartner({ userName: 'name-p', title: 'Own', roles: [{ value: 'editor' }] })
    await world.storage.provisionedUsers.insert({
      ...aProvisionedUser('p'),
      state: aProvisionedState('p', { resource: jsonText({ userName: 'name-p' }) }),
    })
    await world.deliver()

    const [user] = await world.users()
    expect(user).toMatchObject({ externalId: 'user-p', roles: [{ value: 'editor' }] })
    expect(user).not.toHaveProperty('title')
  })

  it('is deleted at the partner if the target says so', async () => {
    const world = await start({ change: { onRemoval: 'delete' } })
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    await world.deliver()
    await world.storage.users.remove(userId('user-p'), world.now())
    await world.deliver()

    expect(await world.users()).toEqual([])
  })

  it('is created once, however often the message is sent', async () => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    // The response of the first POST is lost.
    world.answers.push(() => undefined)
    await world.deliver()
    await world.provisioning.synchronize('crm')
    await world.deliver()

    expect(await world.users()).toHaveLength(1)
    expect(world.changesSent()).toHaveLength(1)
  })

  it('that render leaves out does not reach the partner, and is deactivated there when render begins to leave it out', async () => {
    let isShown = true
    const world = await start({ render: ({ resource }) => (isShown ? resource : undefined) })
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    await world.deliver()
    isShown = false
    await world.storage.provisionedUsers.insert(aProvisionedUser('q'))
    await changeUser(world, 'p', { resource: jsonText({ userName: 'p', title: 'T' }) })
    await world.deliver()

    expect(await world.users()).toMatchObject([{ externalId: 'user-p', active: false }])
  })

  it('of another directory, or of the host, is provisioned only if the target selects it', async () => {
    const world = await start()
    await world.enable()
    await world.storage.users.insert({ userId: userId('host'), claims: { email: 'h@x.test' }, createdAt: world.now() })
    await world.deliver()
    expect(await world.users()).toEqual([])

    await world.provisioning.targets.update('crm', { includesHostUsers: true })
    await world.provisioning.synchronize('crm')
    await world.deliver()
    expect(await world.users()).toMatchObject([{ externalId: 'host', userName: 'h@x.test' }])
  })
})

describe('a group', () => {
  it('is created with its members, and follows their changes; a message waits for a user who is not there yet', async () => {
    const world = await start()
    await world.enable()
    for (const label of 'ab') await world.storage.provisionedUsers.insert(aProvisionedUser(label))
    const group = aGroup('g', { memberIds: ['user-a', 'user-b'] })
    await world.storage.groups.insert(group)
    await world.deliver()
    const memberNames = async () => {
      const users = await world.users()
      const [{ members = [] } = {}] = (await world.groups()) as readonly { readonly members?: readonly JsonObject[] }[]
      return members.map(({ value }) => users.find(({ id }) => id === value)?.['externalId']).toSorted(byText)
    }
    expect(await world.groups()).toMatchObject([{ externalId: 'group-g' }])
    expect(await memberNames()).toEqual(['user-a', 'user-b'])

    const change = { providerId: provider, groupId: group.groupId, version: undefined, now: world.now() }
    await world.storage.groups.change({
      ...change,
      state: { ...group.state, displayName: 'New' },
      members: { kind: 'delta', add: [], remove: ['user-a'] },
    })
    await world.deliver()
    expect([await memberNames(), (await world.groups())[0]?.['displayName']]).toEqual([['user-b'], 'New'])

    await world.storage.groups.remove(change)
    await world.deliver()
    expect(await world.groups()).toEqual([])
  })
})

describe('a partner', () => {
  it('keeps all members of a group although its pages have fewer resources (RFC 7644 §3.4.2.4)', async () => {
    const world = await start({ pageSize: 2 })
    for (const label of 'abcde') await world.storage.provisionedUsers.insert(aProvisionedUser(label))
    const memberIds = ['user-a', 'user-b', 'user-c', 'user-d', 'user-e']
    await world.storage.groups.insert(aGroup('g', { memberIds }))
    await world.enable()
    await world.deliver()
    await world.provisioning.synchronize('crm')
    await world.deliver()

    const [{ members = [] } = {}] = (await world.groups()) as readonly { readonly members?: readonly JsonObject[] }[]
    expect(members).toHaveLength(5)
    expect((await world.provisioning.compare('crm')).divergences).toEqual([])
  })

  it('that asks to wait is sent the message after that time (RFC 7644 §3.12, RFC 6585 §4)', async () => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    world.answers.push(() => new Response(null, { status: 429, headers: { 'retry-after': '300' } }))
    await world.deliverOnce()
    world.advance(299)
    await world.deliverOnce()
    expect(world.sent).toHaveLength(1)

    world.advance(1)
    await world.deliverOnce()
    expect(await world.users()).toHaveLength(1)
  })

  it('that refuses a user leaves a dead message with the reason, and an event', async () => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    world.answers.push(
      () => undefined,
      () => Response.json({ scimType: 'uniqueness', detail: 'secret' }, { status: 409 }),
    )
    await world.deliver()

    const dead = await world.storage.deliveries.list({ state: 'dead', recipient: 'crm', before: undefined, limit: 10 })
    expect(dead.map(({ lastFailure }) => lastFailure)).toEqual(['http_409_uniqueness'])
    expect(world.events.find(({ type }) => type === 'delivery.dead')).toMatchObject({ failure: 'http_409_uniqueness' })
    expect(JSON.stringify(world.events)).not.toContain(world.secret)
  })

  it.each([
    ['ignores filters', () => Response.json({ Resources: [{ id: '1', externalId: 'x' }] }), 'filter_ignored'],
    [
      'has two users with our identifier',
      () =>
        Response.json({
          Resources: [
            { id: '1', externalId: 'user-p' },
            { id: '2', externalId: 'user-p' },
          ],
        }),
      'externalId_ambiguous',
    ],
  ])('that %s gets no user, and the message is dead (RFC 7644 §3.4.2.2)', async (_, answer, failure) => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    world.answers.push(answer)
    await world.deliver()

    expect(world.changesSent()).toEqual([])
    const dead = await world.storage.deliveries.list({ state: 'dead', recipient: 'crm', before: undefined, limit: 10 })
    expect(dead.map(({ lastFailure }) => lastFailure)).toEqual([failure])
  })

  it.each([
    ['a list with a user without an id', () => Response.json({ Resources: [{ externalId: 'user-p', userName: 'p' }] })],
    ['a list with a user who is not an object', () => Response.json({ Resources: ['user-p'] })],
  ])('that answers with %s gets no user until its list is complete (RFC 7643 §3.1)', async (_, answer) => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    world.answers.push(answer)
    await world.deliver()

    expect(world.events).toContainEqual(
      expect.objectContaining({ type: 'delivery.failed', failure: 'resource_malformed' }),
    )
    expect(await world.users()).toHaveLength(1)
  })

  it('that does not keep externalId is reported, because its user would not be found again (RFC 7643 §3.1)', async () => {
    const world = await start()
    await world.enable()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    world.answers.push(
      () => undefined,
      () => Response.json({ id: '1', userName: 'p' }, { status: 201 }),
    )
    await world.deliver()

    const dead = await world.storage.deliveries.list({ state: 'dead', recipient: 'crm', before: undefined, limit: 10 })
    expect(dead.map(({ lastFailure }) => lastFailure)).toEqual(['external_id_not_kept'])
  })

  it('has a user with the same userName, who becomes ours if the target adopts and the user has no externalId', async () => {
    const world = await start()
    const adopting = await start({ change: { adoptsExisting: true } })
    for (const each of [world, adopting]) {
      await each.enable()
      await each.createAtPartner({ userName: 'name-p', title: 'Own' })
      await each.storage.provisionedUsers.insert({
        ...aProvisionedUser('p'),
        state: aProvisionedState('p', { resource: jsonText({ userName: 'name-p', displayName: 'P' }) }),
      })
      await each.deliver()
    }

    expect(await adopting.users()).toMatchObject([{ externalId: 'user-p', displayName: 'P' }])
    expect(await world.users()).toMatchObject([{ userName: 'name-p', title: 'Own' }])
    const dead = await world.storage.deliveries.list({ state: 'dead', recipient: 'crm', before: undefined, limit: 10 })
    expect(dead.map(({ lastFailure }) => lastFailure)).toEqual(['http_409_uniqueness'])
  })

  it('that has a user with the same userName and another externalId keeps it, and the message is dead', async () => {
    const world = await start()
    await world.enable()
    await world.provisioning.targets.update('crm', { adoptsExisting: true })
    world.answers.push(
      () => Response.json({ Resources: [] }),
      () => Response.json({ Resources: [{ id: '1', userName: 'name-p', externalId: 'of-another' }] }),
    )
    await world.storage.provisionedUsers.insert({
      ...aProvisionedUser('p'),
      state: aProvisionedState('p', { resource: jsonText({ userName: 'name-p' }) }),
    })
    await world.deliver()

    const dead = await world.storage.deliveries.list({ state: 'dead', recipient: 'crm', before: undefined, limit: 10 })
    expect(dead.map(({ lastFailure }) => lastFailure)).toEqual(['resource_of_another'])
    expect(world.changesSent()).toEqual([])
  })

  it('gets an access token from client credentials, once for many messages (RFC 6749 §4.4)', async () => {
    const tokenEndpoint = 'https://auth.partner.example/token'
    const world = await start({
      change: { credential: { tokenEndpoint, clientId: 'a b', clientSecret: 's', scope: 'scim' } },
    })
    await world.enable()
    for (const label of 'ab') await world.storage.provisionedUsers.insert(aProvisionedUser(label))
    const seen: string[] = []
    world.answers.push((request) => {
      seen.push(request.headers.get('authorization') ?? '')
      return Response.json({ access_token: world.secret, token_type: 'Bearer', expires_in: 3600 })
    })
    world.answers.push((request) => void seen.push(request.headers.get('authorization') ?? ''))
    await world.deliver()

    expect(seen[0]).toBe(`Basic ${btoa('a+b:s')}`)
    expect(world.sent.filter(({ path }) => path === '/token').length).toBeLessThanOrEqual(2)
    expect(await world.users()).toHaveLength(2)
    expect(JSON.stringify(await world.storage.webhooks.list())).not.toContain('"s"')
  })

  it.each([
    ['revokes its access token before it expires', { status: 401 }, 3600, ['Bearer first', 'Bearer second']],
    ['says that its access token never expires', { status: 503 }, '1e400', ['Bearer first', 'Bearer second']],
  ])('that %s gets another one', async (_, { status }, lifetime, expected) => {
    const tokenEndpoint = 'https://auth.partner.example/token'
    const world = await start({ change: { credential: { tokenEndpoint, clientId: 'c', clientSecret: 's' } } })
    const seen: (string | null)[] = []
    const token = (name: string) => () =>
      new Response(`{"access_token":"${name}","token_type":"Bearer","expires_in":${lifetime}}`)
    const refusal = (request: Request) => {
      seen.push(request.headers.get('authorization'))
      return new Response(null, { status })
    }
    world.answers.push(token('first'), refusal, token('second'), refusal)

    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(world.provisioning.compare('crm')).rejects.toMatchObject({ failure: `http_${status}` })
      if (status !== 401) world.advance(3600)
    }

    expect(seen).toEqual(expected)
  })

  it('that answers with an access token for another header is sent nothing', async () => {
    const tokenEndpoint = 'https://auth.partner.example/token'
    const world = await start({ change: { credential: { tokenEndpoint, clientId: 'c', clientSecret: 's' } } })
    world.answers.push(() => Response.json({ access_token: 'x\r\nhost: y', token_type: 'Bearer' }))

    await expect(world.provisioning.compare('crm')).rejects.toMatchObject({ failure: 'token_malformed' })
    expect(world.sent).toHaveLength(1)
  })

  it('that repeats its first page is not read for ever (RFC 7644 §3.4.2.4)', async () => {
    const world = await start()
    const Resources = Array.from({ length: 20_000 }, () => ({ id: '1', userName: 'p' }))
    const page = JSON.stringify({ Resources })
    for (let sent = 0; sent < 20; sent += 1) world.answers.push(() => new Response(page))

    await expect(world.provisioning.compare('crm')).rejects.toMatchObject({ failure: 'too_many_resources' })
  })
})

describe('a hostile partner', () => {
  const list = (...resources: readonly object[]) =>
    Response.json({ totalResults: resources.length, Resources: resources })
  const user = (id: string) => ({ id, externalId: 'user-a', userName: 'a' })

  /** A partner that has the user `a` of this server, with an identifier of its choice. */
  const startWithUser = async (id: string) => {
    const world = await start()
    await world.storage.provisionedUsers.insert(aProvisionedUser('a'))
    await world.enable()
    world.answers.push(() => list(user(id)))
    return world
  }

  it.each(['.', '..', '\uD800', 'a\u0000'])(
    'whose identifier cannot be a part of a path is sent no change (RFC 3986 §5.2.4): %j',
    async (id) => {
      const world = await startWithUser(id)

      await world.deliverOnce()

      expect(world.changesSent()).toEqual([])
      expect(world.events).toContainEqual(
        expect.objectContaining({ type: 'delivery.failed', failure: 'resource_malformed' }),
      )
    },
  )

  it.each([
    { title: 'repeats its page for ever', ids: ['1', '1'], failure: 'too_many_resources' },
    { title: 'has two users with our identifier', ids: ['1', '2'], failure: 'externalId_ambiguous' },
  ])('that $title is not read any further, and the message is dead (RFC 7644 §3.4.2)', async ({ ids, failure }) => {
    const pages = ids.map((id) => JSON.stringify({ Resources: [user(id)] }))
    let asked = 0
    const world = await start({
      answer: ({ pathname, search }) =>
        pathname.endsWith('/Users') && search.includes('startIndex') ? new Response(pages[asked++ % 2]) : undefined,
    })
    await world.storage.provisionedUsers.insert(aProvisionedUser('a'))
    await world.storage.groups.insert(aGroup('g', { memberIds: ['user-a'] }))
    await world.enable()
    await world.provisioning.synchronize('crm')
    await world.deliver()

    expect(world.events).toContainEqual(expect.objectContaining({ type: 'delivery.dead', failure }))
    expect(asked).toBeLessThan(10)
  })

  it.each(['W/"1"\r\nhost: inside.test', 'W/"版本"', 'W/"1"\0'])(
    'whose version cannot be sent is sent the deactivation without one (RFC 9110 §13.1.1): %j',
    async (version) => {
      const world = await start()
      await world.storage.provisionedUsers.insert(aProvisionedUser('a'))
      await world.enable()
      await world.deliver()
      const [created] = await world.users()
      await changeUser(world, 'a', { active: false })
      world.answers.push(() => list({ ...created, meta: { version } }))
      await world.deliverOnce()

      expect(world.changesSent().at(-1)).toMatchObject({ method: 'PATCH', ifMatch: null })
      expect(await world.users()).toMatchObject([{ active: false }])
    },
  )

  it.each([301, 302, 303, 307, 308])(
    'that answers %i does not lead the server and its credential to another address (RFC 9700 §4.12)',
    async (status) => {
      const world = await start()
      await world.storage.provisionedUsers.insert(aProvisionedUser('a'))
      await world.enable()
      world.answers.push(() => new Response(null, { status, headers: { location: 'https://10.0.0.1/' } }))

      await world.deliverOnce()

      expect(world.sent).toHaveLength(1)
      expect(world.events).toContainEqual(
        expect.objectContaining({ type: 'delivery.failed', failure: `http_${status}` }),
      )
    },
  )

  it('whose token endpoint leads elsewhere gets no second request with the secret (RFC 6749 §10.3)', async () => {
    const tokenEndpoint = 'https://auth.partner.example/token'
    const world = await start({ change: { credential: { tokenEndpoint, clientId: 'c', clientSecret: 's' } } })
    world.answers.push(() => new Response(null, { status: 307, headers: { location: 'https://10.0.0.1/token' } }))

    await expect(world.provisioning.compare('crm')).rejects.toMatchObject({ failure: 'token_http_307' })
    expect(world.sent).toHaveLength(1)
  })

  it('whose resource is nested too deeply to be sent back is a failure that is repeated', async () => {
    const world = await start({ withoutPatch: () => new Response(null, { status: 501 }) })
    await world.storage.provisionedUsers.insert(aProvisionedUser('a'))
    await world.enable()
    const deep = `{"id":"1","externalId":"user-a","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    world.answers.push(() => list(user('1')))
    world.answers.push(() => new Response(deep))

    await world.deliverOnce()

    expect(world.events).toContainEqual(
      expect.objectContaining({ type: 'delivery.failed', failure: 'resource_malformed' }),
    )
  })
})

describe('a target', () => {
  it('is disabled when it is created: a comparison shows what would be sent, and nothing is sent', async () => {
    const world = await start()
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    await world.deliver()

    const report = await world.provisioning.compare('crm')

    expect(world.changesSent()).toEqual([])
    expect(report).toMatchObject({
      users: 1,
      groups: 0,
      divergences: [
        { kind: 'user', state: 'missing', localId: 'user-p', requests: [{ method: 'POST', path: '/Users' }] },
      ],
    })
    expect(JSON.stringify(report)).not.toContain(world.secret)
  })

  it('that is enabled and synchronized gets everything, after which a comparison shows nothing', async () => {
    const world = await start()
    for (const label of 'abc') await world.storage.provisionedUsers.insert(aProvisionedUser(label))
    await world.storage.groups.insert(aGroup('g', { memberIds: ['user-a', 'user-c'] }))
    await world.enable()
    expect(await world.provisioning.synchronize('crm')).toEqual({ users: 3, groups: 1 })
    await world.deliver()

    expect((await world.users()).map(({ externalId }) => externalId).toSorted(byText)).toEqual([
      'user-a',
      'user-b',
      'user-c',
    ])
    expect(await world.provisioning.compare('crm')).toEqual({ users: 3, groups: 1, divergences: [] })
  })

  it('is compared with changes that the partner made, which a synchronization repairs; what only it has is listed', async () => {
    const world = await start()
    await world.storage.provisionedUsers.insert(aProvisionedUser('a'))
    await world.enable()
    await world.provisioning.synchronize('crm')
    await world.deliver()
    const partner = world.answers
    const [user] = await world.users()
    const list = {
      totalResults: 2,
      Resources: [
        { ...user, active: false },
        { id: 'own', userName: 'local' },
      ],
    }
    partner.push(() => Response.json(list))

    const { divergences } = await world.provisioning.compare('crm')

    expect(divergences).toMatchObject([
      { state: 'different', localId: 'user-a', requests: [{ method: 'PATCH' }] },
      { state: 'extra', remoteId: 'own', name: 'local', requests: [] },
    ])
  })

  it.each([
    ['target_id_invalid', { targetId: 'a/b' }],
    ['target_id_invalid', { targetId: 'x'.repeat(65) }],
    ['target_url_invalid', { baseUrl: 'http://partner.example' }],
    ['target_url_invalid', { baseUrl: 'https://10.0.0.1/scim' }],
    ['target_url_invalid', { baseUrl: 'https://partner.example/scim#' }],
    ['target_url_invalid', { baseUrl: `${issuer}/scim/v2/enterprise-idps/x` }],
    ['target_credential_invalid', { credential: { bearerToken: 'a b' } }],
    ['target_credential_invalid', { credential: { tokenEndpoint: 'http://x.test', clientId: 'a', clientSecret: 'b' } }],
    ['target_selection_empty', { providerIds: [] }],
  ])('is refused with %s for %j, and nothing is stored', async (reason, change) => {
    const world = await start()
    const before = await world.storage.webhooks.list()
    const target = {
      targetId: 'two',
      displayName: 'Two',
      baseUrl,
      credential: { bearerToken: 'x' },
      providerIds: ['provider-1'],
    }

    const refused = world.provisioning.targets.create({ ...target, ...change })

    await expect(refused).rejects.toBeInstanceOf(ProvisioningError)
    await expect(refused).rejects.toMatchObject({ reason })
    expect(await world.storage.webhooks.list()).toEqual(before)
  })

  it('of a server without the option provisioning keeps its messages', async () => {
    const world = await start()
    await world.enable()
    const keys = createStoredKeys({ storage: world.storage, sealingKey: 'A'.repeat(43), clock: world.now })
    const other = createAuthorizationServer({
      issuer,
      storage: world.storage,
      keys,
      clock: world.now,
      signedIn: async () => undefined,
    })
    await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
    await other.deliverOnce()
    world.advance(30)
    await world.deliver()

    expect(await world.users()).toHaveLength(1)
  })
})
