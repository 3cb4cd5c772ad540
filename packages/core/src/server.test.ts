import cluster from 'node:cluster'

import type { ServerRequest, ServerResponse } from '@mintmark/internal'
import { epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it, vi } from 'vitest'

import { issuer, sealingKey } from '../test/ring-under-test.ts'
import type { EventListener, ServerEvent } from './events.ts'
import type { SealingSecrets } from './keys/sealing.ts'
import { createStoredKeys } from './keys/stored-keys.ts'
import { type AuthorizationServer, createAuthorizationServer } from './server.ts'

describe('a storage in memory', () => {
  it.each([
    ['in production', { NODE_ENV: 'production' }],
    ['in a process of PM2', { NODE_ENV: 'test', NODE_APP_INSTANCE: '0' }],
  ])('is reported at start %s, where it loses sign-ins', (_, environment) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    const events: ServerEvent[] = []

    aServer(createMemoryStorage({ issuer }), sealingKey, (event) => void events.push(event))
    vi.unstubAllEnvs()

    expect(events).toMatchObject([{ type: 'option.unsafe', option: 'storage' }])
  })

  it('is reported at start in a worker of a cluster', () => {
    const events: ServerEvent[] = []
    Object.assign(cluster, { isWorker: true })

    aServer(createMemoryStorage({ issuer }), sealingKey, (event) => void events.push(event))
    Object.assign(cluster, { isWorker: false })

    expect(events).toMatchObject([{ type: 'option.unsafe', option: 'storage' }])
  })

  it('is not reported in development', () => {
    const events: ServerEvent[] = []

    aServer(createMemoryStorage({ issuer }), sealingKey, (event) => void events.push(event))

    expect(events).toEqual([])
  })
})

describe('ready', () => {
  it('creates the signing keys at the first start, and resolves when it can decrypt them', async () => {
    const storage = createMemoryStorage({ issuer })

    await aServer(storage).ready()
    await aServer(storage).ready()

    expect((await storage.signingKeys.list()).map(({ algorithm }) => algorithm).toSorted()).toEqual(['ES256', 'RS256'])
  })

  it('rejects with an error that says what to change when another sealing key sealed the keys, and writes nothing', async () => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer, database })
    await aServer(storage).ready()
    const before = await storage.signingKeys.list()

    await expect(aServer(storage, 'B'.repeat(42) + 'A').ready()).rejects.toThrow(
      /sealed with another sealing key.*Start with the key that sealed them/s,
    )
    expect(await storage.signingKeys.list()).toEqual(before)
  })

  it('rejects when it can open only an earlier key, because a later sealing key sealed the key that signs', async () => {
    const storage = createMemoryStorage({ issuer })
    const time = { now: 1_790_000_000 }
    const clock = () => epochSeconds(time.now)
    const ring = (key: SealingSecrets) => createStoredKeys({ storage, sealingKey: key, clock })
    await ring(sealingKey).publicKeys()
    time.now += 1
    await ring(['B'.repeat(42) + 'A', sealingKey]).rotate({ when: 'now' })
    const outdated = ring(sealingKey)
    const server = createAuthorizationServer({
      issuer,
      storage,
      keys: outdated,
      clock,
      signedIn: async () => undefined,
    })

    time.now += 86_400

    await expect(server.ready()).rejects.toMatchObject({ name: 'SealingKeyError' })
    expect(await storage.signingKeys.list()).toHaveLength(4)
  })

  it('rejects signing keys without a MAC, and says that an older version may have written them', async () => {
    const storage = createMemoryStorage({ issuer })
    await createStoredKeys({ storage, sealingKey }).publicKeys()
    const [record] = await storage.signingKeys.list()
    const list = async () => (await storage.signingKeys.list()).map((key) => ({ ...key, rowMac: undefined }))
    const server = aServer({ ...storage, signingKeys: { ...storage.signingKeys, list } })

    const refusal: unknown = await server.ready().catch((error: unknown) => error)

    expect(refusal).toMatchObject({ name: 'SealingKeyError' })
    expect(String(refusal)).toContain(`${record?.keyId}`)
    expect(String(refusal)).toContain('Delete these rows from mintmark_signing_keys')
    expect(String(refusal)).not.toContain('another sealing key')
  })

  it('rejects while storage does not answer, and resolves when it answers again', async () => {
    const storage = createMemoryStorage({ issuer })
    let isDown = true
    const list = () =>
      isDown ? Promise.reject(new StorageUnavailableError('The database is down.')) : storage.signingKeys.list()
    const server = aServer({ ...storage, signingKeys: { ...storage.signingKeys, list } })

    await expect(server.ready()).rejects.toThrow(StorageUnavailableError)
    isDown = false
    await expect(server.ready()).resolves.toBeUndefined()
  })
})

