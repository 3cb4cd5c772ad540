import { type JsonObject, providerId, userId, type UserId } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import { addProviderSecret, ProviderError, registerIdentityProvider, type ToleranceProfile } from '../../src/index.ts'
import { idOf, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const profiles: readonly ToleranceProfile[] = ['strict', 'general', 'entra', 'okta', 'oneLogin', 'all']

const post = (scim: ScimUnderTest, body: object, provider = 'T1') =>
  scim.send({ method: 'POST', path: '/Users', provider, body: { schemas: [core], ...body } })

const patch = (scim: ScimUnderTest, id: string, value: object) => sendPatch(scim, id, [{ op: 'replace', value }])

const sendPatch = (scim: ScimUnderTest, id: string, operations: readonly object[]) =>
  scim.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations },
  })

const sendBulk = (scim: ScimUnderTest, operations: readonly object[]) =>
  scim.send({
    method: 'POST',
    path: '/Bulk',
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: operations },
  })

const put = (scim: ScimUnderTest, id: string, body: object) =>
  scim.send({ method: 'PUT', path: `/Users/${id}`, body: { schemas: [core], ...body } })

const claimsOf = async (scim: ScimUnderTest, id: string): Promise<JsonObject | undefined> =>
  (await scim.storage.users.find(userId(id)))?.claims

/** Sets the verified domains of a provider, as an administrator does. */
async function setVerifiedDomains(scim: ScimUnderTest, verifiedDomains: readonly string[], id = 'T1'): Promise<void> {
  const { identityProviders } = scim.storage
  const provider = await identityProviders.find(providerId(id))
  if (provider === undefined) throw new TypeError('The provider does not exist.')
  await identityProviders.compareAndSwap({ ...provider, verifiedDomains }, provider.version)
}

describe('e-mail addresses', () => {
  test('are verified only in the verified domains of the provider that writes them (OIDC Core §5.1)', async () => {
    const scim = await startScim()
    await setVerifiedDomains(scim, ['example.com'])
    const isVerified = async (email: string, provider?: string) => {
      const created = await post(scim, { userName: `${email} ${provider}`, emails: [{ value: email }] }, provider)
      return (await claimsOf(scim, idOf(created)))?.['email_verified']
    }

    expect(await isVerified('a@example.com')).toBe(true)
    expect(await isVerified('b@EXAMPLE.com')).toBe(true)
    expect(await isVerified('a@example.com', 'T2')).toBe(false)
    expect(await isVerified('a@sub.example.com')).toBe(false)
    expect(await isVerified('a@notexample.com')).toBe(false)
    expect(await isVerified('a@example.com.evil.test')).toBe(false)
  })

  test.each([
    'mallory@evil.test,x@example.com',
    'Mallory <m@evil.test> @example.com',
    'm@evil.test@example.com',
    '@example.com',
    '"a b"@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@example.com\u2028',
    'a@example.com.',
    `${'a'.repeat(65)}@example.com`,
  ])('%j is never verified, even if the hook of the host says so (RFC 5322 §3.4.1)', async (value) => {
    const scim = await startScim({ emailVerified: () => true })

    const created = await post(scim, { userName: 'mallory', emails: [{ value }] })

    const claims = created.status === 201 ? await claimsOf(scim, idOf(created)) : undefined
    expect(claims?.['email_verified'] ?? false).toBe(false)
  })

  test('the hooks emailVerified and claims receive the identifiers of the provider and the user', async () => {
    const seen: object[] = []
    const scim = await startScim({
      emailVerified: (email, { providerId: id }) => id === 'T1' && email.endsWith('@example.com'),
      claims: (resource, source) => {
        seen.push(source)
        return source.providerId === 'T1' ? { roles: resource['roles'] } : {}
      },
    })
    const ceo = { userName: 'ceo@example.com', emails: [{ value: 'ceo@example.com' }], roles: [{ value: 'admin' }] }

    const own = idOf(await post(scim, ceo))
    const evil = idOf(await post(scim, ceo, 'T2'))

    expect(await claimsOf(scim, own)).toMatchObject({ email_verified: true, roles: [{ value: 'admin' }] })
    expect(await claimsOf(scim, evil)).toMatchObject({ email_verified: false })
    expect(await claimsOf(scim, evil)).not.toHaveProperty('roles')
    expect(seen).toEqual([
      { providerId: 'T1', userId: own, verifiedDomains: [] },
      { providerId: 'T2', userId: evil, verifiedDomains: [] },
    ])
    expect(await scim.storage.users.find(userId(evil))).toMatchObject({ providerId: 'T2' })
  })

  test.each(['', 'com', '*.example.com', 'example.com/x', '@example.com', 'a b.com'])(
    'registration rejects the domain %j',
    async (domain) => {
      const { storage } = await startScim()

      const registration = registerIdentityProvider({ providerId: 'T3', verifiedDomains: [domain] }, { storage })

      await expect(registration).rejects.toThrow(ProviderError)
      expect(await storage.identityProviders.find(providerId('T3'))).toBeUndefined()
    },
  )
})

