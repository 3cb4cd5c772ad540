import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { epochSeconds, providerId, userId, type ScimStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import { registerIdentityProvider, type ScimServerOptions } from '../../src/index.ts'
import { userSchema } from '../../src/engine.ts'
import { overtake } from '../fixtures/overtake.ts'
import { idOf, issuer, startScim, type ScimRequest } from '../fixtures/scim-under-test.ts'

const okta = 'https://acme.okta.com'
const endpoint = `${issuer}/scim/v2/enterprise-idps/acme/global-token-revocation`
const signingKeys = generateKeyPair('RS256')

/** Starts a server with the provider `acme`, whose keys are known, and its user `kim`. */
async function start(options: Partial<ScimServerOptions> & { readonly subject?: string; readonly off?: true } = {}) {
  const { subject, off, ...others } = options
  const storage = others.storage ?? createMemoryStorage({ issuer })
  const scim = await startScim({ ...(off !== true && { universalLogout: {} }), ...others, storage })
  const { publicKey, privateKey } = await signingKeys
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' }] }
  const { secret } = await registerIdentityProvider(
    {
      providerId: 'acme',
      verifiedDomains: ['acme.example'],
      assertions: { issuer: okta, jwks, revocationSubject: subject },
    },
    { storage, clock: () => scim.clock.now() },
  )
  const body = {
    schemas: [userSchema.id],
    userName: 'kim',
    externalId: 'okta-kim',
    emails: [{ value: 'Kim@acme.example', primary: true }],
  }
  const authorization = `Bearer ${secret}`
  const kim = idOf(await scim.send({ method: 'POST', path: '/Users', provider: 'acme', authorization, body }))

  let tokens = 0
  const sign = (claims: JWTPayload = {}, header: { typ?: string; alg?: string } = {}) =>
    new SignJWT({
      iss: okta,
      aud: endpoint,
      jti: `jti-${(tokens += 1)}`,
      iat: scim.clock.now(),
      exp: scim.clock.now() + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
      .sign(privateKey)
  const revoke = async (
    body: unknown,
    { token, ...request }: { readonly token?: string } & Partial<ScimRequest> = {},
  ) =>
    scim.send({
      method: 'POST',
      path: '/global-token-revocation',
      provider: 'acme',
      headers: { 'content-type': 'application/json' },
      authorization: `Bearer ${token ?? (await sign())}`,
      body,
      ...request,
    })
  const generation = async () => (await storage.users.find(userId(kim)))?.generation
  return { ...scim, kim, sign, revoke, generation, authorization, lastReason: () => scim.lastReason() }
}

const bySub = (sub: string, iss = issuer) => ({ subject: { format: 'iss_sub', iss, sub } })
const byEmail = (email: string) => ({ subject: { format: 'email', email } })

test('signs a user out everywhere, found by sub, externalId or e-mail address, and keeps the user active (RFC 9493 §3.2)', async () => {
  const system = await start()
  const { kim, revoke, generation, events } = system

  const subjects = [
    bySub(kim),
    bySub(kim, `${issuer}/`),
    bySub('okta-kim', okta),
    byEmail('kim@ACME.example'),
    { sub_id: { format: 'email', email: 'kim@acme.example' } },
  ]
  for (const [index, subject] of subjects.entries()) {
    const reply = await revoke(subject)
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 204, body: undefined })
    expect(await generation()).toBe(index + 1)
  }

  expect(await system.storage.users.find(userId(kim))).toMatchObject({ active: true, version: 1 })
  expect(events.filter(({ type }) => type === 'user.access_revoked')).toHaveLength(subjects.length)
  expect(events.at(-1)).toMatchObject({ providerId: 'acme', userId: kim, revoked: { grants: [], sessionIds: [] } })
})

test('rejects a subject that is malformed, or given twice, with 400 (RFC 9493 §3)', async () => {
  const { revoke, generation, lastReason, kim } = await start()
  const malformed = [
    {},
    [],
    { ...bySub(kim), sub_id: { format: 'iss_sub', iss: issuer, sub: kim } },
    { subject: { format: 'opaque', id: kim } },
    { subject: { format: 'iss_sub', iss: issuer } },
    { subject: { format: 'iss_sub', iss: issuer, sub: 7 } },
    { subject: { format: 'email', email: '' } },
    { subject: { format: 'email', email: 'a\0@acme.example' } },
    { subject: kim },
  ]
  for (const body of malformed) {
    expect([body, (await revoke(body)).status]).toEqual([body, 400])
    expect(lastReason()).toMatch(/^(revocation_subject_invalid|body_malformed)$/)
  }
  expect(await generation()).toBe(0)
})

test('answers 404 for users of others, unknown users and addresses that are not verified (RFC 9110 §15.5.5)', async () => {
  const system = await start()
  const { revoke, lastReason, generation } = system
  const { kim } = system
  const other = idOf(
    await system.send({
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [userSchema.id],
        userName: 'lou',
        externalId: 'okta-lou',
        emails: [{ value: 'lou@acme.example' }],
      },
    }),
  )
  await system.storage.users.insert({ userId: userId('host'), claims: {}, createdAt: system.clock.now() })

  const subjects = [
    bySub(other),
    bySub('host'),
    bySub('nobody'),
    bySub('okta-lou', okta),
    bySub(kim, 'https://other.test'),
    byEmail('lou@acme.example'),
    byEmail('kim@other.example'),
    byEmail('kim'),
  ]
  for (const subject of subjects) {
    expect([subject, (await revoke(subject)).status]).toEqual([subject, 404])
    expect(lastReason()).toBe('revocation_subject_unknown')
  }
  expect(await generation()).toBe(0)
  expect((await system.storage.users.find(userId(other)))?.generation).toBe(0)
})

