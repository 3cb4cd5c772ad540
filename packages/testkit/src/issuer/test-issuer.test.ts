import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import { createTestIssuer, type TestIssuer } from './test-issuer.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const web = {
  clientId: 'app',
  clientName: 'App',
  redirectUris: ['https://app.test/cb'],
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'profile', 'offline_access'],
}

async function withApp(): Promise<{ issuer: TestIssuer; clientSecret: string }> {
  const issuer = createTestIssuer({ now: 1_893_456_000 })
  const { clientSecret = '' } = await issuer.addClient(web)
  return { issuer, clientSecret }
}

const payloadOf = (jwt = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
const keyOf = (jwt = ''): unknown =>
  (JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as { kid: unknown }).kid

test('signs in any user to a client, and returns the tokens', async () => {
  const { issuer, clientSecret } = await withApp()
  await issuer.addUser('ann', { name: 'Ann Lee' })

  const tokens = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret, nonce: 'n1' })

  expect(payloadOf(tokens.id_token)).toMatchObject({
    iss: 'https://issuer.test',
    sub: 'ann',
    aud: 'app',
    nonce: 'n1',
    iat: 1_893_456_000,
  })
  expect(tokens.scope).toBe('openid profile offline_access')
  const info = await issuer.fetch('https://issuer.test/userinfo', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  expect(await info.json()).toEqual({ sub: 'ann', name: 'Ann Lee' })
  expect(issuer.events.map(({ type }) => type)).toContain('tokens.issued')
})

test('signs a user in to a client with default_max_age 0 (OIDC Core §3.1.2.1)', async () => {
  const issuer = createTestIssuer()
  const { clientSecret = '' } = await issuer.addClient({ ...web, defaultMaxAge: 0 })

  const tokens = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })

  expect(payloadOf(tokens.id_token)).toMatchObject({ sub: 'ann', auth_time: issuer.clock.now() })
})

test('signs in a user 101 times while the clock stands still', async () => {
  const { issuer, clientSecret } = await withApp()

  for (let signIn = 0; signIn < 101; signIn += 1)
    await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret, scope: 'openid' })

  expect(issuer.events.filter(({ type }) => type === 'code.issued')).toHaveLength(101)
})

test('signs users in to public clients, and to clients that use client_secret_post', async () => {
  const issuer = createTestIssuer({ issuer: 'https://id.test/tenant' })
  await issuer.addClient({ ...web, clientId: 'spa', tokenEndpointAuthMethod: 'none' })
  const { clientSecret = '' } = await issuer.addClient({
    ...web,
    clientId: 'posting',
    tokenEndpointAuthMethod: 'client_secret_post',
  })

  expect((await issuer.signIn({ subject: 'ann', clientId: 'spa', scope: 'openid' })).scope).toBe('openid')
  expect(payloadOf((await issuer.signIn({ subject: 'bo', clientId: 'posting', clientSecret })).id_token)['sub']).toBe(
    'bo',
  )
})

test('the clock advances only when the test advances it', async () => {
  const { issuer, clientSecret } = await withApp()
  const { access_token } = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })
  const userinfo = async () =>
    (await issuer.fetch('https://issuer.test/userinfo', { headers: { authorization: `Bearer ${access_token}` } }))
      .status

  expect(await userinfo()).toBe(200)
  issuer.clock.advance(601)
  expect(await userinfo()).toBe(401)
})

test('signs with a new key after rotateKeys, and still publishes the previous one', async () => {
  const { issuer, clientSecret } = await withApp()
  const before = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })
  issuer.rotateKeys()
  const after = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })

  const jwks = (await (await issuer.fetch('https://issuer.test/jwks')).json()) as { keys: { kid: string }[] }
  expect([keyOf(before.access_token), keyOf(after.access_token)]).toEqual(['test-es256-1', 'test-es256-2'])
  expect(jwks.keys.map(({ kid }) => kid)).toEqual(
    expect.arrayContaining(['test-es256-1', 'test-es256-2', 'test-rs256-1']),
  )
  expect(JSON.stringify(jwks)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)
})

