import { createAdministration, createAdminServer, keepRequestLog } from '@mintmark/admin'
import {
  ClientMetadataError,
  createCookieSessions,
  createMemoryRateLimiter,
  createStoredKeys,
  registerClient,
  updateClient,
} from '@mintmark/core'
import { createRegistrationServer } from '@mintmark/registration'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createRedisStorage } from '@mintmark/storage-redis'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { createTestIssuer } from '@mintmark/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'

const storage = createMemoryStorage({ issuer: 'https://as.test' })
const sealingKey = 'A'.repeat(43)
const app = { clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] }

/** Returns options as a configuration file or plain JavaScript has them: the compiler does not check their names. */
const loose = <Options extends object>(options: Options, more: object): Options => ({ ...options, ...more })

describe('with a misspelled option', () => {
  it.each([
    ['createStoredKeys', 'rotate', () => createStoredKeys(loose({ storage, sealingKey }, { rotate: 'automatic' }))],
    ['createCookieSessions', 'idle', () => createCookieSessions(loose({ storage }, { idle: 60 }))],
    ['createMemoryRateLimiter', 'limit', () => createMemoryRateLimiter(loose({ points: 1, window: 1 }, { limit: 1 }))],
    ['openSqliteDialect', 'sync', () => openSqliteDialect(':memory:', loose({}, { sync: 'normal' }))],
    [
      'createRedisStorage',
      'timeout',
      () => createRedisStorage(loose({ client: {} as never, issuer: 'https://as.test' }, { timeout: 1 })),
    ],
    ['createTestIssuer', 'resource', () => createTestIssuer(loose({}, { resource: {} }))],
  ])('%s throws an error that names %s', (_, name, create) => {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(new RegExp(name))
  })

  it('createSqlStorage throws an error that names it', async () => {
    const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
    onTestFinished(() => dialect.close())

    await expect(createSqlStorage(loose({ dialect, issuer: 'https://as.test' }, { scan: 1 }))).rejects.toThrow(/scan/)
  })
})

describe.each([undefined, null, 'text', []])('with %j instead of options', (options) => {
  it.each<readonly [string, (options: never) => unknown]>([
    ['createStoredKeys', createStoredKeys],
    // Without options, it has defaults.
    ...(options === undefined ? [] : ([['createTestIssuer', createTestIssuer]] as const)),
  ])('%s says that options must be an object', (_, create) => {
    expect(() => create(options as never)).toThrow(/options must be an object/)
  })
})

it.each<readonly [string, (options: { readonly issuer: string; readonly storage: typeof storage }) => unknown]>([
  ['createAdminServer', (options) => createAdminServer({ ...options, authorize: () => Promise.resolve(undefined) })],
  ['createRegistrationServer', createRegistrationServer],
])('%s refuses a storage of another issuer', (_, create) => {
  expect(() => create({ issuer: 'https://other.test', storage })).toThrow(/storage is bound to another issuer/)
})

describe('with an impossible value of an option', () => {
  it.each<readonly [string, () => unknown]>([
    ['rotation', () => createStoredKeys(loose({ storage, sealingKey }, { rotation: 'weekly' }))],
    ['sealingKey', () => createStoredKeys(loose({ storage, sealingKey }, { sealingKey: undefined }))],
    ['idleLifetime', () => createCookieSessions({ storage, idleLifetime: 0 })],
    ['absoluteLifetime', () => createCookieSessions({ storage, absoluteLifetime: 1.5 })],
    ['idleLifetime', () => createCookieSessions({ storage, idleLifetime: Number.MAX_SAFE_INTEGER })],
    ['absoluteLifetime', () => createCookieSessions({ storage, absoluteLifetime: Number.MAX_SAFE_INTEGER })],
    ['auditRetention', () => createAdministration({ storage, auditRetention: Number.MAX_SAFE_INTEGER })],
    ['retention', () => keepRequestLog({ storage, retention: Number.MAX_SAFE_INTEGER })],
    ['now', () => createTestIssuer({ now: Infinity })],
    ['points', () => createMemoryRateLimiter({ points: -1, window: 60 })],
    ['window', () => createMemoryRateLimiter({ points: 1, window: Number.NaN })],
    ['synchronous', () => openSqliteDialect(':memory:', loose({}, { synchronous: 'off' }))],
    ['migrate', () => openSqliteDialect(':memory:', loose({}, { migrate: 'never' }))],
  ])('the function throws an error that names %s', (name, create) => {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(new RegExp(name))
  })
})

describe('registration refuses unknown members and invalid values of client metadata (RFC 7591 §3.2.2)', () => {
  it.each([
    ['scope', { scope: 'openid' }],
    ['redirectUri', { redirectUri: 'https://app.test/cb' }],
    ['secrets', { secrets: [] }],
    ['a grant type', { grantTypes: ['code'] }],
    ['a resource', { resources: ['orders'] }],
  ])('%s', async (_, more) => {
    const registration = registerClient(loose(app, more), { storage })

    await expect(registration).rejects.toBeInstanceOf(ClientMetadataError)
    expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
  })

  it('an update cannot set members that only the server sets', async () => {
    const own = createMemoryStorage({ issuer: 'https://as.test' })
    const { client } = await registerClient(app, { storage: own })

    await expect(updateClient({ clientId: 'app' }, loose({}, { disabledAt: 1 }), { storage: own })).rejects.toThrow(
      /disabledAt/,
    )
    expect(await own.clients.find(client.clientId)).toEqual(client)
  })

  it('an absolute URI is allowed as a grant type of the host (RFC 6749 §4.5)', async () => {
    const own = createMemoryStorage({ issuer: 'https://as.test' })
    const grantTypes = ['authorization_code', 'urn:example:voucher']

    expect((await registerClient({ ...app, grantTypes }, { storage: own })).client.grantTypes).toEqual(grantTypes)
  })
})