test('answers 404 for an address that several users have', async () => {
  const system = await start()
  const body = { schemas: [userSchema.id], userName: 'kim2', emails: [{ value: 'kim@acme.example' }] }
  await system.send({ method: 'POST', path: '/Users', provider: 'acme', authorization: system.authorization, body })

  expect((await system.revoke(byEmail('kim@acme.example'))).status).toBe(404)
  expect(await system.generation()).toBe(0)
})

test('rejects a token that is not for this URL, of this issuer, in time, or signed by its keys (RFC 7519 §4.1)', async () => {
  const system = await start({ subject: 'app-1' })
  const { sign, revoke, kim, clock, lastReason } = system
  const now = clock.now()
  const forger = await generateKeyPair('RS256')
  const forged = await new SignJWT({ iss: okta, aud: endpoint, sub: 'app-1', jti: 'f', exp: now + 300 })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .sign(forger.privateKey)
  const sub = 'app-1'
  const tokens = [
    forged,
    await sign({ sub: 'app-2' }),
    await sign({}),
    await sign({ sub, iss: 'https://other.okta.com' }),
    await sign({ sub, aud: issuer }),
    await sign({ sub, aud: endpoint.replace('acme', 'T1') }),
    await sign({ sub, aud: [endpoint, 'https://other.test'] }),
    await sign({ sub, exp: now - 60 }),
    await sign({ sub, exp: now + 3601 }),
    await sign({ sub, iat: now + 61 }),
    await sign({ sub, nbf: now + 61 }),
    await sign({ sub, jti: '' }),
    await sign({ sub }, { typ: 'oauth-id-jag+jwt' }),
    system.authorization.slice('Bearer '.length),
    'a.b.c',
  ]
  for (const [index, token] of tokens.entries()) {
    const reply = await revoke(bySub(kim), { token })
    expect([index, reply.status, lastReason()]).toEqual([index, 401, 'revocation_token_invalid'])
  }
  expect(await system.generation()).toBe(0)
  expect(
    (await revoke(bySub(kim), { token: await sign({ sub }, { typ: 'global-token-revocation+jwt' }) })).status,
  ).toBe(204)
})

test('rejects a request without credentials, or at a provider without keys, as at an unknown provider (RFC 6750 §3.1)', async () => {
  const { revoke, kim, lastReason, sign } = await start()

  expect((await revoke(bySub(kim), { authorization: undefined })).status).toBe(401)
  expect(lastReason()).toBe('credentials_missing')
  const answers = []
  for (const provider of ['T1', 'unknown']) {
    const token = await sign({ aud: endpoint.replace('acme', provider) })
    answers.push(await revoke(bySub(kim), { provider, token }))
    expect(lastReason()).toBe('revocation_token_invalid')
  }
  expect(answers[0]?.body).toEqual(answers[1]?.body)
})

