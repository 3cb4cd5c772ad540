import { toExpress } from '@mintmark/adapter-express'
import {
  createAuthorizationServer,
  createCookieSessions,
  createStoredKeys,
  limitSignIns,
  registerClient,
  type ServerEvent,
} from '@mintmark/core'
import { createPages } from '@mintmark/pages'
import { createResourceServer, protectFetch } from '@mintmark/resource-server'
import { createScimServer } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, it, vi } from 'vitest'

import { authorize, browserCookie } from '../support/flow.ts'
import { freePort } from '../support/free-port.ts'
import { writeJws } from '../support/forge-jwt.ts'
import { startServer } from '../support/server-under-test.ts'

const issuer = 'https://as.test'
const sealingKey = 'A'.repeat(43)
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey })
const working = { issuer, storage, keys, signedIn: async () => undefined }
/** A host that is not type-checked. */
const server = (change: object) => () => createAuthorizationServer({ ...working, ...change })
const client = (change: object) => () =>
  registerClient(
    { clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'], ...change },
    {
      storage,
    },
  )
const api = (change: object) => () => createResourceServer({ issuer, audience: 'https://api.test', ...change })

it.each<readonly [mistake: string, make: () => unknown, advice: string]>([
  ['an issuer with a slash', server({ issuer: `${issuer}/` }), 'Write it as https://as.test'],
  ['an issuer with a query', server({ issuer: `${issuer}?x=1` }), 'Write it as https://as.test'],
  [
    'an issuer without a scheme',
    server({ issuer: 'as.test' }),
    'The issuer must be an absolute URL, such as https://id.example.com.',
  ],
  [
    'an http issuer on a public host',
    server({ issuer: 'http://as.test' }),
    'The issuer must use https, even behind a proxy',
  ],
  [
    'another issuer than that of the storage',
    server({ issuer: 'https://other.test' }),
    'Create both with the same issuer.',
  ],
  [
    'no storage',
    server({ storage: undefined }),
    'storage is missing: pass a storage, such as await createSqlStorage(…)',
  ],
  [
    'a storage without await',
    server({ storage: Promise.resolve(storage) }),
    'storage is a promise. Write await before the call that creates it.',
  ],
  ['no keys', server({ keys: undefined }), 'keys is missing: pass createStoredKeys({ storage, sealingKey })'],
  [
    'a misspelled option',
    server({ scope: {} }),
    'scope is not an option. Did you mean scopes? The options are issuer, storage,',
  ],
  [
    'a misspelled lifetime',
    server({ lifetimes: { accesstoken: 60 } }),
    'accesstoken is not an option. Did you mean accessToken?',
  ],
  [
    'a lifetime as text',
    server({ lifetimes: { accessToken: '1h' } }),
    'must be a whole number of seconds, such as 600\n  → at lifetimes.accessToken',
  ],
  [
    'a resource that is not a URI',
    server({ resources: { api: { name: 'API', scopes: [] } } }),
    'must be an absolute URI without fragment\n  → at resources.api',
  ],
  [
    'an unknown scope in a resource',
    server({ resources: { 'https://api.test': { name: 'API', scopes: ['api.read'] } } }),
    'Define it there.',
  ],
  [
    'a page that is not a function',
    server({ pages: { login: 'login.html' } }),
    'must be a function\n  → at pages.login',
  ],
  ['a short sealing key', () => createStoredKeys({ storage, sealingKey: 'secret' }), 'Create it once: node -p'],
  [
    'a sealing key in hex',
    () => createStoredKeys({ storage, sealingKey: 'ab'.repeat(32) }),
    'must be 32 random bytes in base64url (43 characters)',
  ],
  ['an empty sealing key', () => createStoredKeys({ storage, sealingKey: '' }), 'Create it once: node -p'],
  [
    'a missing sealing key',
    () => createStoredKeys({ storage, sealingKey: process.env['NO_SUCH_KEY'] } as never),
    'sealingKey is missing. Pass 32 random bytes in base64url, or a vault.',
  ],
  [
    'an http redirect URI',
    client({ redirectUris: ['http://app.test/cb'] }),
    'must be on loopback: 127.0.0.1, [::1] or localhost. Other hosts must use https.',
  ],
  [
    'a redirect URI with a wildcard',
    client({ redirectUris: ['https://*.app.test/cb'] }),
    'A redirect URI must not have a wildcard: register each address.',
  ],
  [
    'a redirect URI with a fragment',
    client({ redirectUris: ['https://app.test/#/cb'] }),
    'A redirect URI must not have a fragment.',
  ],
  [
    'no redirect URI',
    client({ redirectUris: [] }),
    'A client that uses the authorization code grant needs a redirect URI.',
  ],
  [
    'a misspelled client option',
    client({ redirectUri: 'https://app.test/cb' }),
    'redirectUri is not client metadata. Did you mean redirectUris?',
  ],
  [
    'an unknown grant type',
    client({ grantTypes: ['implicit'] }),
    'Each grant type must be authorization_code, refresh_token, client_credentials, urn:ietf:params:oauth:grant-type:device_code, urn:openid:params:grant-type:ciba, or an absolute URI.',
  ],
  [
    'an unknown authentication method',
    client({ tokenEndpointAuthMethod: 'basic' }),
    'must be a method that discovery lists, or an absolute URI.',
  ],
  [
    'a private key as the key of a client',
    client({ tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }),
    'jwks must contain at least one public key, and no private or symmetric key.',
  ],
  [
    'sessions without a storage',
    () => createCookieSessions({} as never),
    'createCookieSessions: storage is missing; it must be a storage.',
  ],
  [
    'a misspelled limit',
    () => limitSignIns({ byaccount: 1 } as never),
    'byaccount is not an option. The options are byAccount, byAddress, onEvent, clock.',
  ],
  [
    'an API with a slash in the issuer',
    api({ issuer: `${issuer}/` }),
    'createResourceServer: write the issuer as https://as.test',
  ],
  [
    'an API with an audience that is not a URI',
    api({ audience: 'api' }),
    'createResourceServer: audience must be an absolute URI without fragment, such as https://api.example.com.',
  ],
  [
    'an API with a misspelled option',
    api({ audiences: [] }),
    'audiences is not an option. The options are issuer, audience,',
  ],
  ['an API with introspection and no credentials', api({ introspection: true }), 'introspection must be an object.'],
  ['an API with a large clock skew', api({ clockSkew: 3600 }), 'clockSkew must be a number from 0 to 60.'],
  ['no signedIn', server({ signedIn: undefined }), 'must be a function\n  → at signedIn'],
  [
    'a misspelled page',
    server({ pages: { signIn: () => undefined } }),
    'signIn is not an option. The options are login, consent, selectAccount.',
  ],
  [
    'pages with an unknown option',
    () => createPages({ brand: {} } as never),
    'brand is not an option. The options are languages, branding.',
  ],
  [
    'pages without the name of the product',
    () => createPages({ branding: {} } as never),
    'branding: productName is missing; it must be a string of 1 to 60 characters.',
  ],
  [
    'SCIM without a storage',
    () => createScimServer({ issuer } as never),
    'createScimServer: storage is missing; it must be a storage.',
  ],
  [
    'a database without migrations',
    () => createSqlStorage({ issuer, dialect: openSqliteDialect(':memory:') }),
    'Run: npx mintmark-migrate apply --sqlite :memory:.',
  ],
  [
    'a database in a folder that does not exist',
    () => openSqliteDialect('/no/such/folder/mintmark.db'),
    'The SQLite database /no/such/folder/mintmark.db cannot be opened. Its folder must exist',
  ],
  [
    'the address of PostgreSQL instead of a pool',
    () => toPostgresDialect('postgres://db.test/mintmark' as never),
    'toPostgresDialect: pool must be an object with the functions connect, on.',
  ],
  ['no server in the adapter', () => toExpress(undefined as never), 'argument 1 must be a server, such as that of'],
])('the mistake of %s is answered with what to do', async (_mistake, make, advice) => {
  await expect(Promise.resolve().then(make)).rejects.toThrow(advice)
})

it('a page that returns nothing is an error whose cause says what to return', async () => {
  const events: ServerEvent[] = []
  const site = await startServer({
    onEvent: (event) => void events.push(event),
    pages: { login: () => Promise.resolve(undefined as never), consent: () => Promise.reject(new Error('unused')) },
  })
  const started = await authorize(site, {}, { cookie: '' })

  const { pathname, search } = started.location
  const page = await site.send({ path: pathname + search, headers: { cookie: browserCookie(started) } })

  expect(page.status).toBe(500)
  const refusal = events.find(({ type }) => type === 'request.refused')
  const advice = 'pages.login must return a response, such as that of signInPage(pending)'
  expect(refusal).toMatchObject({ cause: { message: expect.stringContaining(advice) as string } })
  await site.close()
})

it('an API without onRefusal logs the first token that it refuses', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line))
  const guard = protectFetch(createResourceServer({ issuer, audience: 'https://api.test' }))
  const handler = guard.requireAnyToken(() => new Response())
  for (const _ of ['first', 'second']) {
    const request = new Request('https://api.test/', { headers: { authorization: 'Bearer wrong' } })
    await handler(request)
  }
  vi.restoreAllMocks()

  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('set onRefusal')
})

it('an API that cannot reach its authorization server logs which URL did not answer, and why; the client learns neither', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line))
  const port = await freePort()
  const guard = protectFetch(createResourceServer({ issuer: `http://localhost:${port}`, audience: 'https://api.test' }))
  const header = { typ: 'at+jwt', alg: 'ES256', kid: 'k' }
  const token = await writeJws(header, {}, () => Promise.resolve(new Uint8Array(64)))

  const handler = guard.requireAnyToken(() => new Response())
  const answer = await handler(new Request('https://api.test/', { headers: { authorization: `Bearer ${token}` } }))
  vi.restoreAllMocks()

  expect(answer.status).toBe(503)
  expect(await answer.text()).not.toContain(String(port))
  expect(lines[0]).toContain(`http://localhost:${port}/jwks did not answer: `)
  expect(lines[0]).toContain('ECONNREFUSED')
})