test.each([
  ['expired_code', /invalid_grant/],
  ['dropped_answer', /the response was lost/],
  ['unavailable', /503/],
] as const)('failNext with %s makes only the next request fail', async (fault, message) => {
  const { issuer, clientSecret } = await withApp()
  issuer.failNext(fault)

  await expect(issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })).rejects.toThrow(message)
  expect(await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })).toHaveProperty('id_token')
})

test('signs tokens with the new key after the fault rotated_key, and names another issuer after wrong_issuer', async () => {
  const { issuer, clientSecret } = await withApp()
  issuer.failNext('rotated_key')
  const rotated = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })
  issuer.failNext('wrong_issuer')
  const wrong = await issuer.signIn({ subject: 'ann', clientId: 'app', clientSecret })

  expect(keyOf(rotated.id_token)).not.toBe('test-es256-1')
  expect(payloadOf(wrong.id_token)).toMatchObject({ iss: 'https://another-issuer.test', sub: 'ann' })
})

test('throws an error that explains the mistake if a client is unknown or has no redirect URI', async () => {
  const issuer = createTestIssuer()
  await issuer.addClient({ clientId: 'machine', clientName: 'M', grantTypes: ['client_credentials'] })

  await expect(issuer.signIn({ subject: 'ann', clientId: 'nobody' })).rejects.toThrow(
    'There is no client nobody. Add it with addClient.',
  )
  await expect(issuer.signIn({ subject: 'ann', clientId: 'machine' })).rejects.toThrow('has no redirect URI')
})

test('a test issuer does not start in production', () => {
  vi.stubEnv('NODE_ENV', 'production')

  expect(() => createTestIssuer()).toThrow('does not start in production')
})

test('the clock starts at the current time, so that real clients accept the tokens', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T00:00:00.500Z') })

  expect(Math.abs(createTestIssuer().clock.now() - Date.now() / 1000)).toBeLessThan(1)
})

test('starts fast: generates no key and derives nothing from a password', async () => {
  const node = process.getBuiltinModule('node:crypto')
  const slow = [
    vi.spyOn(crypto.subtle, 'generateKey'),
    vi.spyOn(crypto.subtle, 'deriveBits'),
    vi.spyOn(node, 'generateKeyPair'),
    vi.spyOn(node, 'generateKeyPairSync'),
    vi.spyOn(node, 'scrypt'),
    vi.spyOn(node, 'scryptSync'),
  ]
  const { issuer } = await withApp()
  await issuer.fetch('https://issuer.test/jwks')

  for (const spy of slow) expect(spy).not.toHaveBeenCalled()
})

test.each([true, false])(
  'authenticates a client by the attestation of its instance, if the key of the attester is its own: %s',
  async (isOwn) => {
    const [attester, other, instance] = await Promise.all([newKeys(), newKeys(), newKeys()])
    const attesterKeys = { keys: [await exportJWK((isOwn ? attester : other).publicKey)] }
    const issuer = createTestIssuer({ attesterKeys: () => Promise.resolve(attesterKeys) })
    const tokenEndpointAuthMethod = 'attest_jwt_client_auth'
    await issuer.addClient({
      clientId: 'phone',
      clientName: 'Phone',
      tokenEndpointAuthMethod,
      grantTypes: ['client_credentials'],
      scopes: ['api.read'],
    })
    const now = issuer.clock.now()
    const cnf = { jwk: await exportJWK(instance.publicKey) }

    const response = await issuer.fetch('https://issuer.test/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api.read' }),
      headers: {
        'oauth-client-attestation': await new SignJWT({ sub: 'phone', iat: now, exp: now + 60, cnf })
          .setProtectedHeader({ alg: 'ES256', typ: 'oauth-client-attestation+jwt' })
          .sign(attester.privateKey),
        'oauth-client-attestation-pop': await new SignJWT({ aud: issuer.issuer, jti: 'p1', iat: now })
          .setProtectedHeader({ alg: 'ES256', typ: 'oauth-client-attestation-pop+jwt' })
          .sign(instance.privateKey),
      },
    })

    expect(response.status).toBe(isOwn ? 200 : 401)
  },
)

const newKeys = (): Promise<{ publicKey: CryptoKey; privateKey: CryptoKey }> =>
  generateKeyPair('ES256', { extractable: true })