test('accepts a token once, even when it is sent several times at once (RFC 7519 §4.1.7)', async () => {
  const { revoke, kim, sign, generation, lastReason } = await start()
  const token = await sign()

  const replies = await Promise.all(Array.from({ length: 8 }, () => revoke(bySub(kim), { token })))

  expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(7)
  expect(lastReason()).toBe('revocation_token_replayed')
  expect(await generation()).toBe(1)
})

test('rejects a provider that is disabled, and signs nobody out', async () => {
  const { revoke, kim, storage, generation, lastReason } = await start()
  const provider = await storage.identityProviders.find(providerId('acme'))
  if (provider === undefined) throw new TypeError('The provider does not exist.')
  await storage.identityProviders.compareAndSwap({ ...provider, disabledAt: provider.createdAt }, provider.version)

  expect((await revoke(bySub(kim))).status).toBe(401)
  expect(lastReason()).toBe('provider_disabled')
  expect(await generation()).toBe(0)
})

test('answers 422 for a user whom the host protects, and 429 beyond the limit (RFC 6585 §4)', async () => {
  const kinds: string[] = []
  const mayChange = async ({ kind }: { readonly kind: string }) => {
    kinds.push(kind)
    return kind !== 'revoke_access'
  }
  const protecting = await start({ mayChange })
  expect((await protecting.revoke(bySub(protecting.kim))).status).toBe(422)
  expect([protecting.lastReason(), kinds.at(-1)]).toEqual(['revocation_protected', 'revoke_access'])
  expect(await protecting.generation()).toBe(0)

  const { revoke, kim, lastReason, generation } = await start()
  const statuses = []
  for (let index = 0; index < 61; index += 1) statuses.push((await revoke(bySub(kim))).status)
  expect(statuses.filter((status) => status === 204)).toHaveLength(60)
  expect([statuses.at(-1), lastReason(), await generation()]).toEqual([429, 'too_many_requests', 60])
})

test('answers 404 for a user who is removed meanwhile', async () => {
  const honest = createMemoryStorage({ issuer })
  const remove = ({ users }: ScimStorage) => users.remove(userId(target), epochSeconds(1_790_000_000))
  let target = ''
  const users = overtake(honest.users, 'revokeAccess', async () => void (await remove(honest)))
  const { revoke, kim, lastReason } = await start({ storage: { ...honest, users } })
  target = kim

  expect((await revoke(bySub(kim))).status).toBe(404)
  expect(lastReason()).toBe('revocation_subject_unknown')
})

test('has no endpoint unless the host switches it on, and accepts the token at no other endpoint', async () => {
  const off = await start({ off: true })
  expect((await off.revoke(bySub(off.kim))).status).toBe(401)
  const withSecret = { authorization: off.authorization }
  expect((await off.revoke(bySub(off.kim), withSecret)).status).toBe(404)

  const on = await start()
  const reply = await on.send({ path: '/Users', provider: 'acme', authorization: `Bearer ${await on.sign()}` })
  expect(reply.status).toBe(401)
})

test('rejects assertions without an https issuer or without exactly one source of public keys', async () => {
  const storage = createMemoryStorage({ issuer })
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwks = { keys: [await exportJWK(publicKey)] }
  const invalid = [
    { issuer: 'http://acme.okta.com', jwks },
    { issuer: 'https://acme.okta.com?x', jwks },
    { issuer: 'acme', jwks },
    { issuer: okta },
    { issuer: okta, jwks, jwksUri: `${okta}/keys` },
    { issuer: okta, jwksUri: 'http://acme.okta.com/keys' },
    { issuer: okta, jwks: { keys: [] } },
    { issuer: okta, jwks: { keys: [await exportJWK(privateKey)] } },
    { issuer: okta, jwks, revocationSubject: '' },
  ]
  for (const assertions of invalid)
    await expect(registerIdentityProvider({ providerId: 'acme', assertions }, { storage })).rejects.toMatchObject({
      reason: 'assertions_invalid',
    })
  expect(await storage.identityProviders.find(providerId('acme'))).toBeUndefined()
})
