import { createAuthorizationServer, createStoredKeys, type KeyRing } from '@mintmark/core'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { plainRequest } from '../support/plain-request.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const discovery = '/.well-known/openid-configuration'
const paths = ['/jwks', discovery, '/.well-known/oauth-authorization-server'] as const

describe.each(paths)('%s', (path) => {
  it('any client may read and cache it (RFC 9110 §9.3.1)', async () => {
    const reply = await site.send({ path })

    expect([reply.status, reply.header('content-type')]).toEqual([200, 'application/json'])
    expect(reply.header('cache-control')).toBe('public, max-age=300')
    expect(reply.header('x-content-type-options')).toBe('nosniff')
    expect(reply.header('etag')).toMatch(/^"[\w-]{22}"$/)
    expect(reply.cookies).toEqual([])
  })

  it.each(['?kid=x&callback=f', '?access_token=x', '?%zz', `?${'x&'.repeat(1000)}`])(
    'ignores the parameters %s (RFC 9110 §9.3.1)',
    async (query) => {
      const [plain, asked] = [await site.send({ path }), await site.send({ path: path + query })]

      expect([asked.status, asked.text, asked.header('content-type')]).toEqual([200, plain.text, 'application/json'])
    },
  )

  it("answers 304 when the reader's copy is current (RFC 9110 §13.1.2)", async () => {
    const tag = (await site.send({ path })).header('etag') ?? ''

    for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*', `"other",W/${tag} `]) {
      const reply = await site.send({ path, headers: { 'if-none-match': condition } })

      expect([reply.status, reply.text, reply.header('etag')]).toEqual([304, '', tag])
      expect([reply.header('cache-control'), reply.header('content-type')]).toEqual(['public, max-age=300', undefined])
    }
  })

  it.each(['"other"', 'W/"other"', '', 'x', '"', 'W/*', ','])(
    'answers 200 when If-None-Match is %j (RFC 9110 §13.1.2)',
    async (condition) => {
      const reply = await site.send({ path, headers: { 'if-none-match': condition } })

      expect([reply.status, reply.text === '']).toEqual([200, false])
    },
  )

  it('HEAD returns the headers of GET without a body (RFC 9110 §9.3.2)', async () => {
    const [got, head] = [await site.send({ path }), await site.send({ method: 'HEAD', path })]

    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'cache-control', 'content-type', 'content-length'])
      expect(head.header(name)).toBe(got.header(name))
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('rejects %s (RFC 9110 §15.5.6)', async (method) => {
    const reply = await site.send({ method, path })

    expect([reply.status, reply.header('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('a hostile Host header or forwarding header changes nothing (RFC 9700 §4.13)', async () => {
    const plain = await site.send({ path })
    const headers = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/evil',
      'x-original-url': '/evil',
      forwarded: 'host=evil.test;proto=http',
    }

    const reply = await site.send({ path, headers })

    expect([reply.status, reply.text, reply.header('etag')]).toEqual([200, plain.text, plain.header('etag')])
    expect(reply.text).not.toContain('evil')
  })

  it.each<readonly [string, (exact: string) => string]>([
    ['a .. segment near its end', (exact) => `${exact}/../x`],
    ['a .. segment at its start', (exact) => `/x/..${exact}`],
    ['a trailing slash', (exact) => `${exact}/`],
    ['two leading slashes', (exact) => `/${exact}`],
    ['its last letter escaped', (exact) => exact.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`)],
    ['a trailing escaped dot', (exact) => `${exact}%2e`],
    ['a trailing NUL', (exact) => `${exact}%00`],
    ['a path parameter', (exact) => `${exact};x`],
    ['capitals', (exact) => exact.toUpperCase()],
    ['backslashes', (exact) => exact.replaceAll('/', '\\')],
  ])('the path with %s does not exist (RFC 8414 §3.1)', async (_, spell) => {
    const reply = await site.send({ path: spell(path) })

    // A request target that does not start with a slash is not a valid request (RFC 9112 §3.2.1).
    expect([400, 404]).toContain(reply.status)
    expect(reply.text).not.toContain('"keys"')
    expect(reply.text).not.toContain('"issuer"')
  })
})

describe('published metadata', () => {
  it('the key set contains only public keys, each with kid, alg and use (RFC 7517 §9.2)', async () => {
    const { keys } = (await site.send({ path: '/jwks' })).json as { keys: Record<string, unknown>[] }

    expect(keys.map(({ alg }) => alg).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      'ES256',
      'RS256',
    ])
    for (const key of keys) {
      expect(
        Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth', 'key_ops'].includes(name)),
      ).toEqual([])
      expect(key).toMatchObject({ use: 'sig', kid: expect.stringMatching(/^[\w-]{43}$/) as string })
    }
  })

  it('every URL is below the issuer and is served (RFC 8414 §2)', async () => {
    const metadata = (await site.send({ path: discovery })).json
    const addresses = Object.entries(metadata).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))

    expect(addresses.length).toBeGreaterThan(5)
    for (const [, address] of addresses) {
      expect(String(address).startsWith(`${site.issuer}/`)).toBe(true)
      expect((await site.send({ path: new URL(String(address)).pathname })).status).not.toBe(404)
    }
  })

  it('lists nothing that this server rejects (RFC 9700 §2.1.2)', async () => {
    const metadata = (await site.send({ path: discovery })).json

    expect(metadata).toMatchObject({
      issuer: site.issuer,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
    })
    expect(metadata['grant_types_supported']).not.toContain('password')
    expect(metadata['grant_types_supported']).not.toContain('implicit')
    expect(metadata['introspection_endpoint_auth_methods_supported']).not.toContain('none')
    for (const [name, values] of Object.entries(metadata)) {
      if (name.endsWith('signing_alg_values_supported')) expect(values).not.toContain('none')
    }
  })

  it('both discovery documents are identical (RFC 8414 §3)', async () => {
    const [ours, oauth] = [await site.send({ path: discovery }), await site.send({ path: paths[2] })]

    expect(ours.text).toBe(oauth.text)
  })

  it.each([
    'https://as.test?x=1',
    'https://as.test?',
    'https://as.test#x',
    'https://as.test#',
    'http://as.test',
    'https://as.test/',
    'https://as.test/a/',
    'https://AS.test',
    'https://as.test:443',
    'https://u:p@as.test',
    'https://as.test/../x',
    'ftp://as.test',
    'as.test',
    '//as.test',
    '',
    'https://as.test/a b',
  ])('rejects the issuer %j at start-up (RFC 8414 §2)', (issuer) => {
    const start = () => {
      const storage = createMemoryStorage({ issuer })
      const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32).toString('base64url') })
      return createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined) })
    }

    expect(start).toThrow(TypeError)
  })
})

describe('keys', () => {
  it('eight servers that start at once agree on one key per algorithm (RFC 7517 §5)', async () => {
    const database = createMemoryDatabase()
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    const storage = createMemoryStorage({ issuer: site.issuer, database, scheduler: pause })
    const sealingKey = Buffer.alloc(32, 7).toString('base64url')
    const rings = Array.from({ length: 8 }, () => createStoredKeys({ storage, sealingKey }))

    const sets = await Promise.all(rings.map((ring) => ring.publicKeys()))
    const signers = await Promise.all(
      rings.flatMap((ring) => ring.algorithms.map((algorithm) => ring.signer(algorithm))),
    )

    const stored = await storage.signingKeys.list()
    expect(stored.map(({ algorithm }) => algorithm).toSorted((a, b) => a.localeCompare(b))).toEqual(['ES256', 'RS256'])
    expect(new Set(sets.map((set) => JSON.stringify(set))).size).toBe(1)
    expect(new Set(signers.map(({ keyId }) => keyId))).toEqual(new Set(stored.map(({ keyId }) => keyId)))
  })

  it('during a rotation the old and the new key are published, under a new ETag (OIDC Core §10.1.1)', async () => {
    const other = createMemoryStorage({ issuer: site.issuer })
    const next = createStoredKeys({ storage: other, sealingKey: Buffer.alloc(32, 8).toString('base64url') })
    let published = await site.keys.publicKeys()
    const keys: KeyRing = {
      algorithms: ['ES256', 'RS256'],
      signer: (alg) => next.signer(alg),
      publicKeys: () => Promise.resolve(published),
      deriveSecrets: (purpose) => next.deriveSecrets(purpose),
    }
    const server = createAuthorizationServer({
      issuer: site.issuer,
      storage: other,
      keys,
      signedIn: () => Promise.resolve(undefined),
    })
    const read = () => server.handle(plainRequest(site.issuer, { path: '/jwks' }))

    const before = await read()
    published = [...published, ...(await next.publicKeys())]
    const during = await read()

    const kids = (JSON.parse(String(during.body)) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
    expect(kids).toEqual(published.map(({ keyId }) => keyId))
    expect(new Map(during.headers).get('ETag')).not.toBe(new Map(before.headers).get('ETag'))
  })
})