describe('linking a user of the host', () => {
  const host = {
    name: 'Ann Host',
    email: 'ann@home.test',
    email_verified: true,
    preferred_username: 'ann',
  }
  const written = {
    userName: 'ann@evil.test',
    displayName: 'Not Ann',
    emails: [{ value: 'ann@evil.test' }],
    title: 'x',
  }

  async function startLinked(claims: JsonObject, resource: object = written) {
    const scim = await startScim({ link: () => Promise.resolve(userId('ann')) })
    await setVerifiedDomains(scim, ['acme.test'])
    await scim.storage.users.insert({ userId: userId('ann'), claims, createdAt: scim.clock.now() })
    expect(await post(scim, resource)).toMatchObject({ status: 201, body: { id: 'ann' } })
    return scim
  }

  test('keeps verified data, even when the directory writes again', async () => {
    const scim = await startLinked(host)
    expect(await claimsOf(scim, 'ann')).toMatchObject(host)

    await patch(scim, 'ann', { nickName: 'Annie' })
    await patch(scim, 'ann', { emails: [{ value: 'other@evil.test' }] })
    await put(scim, 'ann', { ...written, title: 'y' })

    expect(await claimsOf(scim, 'ann')).toMatchObject({ ...host })
  })

  test('accepts a later address in a domain that is verified for the directory', async () => {
    const scim = await startLinked(host)

    await patch(scim, 'ann', { emails: [{ value: 'ann@acme.test' }], displayName: 'Ann Acme' })

    expect(await claimsOf(scim, 'ann')).toMatchObject({
      email: 'ann@acme.test',
      email_verified: true,
      name: 'Ann Acme',
    })
  })

  test('replaces an address in a verified domain with another address in this domain', async () => {
    const scim = await startLinked(host, { ...written, emails: [{ value: 'first@acme.test' }] })

    await patch(scim, 'ann', { emails: [{ value: 'second@acme.test' }] })

    expect(await claimsOf(scim, 'ann')).toMatchObject({ email: 'second@acme.test', email_verified: true })
  })

  test('replaces unverified data', async () => {
    const scim = await startLinked({ email: 'ann@home.test', email_verified: false, name: 'Ann' })

    expect(await claimsOf(scim, 'ann')).toMatchObject({
      email: 'ann@evil.test',
      email_verified: false,
      name: 'Not Ann',
    })
  })
})

describe.each(profiles)('POST /Users with a known externalId, profile %s', (toleranceProfile) => {
  test('rejects another userName, and keeps the user (RFC 7644 §3.3)', async () => {
    const scim = await startScim({ toleranceProfile })
    const john = idOf(await post(scim, { userName: 'john@a.test', externalId: 'john', title: 'Boss' }))
    const before = await scim.storage.users.find(userId(john))

    const other = await post(scim, { userName: 'john@b.test', externalId: 'john' })
    const both = idOf(await post(scim, { userName: 'jane@a.test', externalId: 'jane' }))
    const crossed = await post(scim, { userName: 'jane@a.test', externalId: 'john' })

    expect([other, crossed]).toMatchObject([
      { status: 409, body: { scimType: 'uniqueness' } },
      { status: 409, body: { scimType: 'uniqueness' } },
    ])
    expect(scim.lastReason()).toBe('external_id_taken')
    expect(await scim.storage.users.find(userId(john))).toEqual(before)
    expect(await scim.storage.users.find(userId(both))).toMatchObject({ version: 1 })
  })

  test('accepts the same user again', async () => {
    const scim = await startScim({ toleranceProfile })
    const body = { userName: 'john@a.test', externalId: 'john' }
    const first = await post(scim, body)

    const again = await post(scim, body)
    const otherCase = await post(scim, { ...body, userName: 'JOHN@a.test' })

    expect([again, otherCase]).toMatchObject([
      { status: 201, body: { id: idOf(first) } },
      { status: 201, body: { id: idOf(first) } },
    ])
  })
})

