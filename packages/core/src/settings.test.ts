import { clientId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'
import { registerClient } from './clients/registration.ts'
import type { ServerEvent } from './events.ts'
import { createStoredKeys } from './keys/stored-keys.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { createAuthorizationServer } from './server.ts'
import { createCookieSessions } from './sessions/cookie-sessions.ts'
import { parseSettings } from './settings.ts'

function options(change: Partial<AuthorizationServerOptions> = {}): AuthorizationServerOptions {
  const issuer = change.issuer ?? 'https://as.test'
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  return { issuer, storage, keys, signedIn: () => Promise.resolve(undefined), ...change }
}

const voucher = { grantType: 'urn:example:voucher', decide: () => Promise.reject(new Error('never')) }

const page = (): Promise<never> => Promise.reject(new Error('never'))
const pages = { login: page, consent: page }

describe('options', () => {
  it('need four and fill in the rest', () => {
    const settings = parseSettings(options())

    expect(settings.defaultAudience).toBe('https://as.test')
    expect(settings.interactionUrls).toEqual({
      login: 'https://as.test/login',
      consent: 'https://as.test/consent',
      select_account: undefined,
    })
    expect(settings.lifetimes).toMatchObject({ authorizationCode: 60, accessToken: 600 })
    expect(settings.retryWindow).toEqual({ confidential: 10, public: 30 })
    expect(settings.accessTokenAlgorithm).toBe('ES256')
  })

  it('keep a refresh token valid until at least a day before its access tokens expire, which need its family', () => {
    const day = 86_400
    const idleOf = (accessToken: number) =>
      parseSettings(options({ lifetimes: { accessToken, refreshTokenIdle: 100 } })).lifetimes.refreshTokenIdle

    expect([idleOf(600), idleOf(day + 100), idleOf(2 * day)]).toEqual([100, 100, day])
  })

  it("place the host's pages below an issuer with a path, unless configured otherwise", () => {
    const settings = parseSettings(options({ issuer: 'https://as.test/id', interaction: { loginUrl: '/sign-in' } }))

    expect(settings.interactionUrls).toEqual({
      login: 'https://as.test/sign-in',
      consent: 'https://as.test/id/consent',
    })
  })

  it('let a host serve its own pages at another origin, and two pages at addresses that differ only in the query', () => {
    const settings = parseSettings(
      options({ interaction: { loginUrl: 'https://app.test/in?1', consentUrl: 'https://app.test/in?2' } }),
    )

    expect(settings.interactionUrls).toEqual({ login: 'https://app.test/in?1', consent: 'https://app.test/in?2' })
  })

  it.each([
    ['an unknown lifetime', { lifetimes: { accessTokens: 5 } }, /lifetimes/],
    ['a lifetime that is not a whole number', { lifetimes: { accessToken: 0.5 } }, /accessToken/],
    ['a misspelled option', { lifetime: { accessToken: 5 } }, /lifetime/],
    [
      'a default audience that needs consent as an API (RFC 8707 §3)',
      { defaultAudience: 'https://api.test', resources: { 'https://api.test': { scopes: [] } } },
      /defaultAudience: https:\/\/api\.test is among resources/,
    ],
    [
      'an API whose identifier is the issuer, the audience of every token with openid (RFC 8707 §3)',
      { resources: { 'https://as.test': { scopes: [] } } },
      /resources: every token with openid is for the issuer/,
    ],
    ['a page that is not a function', { pages: { login: 'login.html', consent: page } }, /pages/],
    ['a page at a malformed address', { interaction: { loginUrl: 'http://[' } }, /loginUrl/],
    ['a page at a javascript: address', { interaction: { consentUrl: 'javascript:alert(1)' } }, /consentUrl/],
    [
      'a sign-in page at another origin',
      { pages, interaction: { loginUrl: 'https://app.test/in' } },
      /served at the issuer/,
    ],
    [
      'a consent page at another origin',
      { pages, interaction: { consentUrl: 'https://app.test/yes' } },
      /served at the issuer/,
    ],
    ['an issuer that is neither https nor http', { issuer: 'ftp://127.0.0.1' }, /must use https/],
    [
      'an address for a page that does not exist',
      { pages, interaction: { selectAccountUrl: '/choose' } },
      /needs pages.selectAccount/,
    ],
    [
      'two pages at one address, one of them optional',
      { pages: { ...pages, selectAccount: page }, interaction: { selectAccountUrl: '/login' } },
      /must differ/,
    ],
    ['two pages at one address', { pages, interaction: { loginUrl: '/in', consentUrl: '/in?2' } }, /must differ/],
    ['a scope of OpenID Connect (OIDC Core §5.4)', { scopes: { email: 'Read your mail address' } }, /email/],
    ['a limiter that cannot count', { rateLimits: { startedInteractions: {} } }, /startedInteractions/],
    [
      'a resource whose tokens live for more than a year',
      { resources: { 'https://api.test': { scopes: [], accessTokenLifetime: 1e12 } } },
      /accessTokenLifetime/,
    ],
    ['a scope value with a space', { scopes: { 'api read': 'Read' } }, /scopes/],
    ['a scope without a sentence', { scopes: { api: '' } }, /scopes/],
    ['a resource with a fragment', { resources: { 'https://api.test#x': { scopes: [] } } }, /resources/],
    [
      'a resource twice',
      { resources: { 'https://api.test': { scopes: [] }, 'https://API.test:443/': { scopes: [] } } },
      /is there twice/,
    ],
    ['a resource that is not absolute', { resources: { api: { scopes: [] } } }, /resources/],
    [
      'an unknown scope for clients that publish their own metadata',
      { clientDocuments: { allow: () => true, scopes: ['nope'] } },
      /clientDocuments.scopes: nope is not among scopes/,
    ],
    ['a resource with an unknown scope', { resources: { 'https://api.test': { scopes: ['nope'] } } }, /nope/],
    [
      'a grant whose name is not a URI (RFC 6749 §4.5)',
      { grants: [{ grantType: 'password', decide: () => undefined }] },
      /absolute URI/,
    ],
    ['a grant without the function decide', { grants: [{ grantType: 'urn:example:voucher' }] }, /decide/],
    ['two grants with the same name', { grants: [voucher, voucher] }, /different names/],
    ['an algorithm that the ring lacks', { accessTokenAlgorithm: 'PS256' }, /accessTokenAlgorithm/],
    [
      'access tokens that outlive the key of their signature (OIDC Core §10.1.1)',
      { lifetimes: { accessToken: 14 * 86_400 + 1 } },
      /schedule.retire/,
    ],
    [
      'ID tokens that outlive the key of their signature',
      { lifetimes: { idToken: 14 * 86_400 + 1 } },
      /schedule.retire/,
    ],
    [
      'access tokens of a resource that outlive the key of their signature',
      { resources: { 'https://api.test': { scopes: [], accessTokenLifetime: 14 * 86_400 + 1 } } },
      /schedule.retire/,
    ],
    ['signedIn that is not a function', { signedIn: true }, /signedIn/],
    [
      'a storage of another issuer',
      { storage: createMemoryStorage({ issuer: 'https://other.test' }) },
      /another issuer: https:\/\/other.test, and the server has https:\/\/as.test/,
    ],
    [
      'a misspelled option',
      { scope: {} },
      /^createAuthorizationServer: [^]*scope is not an option. Did you mean scopes\? The options are issuer, storage/,
    ],
  ])('reject %s, and the error says which option is wrong', (_case, change, message) => {
    const wrong = { ...options(), ...change } as AuthorizationServerOptions

    expect(() => parseSettings(wrong)).toThrow(message)
  })
})

it('may let tokens live for exactly as long as the key of their signature stays published (OIDC Core §10.1.1)', () => {
  const lifetimes = { accessToken: 14 * 86_400, idToken: 14 * 86_400 }

  expect(parseSettings(options({ lifetimes })).lifetimes).toMatchObject(lifetimes)
})

describe('issuer', () => {
  it.each([
    'https://as.test',
    'https://as.test/id',
    'https://as.test:8443',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])('may be %s (RFC 8414 §2)', (issuer) => {
    expect(parseSettings(options({ issuer })).issuer).toBe(issuer)
  })

  it.each([
    'as.test',
    'http://as.test',
    'ftp://as.test',
    'https://as.test/',
    'https://as.test/id/',
    'https://as.test?x=1',
    'https://as.test#x',
    'https://user@as.test',
    'https://AS.test',
    'https://as.test/a/../b',
    'https://as.test:443',
  ])('must not be %s (RFC 8414 §2)', (issuer) => {
    expect(() => parseSettings(options({ issuer }))).toThrow(TypeError)
  })

  it.each([
    ['as.test', 'must be an absolute URL, such as https://id.example.com.'],
    ['https://as.test/id/', 'Write it as https://as.test/id'],
    ['https://user:pw@AS.test?x=1', 'Write it as https://as.test'],
  ])('is refused with the correct form when it is %s', (issuer, advice) => {
    expect(() => parseSettings(options({ issuer }))).toThrow(new RegExp(`${advice}$`))
  })

  it('is checked by createCookieSessions and registerClient, even without a server', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test/' })

    expect(() => createCookieSessions({ storage })).toThrow(/Write it as https/)
    await expect(registerClient({ clientId: 'app', clientName: 'App', grantTypes: [] }, { storage })).rejects.toThrow(
      /Write it as https/,
    )
    expect(await storage.clients.find(clientId('app'))).toBeUndefined()
  })
})