describe('a server whose sealing key did not seal the stored keys', () => {
  const wrongKey = 'B'.repeat(42) + 'A'

  it.each([
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/jwks'],
    ['GET', '/auth?client_id=unknown'],
    ['POST', '/auth/push'],
    ['POST', '/token'],
    ['POST', '/token/introspection'],
    ['POST', '/token/revocation'],
    ['GET', '/userinfo'],
  ])('answers %s %s with 503 and reports why, and changes no key (RFC 6749 §4.1.2.1)', async (method, path) => {
    const storage = createMemoryStorage({ issuer })
    await aServer(storage).ready()
    const before = await storage.signingKeys.list()
    const events: ServerEvent[] = []
    const server = aServer(storage, wrongKey, (event) => void events.push(event))

    const response = await server.handle(aRequest(method, path))

    expect(response.status).toBe(503)
    expect(response.headers).toContainEqual(['Retry-After', '5'])
    expect(textOf(response)).toContain('temporarily_unavailable')
    expect(textOf(response)).not.toContain('sealing')
    expect(events.filter(({ type }) => type === 'request.refused')).toMatchObject([
      { code: 'temporarily_unavailable', reason: 'signing_keys_foreign' },
    ])
    expect(await storage.signingKeys.list()).toEqual(before)
  })

  it('answers again after the foreign keys were removed from storage', async () => {
    const storage = createMemoryStorage({ issuer })
    await aServer(storage).ready()
    const server = aServer(storage, wrongKey)
    const before = await server.handle(aRequest('GET', '/jwks'))
    for (const { keyId } of await storage.signingKeys.list()) await storage.signingKeys.remove(keyId)

    expect([before.status, (await server.handle(aRequest('GET', '/jwks'))).status]).toEqual([503, 200])
  })

  it('serves its metadata while storage is down, and answers with 503 once storage returns the foreign keys', async () => {
    const storage = createMemoryStorage({ issuer })
    await aServer(storage).ready()
    let isDown = true
    const list = () =>
      isDown ? Promise.reject(new StorageUnavailableError('The database is down.')) : storage.signingKeys.list()
    const server = aServer({ ...storage, signingKeys: { ...storage.signingKeys, list } }, wrongKey)
    const path = '/.well-known/openid-configuration'

    const whileDown = await server.handle(aRequest('GET', path))
    isDown = false

    expect([whileDown.status, (await server.handle(aRequest('GET', path))).status]).toEqual([200, 503])
  })
})

it.each([
  ['GET', '/nothing-here', 404, 'path_not_found', 'RFC 9110 §15.5.5'],
  ['GET', '/token', 405, 'method_not_allowed', 'RFC 9110 §15.5.6'],
  ['DELETE', '/userinfo', 405, 'method_not_allowed', 'RFC 9110 §15.5.6'],
])('refuses %s %s with %d and reports %s (%s)', async (method, path, status, reason, _section) => {
  const events: ServerEvent[] = []
  const server = aServer(createMemoryStorage({ issuer }), sealingKey, (event) => void events.push(event))

  const response = await server.handle(aRequest(method, path))

  expect(response.status).toBe(status)
  expect(response.headers).toContainEqual(['Cache-Control', 'no-store'])
  expect(events).toMatchObject([{ type: 'request.refused', method, path, reason }])
})

it('answers a body that is too large with 413 (RFC 9110 §15.5.14), and reports it', async () => {
  const events: ServerEvent[] = []
  const server = aServer(createMemoryStorage({ issuer }), sealingKey, (event) => void events.push(event))

  const response = await server.tooLarge(aRequest('POST', '/token'))

  expect([response.status, JSON.parse(textOf(response))]).toEqual([
    413,
    { error: 'invalid_request', error_description: 'The request body is too large.' },
  ])
  expect(events).toMatchObject([{ type: 'request.refused', path: '/token', reason: 'message_too_large' }])
})

const aRequest = (method: string, path: string): ServerRequest => ({
  method,
  url: new URL(path, issuer),
  headers: new Map(method === 'POST' ? [['content-type', 'application/x-www-form-urlencoded']] : []),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})

const textOf = ({ body }: ServerResponse): string => (typeof body === 'string' ? body : new TextDecoder().decode(body))

const aServer = (
  storage: ReturnType<typeof createMemoryStorage>,
  key = sealingKey,
  onEvent: EventListener = () => undefined,
): AuthorizationServer =>
  createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: key }),
    signedIn: () => Promise.resolve(undefined),
    onEvent,
  })