describe('a user whom the host has blocked', () => {
  const body = { userName: 'eve', externalId: 'e1' }

  async function startBlocked(options: Parameters<typeof startScim>[0] = {}) {
    const scim = await startScim(options)
    const id = userId(idOf(await post(scim, body)))
    await scim.storage.users.deactivate(id, scim.clock.now())
    return { scim, id, read: () => scim.storage.users.find(id) }
  }

  const attempts: Readonly<Record<string, (scim: ScimUnderTest, id: UserId) => Promise<unknown>>> = {
    'a PATCH': (scim, id) => patch(scim, id, { active: true }),
    'a PATCH after a PATCH with active false': async (scim, id) => {
      await patch(scim, id, { active: false })
      return patch(scim, id, { active: true })
    },
    '20 concurrent PATCH requests': (scim, id) =>
      Promise.all(Array.from({ length: 20 }, (_, index) => patch(scim, id, { active: true, title: `${index}` }))),
    'a PUT': (scim, id) => put(scim, id, { ...body, active: true }),
    'a POST': (scim) => post(scim, { ...body, active: true }),
    'a Bulk request': (scim, id) =>
      sendBulk(scim, [{ method: 'PUT', path: `/Users/${id}`, data: { schemas: [core], ...body, active: true } }]),
    'a sign-in': (scim) =>
      scim.server.signInFromProvider({ providerId: 'T1', externalId: 'e1', profile: { userName: 'eve' } }),
  }

  test.each(Object.entries(attempts))('stays blocked after %s', async (_, attempt) => {
    const { scim, id, read } = await startBlocked()

    await attempt(scim, id)

    expect(await read()).toMatchObject({ active: false, generation: 1 })
    expect((await scim.send({ path: `/Users/${id}` })).body).toMatchObject({ active: false })
    expect(scim.events.map(({ type }) => type)).not.toContain('user.reactivated')
  })

  test('is active again when the host lifts the block, unless the directory has deactivated the user', async () => {
    for (const active of [true, false]) {
      const { scim, id, read } = await startBlocked()
      await patch(scim, id, { title: 'x' })
      if (!active) await patch(scim, id, { active })

      await scim.storage.users.reactivate(id, scim.clock.now())

      expect(await read()).toMatchObject({ active, blockedAt: undefined })
    }
  })

  test('stays blocked when the directory removes the user and creates the user again', async () => {
    for (const again of [body, { userName: 'EVE' }, { userName: 'other', externalId: 'e1' }]) {
      const { scim, id } = await startBlocked()
      await scim.send({ method: 'DELETE', path: `/Users/${id}` })

      const created = await post(scim, again)

      expect(created).toMatchObject({ status: 201, body: { active: false } })
      await patch(scim, idOf(created), { active: true })
      expect(await scim.storage.users.find(userId(idOf(created)))).toMatchObject({ active: false })
    }
  })

  test.each([{ userName: 'EVE' }, { externalId: 'e1' }])(
    'passes the block on, after removal, to a user who takes over an identifier: %o',
    async (keys) => {
      const { scim, id } = await startBlocked()
      await scim.send({ method: 'DELETE', path: `/Users/${id}` })
      const other = idOf(await post(scim, { userName: 'other', externalId: 'other' }))

      const renamed = await patch(scim, other, keys)

      expect(renamed).toMatchObject({ status: 200, body: { active: false } })
      expect(await scim.storage.users.find(userId(other))).toMatchObject({ active: false, generation: 1 })
      expect(scim.events.at(-1)).toMatchObject({ type: 'user.deactivated', userId: other })
      await scim.send({ method: 'DELETE', path: `/Users/${other}` })
      expect(await post(scim, body)).toMatchObject({ status: 201, body: { active: false } })
    },
  )

  const renamings: Readonly<Record<string, (scim: ScimUnderTest, id: UserId) => Promise<ScimReply>>> = {
    'a PATCH of the userName': (scim, id) => patch(scim, id, { userName: 'new' }),
    'a PATCH of the externalId': (scim, id) => patch(scim, id, { externalId: 'new' }),
    'a PATCH that changes both and activates the user': (scim, id) =>
      patch(scim, id, { userName: 'new', externalId: 'new', active: true }),
    'a PATCH that removes the externalId': (scim, id) => sendPatch(scim, id, [{ op: 'remove', path: 'externalId' }]),
    'a PUT with other identifiers': (scim, id) => put(scim, id, { userName: 'new', externalId: 'new' }),
    'a PUT without externalId': (scim, id) => put(scim, id, { userName: 'eve' }),
  }

  test.each(Object.entries(renamings))(
    'keeps its identifiers, so that the directory cannot create the user a second time: %s (RFC 7644 §3.12)',
    async (_, rename) => {
      const { scim, id, read } = await startBlocked()
      const before = await read()

      expect((await rename(scim, id)).status).toBe(403)

      expect(scim.lastReason()).toBe('change_refused')
      expect(await read()).toEqual(before)
      expect(await post(scim, { ...body, userName: 'new' })).toMatchObject({ status: 409 })
      expect(await post(scim, { ...body, externalId: 'new' })).toMatchObject({ status: 409 })
    },
  )

  test('keeps its identifiers in a Bulk request (RFC 7644 §3.12)', async () => {
    const { scim, id, read } = await startBlocked()
    const before = await read()

    const reply = await sendBulk(scim, [
      { method: 'PUT', path: `/Users/${id}`, data: { schemas: [core], userName: 'new', externalId: 'new' } },
      { method: 'POST', path: '/Users', bulkId: 'b', data: { schemas: [core], ...body, userName: 'other' } },
    ])

    expect(reply.body).toMatchObject({ Operations: [{ status: '403' }, { status: '409' }] })
    expect(await read()).toEqual(before)
  })

  test('may be sent again with its identifiers, and with its userName in other letter case', async () => {
    const { scim, id } = await startBlocked()

    expect(await put(scim, id, { ...body, userName: 'EVE' })).toMatchObject({ status: 200, body: { active: false } })
  })

  test('keeps an identifier that another user had, whose block applies to the user', async () => {
    const { scim, id } = await startBlocked()
    await scim.send({ method: 'DELETE', path: `/Users/${id}` })
    const other = idOf(await post(scim, { userName: 'other', externalId: 'other' }))
    await patch(scim, other, { userName: 'eve' })

    expect(await patch(scim, other, { userName: 'other' })).toMatchObject({ status: 403 })

    expect(scim.lastReason()).toBe('change_refused')
    expect(await scim.send({ path: `/Users/${other}` })).toMatchObject({ body: { userName: 'eve', active: false } })
  })

  test('gets other identifiers again when the host lifts the block', async () => {
    const { scim, id } = await startBlocked()
    await scim.storage.users.reactivate(id, scim.clock.now())

    expect(await patch(scim, id, { userName: 'new', externalId: 'new' })).toMatchObject({ status: 200 })
    expect(await post(scim, body)).toMatchObject({ status: 201, body: { active: true } })
  })

  test('is not reactivated by a PATCH: mayChange is called for an update, and the event is user.changed', async () => {
    const { scim, id } = await startBlocked()
    await patch(scim, id, { active: false })
    const kinds: string[] = []
    const asked = scim.startAnother({ mayChange: ({ kind }) => (kinds.push(kind), Promise.resolve(true)) })

    const reply = await asked.send({
      method: 'PATCH',
      path: `/Users/${id}`,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', value: { active: true } }],
      },
    })

    expect([reply.status, kinds]).toEqual([200, ['update']])
    expect(scim.events.at(-1)).toMatchObject({ type: 'user.changed', userId: id })
    expect(await scim.storage.users.find(userId(id))).toMatchObject({ active: false })
  })

  test('stays blocked when a directory links the user', async () => {
    const scim = await startScim({ link: () => Promise.resolve(userId('local')) })
    await scim.storage.users.insert({ userId: userId('local'), claims: {}, createdAt: scim.clock.now() })
    await scim.storage.users.deactivate(userId('local'), scim.clock.now())

    expect(await post(scim, { ...body, active: true })).toMatchObject({ status: 201, body: { active: false } })
    await patch(scim, 'local', { active: true })
    await scim.send({ method: 'DELETE', path: '/Users/local' })
    await post(scim, { ...body, active: true })

    expect(await scim.storage.users.find(userId('local'))).toMatchObject({ active: false })
  })
})