function eventsAtStart(change: Partial<AuthorizationServerOptions>): readonly ServerEvent[] {
  const issuer = change.issuer ?? 'https://as.test'
  const storage = createMemoryStorage({ issuer })
  const events: ServerEvent[] = []
  createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
    signedIn: () => Promise.resolve(undefined),
    onEvent: (event) => void events.push(event),
    ...change,
  })
  return events
}

it.each([{}, { lifetimes: { accessToken: 3600 } }])('emits no event when a server starts with %o', (change) => {
  expect(eventsAtStart(change)).toEqual([])
})

it.each([
  ['issuer', { issuer: 'http://localhost:3000' }],
  ['lifetimes.accessToken', { lifetimes: { accessToken: 3601 } }],
  ['dangerouslyAllowOutbound', { dangerouslyAllowOutbound: ['https://rp.test:8443'] }],
])('emits an event that names the unsafe option %s when the server starts', (option, change) => {
  expect(eventsAtStart(change)).toMatchObject([{ type: 'option.unsafe', option }])
})

it.each([
  'https://rp.test:8443/',
  'https://rp.test/path',
  'https://RP.test',
  'https://rp.test:443',
  'http://rp.test',
  'http://localhost.rp.test',
  'ftp://127.0.0.1',
  'rp.test',
  '*',
])('refuses to start when dangerouslyAllowOutbound contains %s', (origin) => {
  expect(() => eventsAtStart({ dangerouslyAllowOutbound: [origin] })).toThrow('dangerouslyAllowOutbound')
})

const issuer = 'https://as.test'
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })

const serverWith = (change: Partial<AuthorizationServerOptions>) =>
  createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined), ...change })

it('serves the path of the revocation feed only when the host enables it', () => {
  expect(serverWith({ revocationFeed: true }).serves('/token/revocation-feed')).toBe(true)
  expect(serverWith({ revocationFeed: false }).serves('/token/revocation-feed')).toBe(false)
  expect(serverWith({}).serves('/token/revocation-feed')).toBe(false)
})

it('refuses to start with the revocation feed when access tokens live longer than revocations are kept', () => {
  const resources = { 'https://api.test': { scopes: [], accessTokenLifetime: 690_901 } }

  expect(() => serverWith({ revocationFeed: true, lifetimes: { accessToken: 690_900 } })).not.toThrow()
  expect(() => serverWith({ revocationFeed: true, lifetimes: { accessToken: 690_901 } })).toThrow(
    'longer than 690900 seconds',
  )
  expect(() => serverWith({ revocationFeed: true, resources })).toThrow('longer than 690900 seconds')
  expect(() => serverWith({ resources })).not.toThrow()
})
