import { addProviderSecret, revokePreviousProviderSecrets, registerIdentityProvider } from '@mintmark/scim'
import { providerId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { basic, obtainTokens } from '../support/flow.ts'
import { expectScimRefusal, type ScimRefusal } from '../support/expect-scim-refusal.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'

let site: ScimSite
let userOfT2: string
beforeAll(async () => {
  site = await startScimSite()
  const created = await create(site.secrets.T2, 'T2', 'bob@x')
  userOfT2 = String(created.json['id'])
})
afterAll(() => site.close())

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const create = (secret: string, provider: string, userName: string, more: object = {}) =>
  site.send({
    method: 'POST',
    provider,
    headers: { authorization: `Bearer ${secret}` },
    body: { schemas: [core], userName, ...more },
  })

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const

describe('SCIM: caller authentication', () => {
  const s1 = () => site.secrets.T1
  type Row = readonly [row: string, authorization: () => string, refusal: ScimRefusal]

  it.each<Row>([
    ['no Authorization', () => '', { status: 401, reason: 'credentials_missing' }],
    ['a wrong secret', () => 'Bearer wrong', { status: 401, reason: 'access_token_invalid' }],
    ['a truncated secret', () => `Bearer ${s1().slice(0, -1)}`, { status: 401, reason: 'secret_malformed' }],
    ['the secret in capitals', () => `Bearer ${s1().toUpperCase()}`, { status: 401, reason: 'secret_malformed' }],
    ['an additional character', () => `Bearer ${s1()}A`, { status: 401, reason: 'secret_malformed' }],
    [
      'a changed character',
      () => `Bearer ${s1().slice(0, -2)}${s1().endsWith('AA') ? 'BB' : 'AA'}`,
      { status: 401, reason: 'secret_unknown' },
    ],
    [
      'the secret of an unknown provider',
      () => `Bearer mmscim_T9_${'A'.repeat(43)}`,
      { status: 401, reason: 'secret_unknown' },
    ],
    ['a string without a scheme', () => 'non-token', { status: 401, reason: 'credentials_malformed' }],
    ['the secret by Basic', () => basic('T1', s1()), { status: 401, reason: 'credentials_malformed' }],
    [
      'two tokens in one header',
      () => `Bearer ${s1()}, Bearer ${s1()}`,
      { status: 401, reason: 'credentials_malformed' },
    ],
    ['the cookie of a browser session alone', () => '', { status: 401, reason: 'credentials_missing' }],
  ])('rejects a request with %s (RFC 7644 §2)', async (_, authorization, refusal) => {
    await expectScimRefusal(site, { ...refusal, secrets: [s1()] }, () =>
      site.send({ headers: { authorization: authorization(), cookie: 'host=U1.1790000000' } }),
    )
  })

  it('tells whoever uses another scheme to send a Bearer token, and nothing about the secret', async () => {
    const right = await site.send({ headers: { authorization: basic('T1', s1()) } })
    const wrong = await site.send({ headers: { authorization: basic('T1', 'x') } })

    expect(right.json).toMatchObject({
      status: '401',
      detail: expect.stringContaining('as one Bearer token') as string,
    })
    expect(wrong.text).toBe(right.text)
  })

  it('401 names the scheme, and is the same for every kind of wrong secret (RFC 7644 §2)', async () => {
    const missing = await site.send({ headers: { authorization: '' } })
    const wrong = await site.send({ headers: { authorization: `Bearer mmscim_T1_${'A'.repeat(43)}` } })
    const disabled = await site.send({ provider: 'T0', headers: { authorization: `Bearer ${site.secrets.T0}` } })

    expect(missing.header('www-authenticate')).toBe('Bearer realm="scim"')
    expect(wrong.header('www-authenticate')).toBe('Bearer realm="scim", error="invalid_token"')
    expect([disabled.status, disabled.text, disabled.header('www-authenticate')]).toEqual([
      wrong.status,
      wrong.text,
      wrong.header('www-authenticate'),
    ])
  })

  it('rejects two Authorization headers, even if one of them is valid (RFC 6750 §2)', async () => {
    await expectScimRefusal(site, { status: 400, reason: 'credentials_twice' }, () =>
      site.send({ headers: { authorization: [`Bearer ${s1()}`, 'Bearer x'] } }),
    )
  })

  it("Okta's header mode: recognises the secret without the word Bearer", async () => {
    expect((await site.send({ headers: { authorization: s1() } })).status).toBe(200)
    expect((await site.send({ headers: { authorization: `bEaReR ${s1()}` } })).status).toBe(200)
  })

  it.each(verbs)(
    'refuses the secret of T1 at the URL of T2 with 403 for %s, whether or not T2 exists',
    async (method) => {
      const answers = await Promise.all(
        ['T2', 'T9'].map((provider) => site.send({ method, provider, path: `/users/${userOfT2}`, body: '{}' })),
      )

      expect(answers.map(({ status }) => status)).toEqual([403, 403])
      expect(answers[0]?.text).toBe(answers[1]?.text)
      expect(site.lastReason()).toBe('provider_mismatch')
    },
  )

  it.each(['t1', 'T1%00', 'T1%20', './T2', 'T1/../T2', 'T1%2f..%2fT2', 'T1;x', 'T1.', '%541'])(
    'does not accept %s in the tenant URL as the provider T1 or T2',
    async (provider) => {
      const reply = await site.send({ provider, path: `/users/${userOfT2}` })

      expect([403, 404]).toContain(reply.status)
      expect(reply.text).not.toContain('bob')
    },
  )

  it.each(verbs)('rejects the secret of a disabled provider for %s', async (method) => {
    const reply = await site.send({
      method,
      provider: 'T0',
      headers: { authorization: `Bearer ${site.secrets.T0}` },
      body: '{}',
    })

    expect(reply.status).toBe(401)
    expect(site.lastReason()).toBe('provider_disabled')
  })
})

describe('SCIM: secrets of providers', () => {
  const use = async (secret: string, provider: string) =>
    (await site.send({ provider, headers: { authorization: `Bearer ${secret}` } })).status

  it('accepts two secrets at the same time; the old secret expires at its time, and a revoked secret at once', async () => {
    const { storage, oauth } = site
    const deps = { storage, clock: oauth.clock.now }
    const { secret: first } = await registerIdentityProvider({ providerId: 'rotating' }, deps)

    const second = await addProviderSecret('rotating', { previousExpiresAt: oauth.clock.now() + 3600 }, deps)
    expect([await use(first, 'rotating'), await use(second, 'rotating')]).toEqual([200, 200])
    oauth.clock.advance(3600)
    expect([await use(first, 'rotating'), await use(second, 'rotating')]).toEqual([401, 200])
    const third = await addProviderSecret('rotating', {}, deps)
    await revokePreviousProviderSecrets('rotating', deps)
    expect([await use(second, 'rotating'), await use(third, 'rotating')]).toEqual([401, 200])
  })

  it('stores only hashes, and records when a secret was last used', async () => {
    const { provider, secret } = await registerIdentityProvider({ providerId: 'noted' }, { storage: site.storage })

    await use(secret, 'noted')

    expect(provider.secrets[0]?.lastUsedAt).toBeUndefined()
    expect((await site.storage.identityProviders.find(providerId('noted')))?.secrets[0]?.lastUsedAt).toBe(
      site.oauth.clock.now(),
    )
    for (const stored of [...Object.values(site.secrets), secret])
      expect(site.dump()).not.toContain(stored.replace(/^mmscim_[^_]+_/, ''))
  })

  it('an identifier is not reused: the old secret stays invalid and no users are inherited', async () => {
    const deps = { storage: site.storage }
    const { secret } = await registerIdentityProvider({ providerId: 'gone' }, deps)
    await create(secret, 'gone', 'carol@x')
    await site.storage.identityProviders.remove(providerId('gone'), site.oauth.clock.now())

    await expect(registerIdentityProvider({ providerId: 'gone' }, deps)).rejects.toMatchObject({
      reason: 'identifier_taken',
    })
    expect(await use(secret, 'gone')).toBe(401)
  })

  it.each(['under_score', '', 'a b', 'ä', 'x'.repeat(65), '../T2'])(
    'rejects %j as a provider identifier',
    async (id) => {
      await expect(registerIdentityProvider({ providerId: id }, { storage: site.storage })).rejects.toMatchObject({
        reason: 'identifier_invalid',
      })
    },
  )
})

describe('SCIM: access tokens of this server', () => {
  it('rejects a token without the scope with 403', async () => {
    const { access_token: token = '' } = await obtainTokens(site.oauth)

    await expectScimRefusal(site, { status: 403, reason: 'scope_missing', secrets: [token] }, () =>
      site.send({ headers: { authorization: `Bearer ${token}` } }),
    )
  })
})

describe('SCIM: users of other providers', () => {
  it('a user of another provider gets the same 404 as a user that never existed', async () => {
    const [other, unknown] = await Promise.all([userOfT2, 'unknown'].map((id) => site.send({ path: `/users/${id}` })))

    expect(other?.status).toBe(404)
    expect(other?.text).toBe(unknown?.text)
    expect(site.lastReason()).toBe('resource_not_found')
  })

  it('does not read a tenant from the body', async () => {
    const reply = await create(site.secrets.T1, 'T1', 'mallory@x', {
      provider_id: 'T2',
      tenantId: 'T2',
      'urn:x:tenant': { id: 'T2' },
    })

    const list = await site.send({ provider: 'T2', headers: { authorization: `Bearer ${site.secrets.T2}` } })
    expect(reply.status).toBe(201)
    expect(list.text).not.toContain('mallory')
  })

  it('two providers may use the same userName', async () => {
    const before = await site.send({
      provider: 'T2',
      path: `/users/${userOfT2}`,
      headers: { authorization: `Bearer ${site.secrets.T2}` },
    })

    const reply = await create(site.secrets.T1, 'T1', 'bob@x')

    expect(reply.status).toBe(201)
    const after = await site.send({
      provider: 'T2',
      path: `/users/${userOfT2}`,
      headers: { authorization: `Bearer ${site.secrets.T2}` },
    })
    expect(after.text).toBe(before.text)
  })

  it.each(['users', 'Users', 'USERS', '/users', 'users/'])(
    '/%s reaches the same route and requires authentication',
    async (name) => {
      expect((await site.send({ path: `/${name}` })).status).toBe(200)
      expect((await site.send({ path: `/${name}`, headers: { authorization: '' } })).status).toBe(401)
    },
  )
})