describe('a sign-in', () => {
  const login = { providerId: 'T1', externalId: 'e1', profile: { userName: 'eve' } }

  test('does not create a removed user until the directory creates the user again', async () => {
    const scim = await startScim()
    const id = idOf(await post(scim, { userName: 'eve', externalId: 'e1' }))
    await scim.send({ method: 'DELETE', path: `/Users/${id}` })

    expect(await scim.server.signInFromProvider(login)).toEqual({ outcome: 'removed' })
    expect(await scim.storage.provisionedUsers.findByExternalId(providerId('T1'), 'e1')).toBeUndefined()
    expect(await scim.server.signInFromProvider({ ...login, providerId: 'T2' })).toMatchObject({ isNew: true })

    const again = idOf(await post(scim, { userName: 'eve', externalId: 'e1' }))
    expect(await scim.server.signInFromProvider(login)).toEqual({ outcome: 'signed_in', userId: again, isNew: false })
  })

  test('does not create a removed user when 20 sign-ins race with the DELETE', async () => {
    const scim = await startScim()
    const id = idOf(await post(scim, { userName: 'eve', externalId: 'e1' }))

    const [, ...signIns] = await Promise.all([
      scim.send({ method: 'DELETE', path: `/Users/${id}` }),
      ...Array.from({ length: 20 }, () => scim.server.signInFromProvider(login)),
    ])

    expect(signIns.filter((signIn) => 'isNew' in signIn && signIn.isNew)).toEqual([])
    expect(await scim.server.signInFromProvider(login)).toEqual({ outcome: 'removed' })
  })

  test('does not link a user of the host whom the directory has removed', async () => {
    const scim = await startScim({ link: () => Promise.resolve(userId('local')) })
    await scim.storage.users.insert({ userId: userId('local'), claims: {}, createdAt: scim.clock.now() })
    await post(scim, { userName: 'eve', externalId: 'e1' })
    await scim.send({ method: 'DELETE', path: '/Users/local' })

    expect(await scim.server.signInFromProvider(login)).toEqual({ outcome: 'removed' })
    expect(await scim.storage.users.find(userId('local'))).toMatchObject({ active: false, providerId: undefined })
  })

  test('does not create a user if the host asks only for provisioned users', async () => {
    const scim = await startScim()

    expect(await scim.server.signInFromProvider({ ...login, create: false })).toEqual({ outcome: 'not_provisioned' })
    expect(await scim.storage.provisionedUsers.findByExternalId(providerId('T1'), 'e1')).toBeUndefined()
  })
})

