import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { addClientSecret, createCookieSessions, type AuthorizationServerOptions } from '@mintmark/core'
import type { ServerRequest } from '@mintmark/core/http'
import { composeStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createRedisStorage } from '@mintmark/storage-redis'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { exportPKCS8 } from 'jose'
import { createClient, RESP_TYPES } from 'redis'
import { expect, it } from 'vitest'

import { startRedis } from '../../packages/storage-redis/test/support/redis-server.ts'
import { assertionType, writeAssertion } from '../support/client-assertion.ts'
import {
  answerInteraction,
  authorize,
  basic,
  browserCookie,
  encode,
  obtainCode,
  postForm,
  redeem,
  token,
  verifier,
} from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const opaqueResource: Pick<AuthorizationServerOptions, 'scopes' | 'resources'> = {
  scopes: { 'api.read': 'Read the API', 'api.write': 'Write to the API' },
  resources: { 'https://api.test': { scopes: ['api.read'], accessTokenFormat: 'opaque' } },
}

it('no secret is in plain text in the database files or in events', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-at-rest-'))
  const dialect = openSqliteDialect(join(folder, 'mintmark.db'), { migrate: 'on-open' })
  const storage = await createSqlStorage({ issuer: 'https://as.test', dialect })
  const site = await startServer({ storage, ...opaqueResource })

  const secrets = [...(await everySecretOfAFlow(site)), await aSessionCookie(site), ...clientSecrets(site)]
  secrets.push(await addClientSecret('A', {}, { storage }))
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
  await site.close()
  await dialect.close()
  rmSync(folder, { recursive: true })

  expect(secrets.length).toBeGreaterThanOrEqual(15)
  expect(secrets.filter((secret) => secret.length < 20)).toEqual([])
  const events = JSON.stringify(site.events)
  expect(secrets.filter((secret) => files.some((bytes) => bytes.includes(secret)))).toEqual([])
  expect(secrets.filter((secret) => events.includes(secret))).toEqual([])
  // The search finds a value that is not secret, so it reads the right files.
  expect(files.some((bytes) => bytes.includes('https://as.test'))).toBe(true)
})

it('no secret is in plain text in Redis or its log', async () => {
  const redis = await startRedis()
  const client = await createClient({ url: redis.url })
    .on('error', () => {})
    .connect()
  const issuer = 'https://as.test'
  const storage = composeStorage({
    durable: createMemoryStorage({ issuer }),
    expiring: createRedisStorage({ client, issuer }),
  })
  const site = await startServer({ storage, ...opaqueResource })

  const secrets = await everySecretOfAFlow(site)
  const keys: string[] = []
  for await (const page of client.scanIterator()) keys.push(...page)
  const asBytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const dumps = await Promise.all(keys.map(async (key) => Buffer.concat([Buffer.from(key), await asBytes.dump(key)])))
  const log = readdirSync(join(redis.folder, 'appendonlydir')).map((file) =>
    readFileSync(join(redis.folder, 'appendonlydir', file)),
  )
  await site.close()
  client.destroy()
  await redis.stop()

  const everything = Buffer.concat([...dumps, ...log])
  expect(secrets.filter((secret) => everything.includes(secret))).toEqual([])
  // The search finds a value that is not secret in each, so it reads the right bytes.
  expect(Buffer.concat(dumps).includes('https://app.test/cb')).toBe(true)
  expect(Buffer.concat(log).includes('https://app.test/cb')).toBe(true)
  const kinds = new Set(keys.map((key) => key.split(':')[2]))
  expect(kinds).toEqual(new Set(['client_assertion_jti', 'code', 'interaction', 'token']))
})

it('no private signing key is in the database files, as JWK or as PKCS #8', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-keys-'))
  const dialect = openSqliteDialect(join(folder, 'mintmark.db'), { migrate: 'on-open' })
  const site = await startServer({ storage: await createSqlStorage({ issuer: 'https://as.test', dialect }) })
  const files = (): Buffer[] => readdirSync(folder).map((file) => readFileSync(join(folder, file)))

  const text = Buffer.concat(files()).toString('latin1')
  await site.close()
  await dialect.close()
  rmSync(folder, { recursive: true })

  // A private JWK has a member `d`; the exported private key must not be there either.
  expect(text).not.toMatch(/"d"\s*:/)
  expect(text).not.toContain((await exportPKCS8(site.clients.B.privateKey)).split('\n')[1])
  expect(text).toContain('"kty"')
})

/** Uses each grant and endpoint once, and collects every credential. */
async function everySecretOfAFlow(site: ServerUnderTest): Promise<readonly string[]> {
  const started = await authorize(site, { scope: 'openid offline_access' })
  const handle = started.location.searchParams.get('interaction') ?? ''
  const browser = (browserCookie(started).split('=')[1] ?? '').slice(0, 43)
  const approved = await answerInteraction(site, started, 'scope=openid&scope=offline_access')
  const code = approved.location.searchParams.get('code') ?? ''
  const first = (await redeem(site, code)).json as Record<string, string>
  const second = (await token(site, { grant_type: 'refresh_token', refresh_token: first['refresh_token'] }))
    .json as Record<string, string>

  const unused = await obtainCode(site, { scope: 'openid' })
  const apiCode = await obtainCode(site, { scope: 'api.read', resource: 'https://api.test' })
  const opaque = (await redeem(site, apiCode)).json as Record<string, string>
  const assertion = await writeAssertion(site)
  await postForm(
    site,
    '/token/introspection',
    encode({ token: opaque['access_token'], client_assertion: assertion, client_assertion_type: assertionType }),
    {},
  )
  await postForm(site, '/token/revocation', encode({ token: second['access_token'] }), {
    authorization: basic('A', site.clients.A.secret),
  })
  await postForm(site, '/token', 'grant_type=client_credentials', {
    authorization: basic('M', 'a-wrong-secret-that-was-tried'),
  })

  const tokens = [first, second, opaque].flatMap((reply) => [
    reply['access_token'],
    reply['refresh_token'],
    reply['id_token'],
  ])
  const parts = [first, second].map((reply) =>
    Buffer.from(reply['refresh_token'] ?? '', 'base64url')
      .subarray(32, 64)
      .toString('base64url'),
  )
  const handles = Buffer.from(first['refresh_token'] ?? '', 'base64url')
    .subarray(0, 32)
    .toString('base64url')
  const values = [
    handle,
    browser,
    code,
    unused,
    apiCode,
    assertion,
    verifier,
    handles,
    ...parts,
    ...tokens,
    'a-wrong-secret-that-was-tried',
  ]
  return values.filter((value) => value !== undefined)
}

async function aSessionCookie(site: ServerUnderTest): Promise<string> {
  const sessions = createCookieSessions({ storage: site.storage, clock: site.clock.now })
  const request: ServerRequest = {
    method: 'POST',
    url: new URL(`${site.issuer}/login`),
    headers: new Map(),
    repeatedHeaders: new Set(),
    host: undefined,
    body: new Uint8Array(),
  }
  const { headers } = await sessions.start(request, { subject: 'U1' })
  return headers[0]?.[1].split(';', 1)[0]?.split('=')[1] ?? ''
}

const clientSecrets = (site: ServerUnderTest): readonly string[] =>
  [site.clients.A, site.clients.M, site.clients.RS, site.clients.X].map(({ secret }) => secret)