test('users created within the window do not raise the number of users who may be deprovisioned', async () => {
  const scim = await startScim({ deprovisioningLimit: { percent: 20 } })
  const create = async (name: string) => idOf(await post(scim, { userName: name }))
  const real = await Promise.all(Array.from({ length: 50 }, (_, index) => create(`real-${index}`)))
  scim.clock.advance(3600)
  await Promise.all(Array.from({ length: 200 }, (_, index) => create(`dummy-${index}`)))

  const statuses: number[] = []
  for (const id of real.slice(0, 20)) statuses.push((await patch(scim, id, { active: false })).status)

  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
})

test('the secret of one directory cannot write the users of another', async () => {
  const scim = await startScim()
  const id = idOf(await post(scim, { userName: 'eve', externalId: 'e1' }))
  await addProviderSecret('T2', {}, { storage: scim.storage })

  const moved = await scim.send({
    method: 'PUT',
    path: `/Users/${id}`,
    provider: 'T2',
    body: { schemas: [core], userName: 'x' },
  })
  const created = await post(scim, { userName: 'eve', externalId: 'e1' }, 'T2')

  expect(moved.status).toBe(404)
  expect(idOf(created)).not.toBe(id)
  expect(await scim.storage.users.find(userId(id))).toMatchObject({ providerId: 'T1', version: 1 })
})

test('adds no secret to an unknown provider (RFC 7644 §2)', async () => {
  const { storage } = await startScim()

  await expect(addProviderSecret('T9', {}, { storage })).rejects.toMatchObject({ reason: 'provider_unknown' })
})
