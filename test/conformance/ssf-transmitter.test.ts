import { sessionId, userId } from '@mintmark/storage-interface'
import { aProvisionedUser, aSessionRecord } from '@mintmark/storage-interface/fixtures'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'

import {
  accountDisabled,
  push,
  receiverUrl,
  sessionRevoked,
  startSignals,
  verification,
} from '../support/signal-world.ts'

type World = Awaited<ReturnType<typeof startSignals>>

const poll = { method: 'urn:ietf:rfc:8936' }
const credentialChange = 'https://schemas.openid.net/secevent/caep/event-type/credential-change'

describe('the metadata of a transmitter', () => {
  it('has https addresses, no empty list, OAuth as its scheme and an RSA key of 2048 bits (CAEP Interop §2.3, §2.6)', async () => {
    const world = await startSignals()

    const { body, contentType } = await world.send('GET', '/.well-known/ssf-configuration', { token: undefined })
    const { body: jwks } = await world.send('GET', '/jwks', { token: undefined })

    expect(contentType).toContain('application/json')
    expect(body).toMatchObject({ spec_version: '1_0', authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }] })
    const addresses = ['issuer', 'jwks_uri', 'configuration_endpoint', 'status_endpoint', 'verification_endpoint']
    const more = ['add_subject_endpoint', 'remove_subject_endpoint']
    for (const name of [...addresses, ...more]) expect(body[name]).toMatch(/^https:\/\/as\.test/)
    for (const value of Object.values(body)) expect(value).not.toEqual([])
    const [key] = (jwks['keys'] as { alg: string; n: string }[]).filter(({ alg }) => alg === 'RS256')
    expect(Buffer.from(key?.n ?? '', 'base64url').length * 8).toBeGreaterThanOrEqual(2048)
  })

  it('is found between the host and the path of the issuer (SSF 1.0 §7.2.1)', async () => {
    const world = await startSignals({ issuer: 'https://as.test/tenant' })

    const { status, body } = await world.send('GET', '/.well-known/ssf-configuration/tenant', { token: undefined })

    expect([status, body['issuer']]).toEqual([200, 'https://as.test/tenant'])
    expect(body['configuration_endpoint']).toBe('https://as.test/tenant/ssf/v1/streams')
  })
})

describe('the metadata of the protected resource (RFC 9728)', () => {
  it.each([
    ['https://as.test', '/.well-known/oauth-protected-resource'],
    ['https://as.test/tenant', '/.well-known/oauth-protected-resource/tenant'],
  ])(
    'leads a receiver of %s from the challenge to a token that the transmitter accepts (CAEP Interop §2.7.2)',
    async (issuer, path) => {
      const world = await startSignals({ issuer })
      const streams = `${new URL(issuer).pathname.replace(/\/$/, '')}/ssf/v1/streams`

      const { challenge } = await world.send('GET', streams, { token: undefined })
      const url = new URL(/resource_metadata="([^"]+)"/.exec(challenge ?? '')?.[1] ?? '')
      const { status, body } = await world.send('GET', url.pathname, { token: undefined })

      expect([status, url.pathname]).toEqual([200, path])
      expect(body).toEqual({
        resource: issuer,
        authorization_servers: [issuer],
        scopes_supported: ['ssf.manage', 'ssf.read'],
        bearer_methods_supported: ['header'],
        resource_name: 'Security events',
      })
      const [scope = ''] = body['scopes_supported'] as readonly string[]
      const token = await world.tokenOf(scope, { resource: String(body['resource']) })
      expect((await world.send('POST', streams, { token, body: { delivery: poll } })).status).toBe(201)
    },
  )
})

describe('the configuration of a stream', () => {
  it('keeps what the receiver supplies, as it was sent, when it is changed and replaced (SSF 1.0 §8.1.1.3, §8.1.1.4)', async () => {
    const world = await startSignals()
    const supplied = { events_requested: [sessionRevoked, credentialChange, 'urn:unknown'], description: 'first' }
    const created = await world.create(supplied)
    const id = world.streamId()
    const read = async () => (await world.send('GET', `/ssf/v1/streams?stream_id=${id}`)).body
    const change = (method: string, body: object) =>
      world.send(method, '/ssf/v1/streams', { body: { stream_id: id, ...body } })

    const delivered = { iss: 'https://as.test', aud: world.receiver, events_delivered: [sessionRevoked] }
    expect(created).toMatchObject({ status: 201, body: { stream_id: id, ...supplied, ...delivered } })
    expect(await read()).toEqual(created.body)

    const patched = await change('PATCH', { events_requested: [accountDisabled, credentialChange] })
    const after = { events_requested: [accountDisabled, credentialChange], events_delivered: [accountDisabled] }
    expect(patched).toMatchObject({ status: 200, body: { ...after, description: 'first' } })
    expect(patched.body['delivery']).toMatchObject({ method: push.method, endpoint_url: receiverUrl })
    expect(await read()).toEqual(patched.body)

    const put = await change('PUT', { events_requested: [sessionRevoked, credentialChange] })
    expect(put.body).toMatchObject({ events_requested: [sessionRevoked, credentialChange], delivery: poll })
    expect(put.body).not.toHaveProperty('description')
    expect(await read()).toEqual(put.body)
  })

  it('has the credential of the receiver until delivery is sent without it, and never shows it (SSF 1.0 §6.1.1)', async () => {
    const world = await startSignals()
    const { body } = await world.create({})
    const change = (method: string, delivery: object | undefined) =>
      world.send(method, '/ssf/v1/streams', { body: { ...body, delivery, description: method } })
    const sent = async () => {
      await askForVerification(world)
      await world.deliver()
      return world.pushed.at(-1)?.headers['authorization']
    }

    expect(JSON.stringify((await change('PATCH', undefined)).body)).not.toContain('of-receiver')
    expect(await sent()).toBe('Bearer of-receiver')
    await change('PATCH', { ...push, authorization_header: 'Bearer new' })
    expect(await sent()).toBe('Bearer new')
    await change('PUT', { method: push.method, endpoint_url: receiverUrl })
    expect(await sent()).toBeUndefined()
  })

  it('that changes from push to polling leaves what was queued as a dead delivery with its own failure', async () => {
    const world = await startSignals()
    await world.create({})
    await askForVerification(world)
    await world.send('PATCH', '/ssf/v1/streams', { body: { stream_id: world.streamId(), delivery: poll } })
    await world.deliver()

    const dead = await world.storage.deliveries.list({
      state: 'dead',
      recipient: undefined,
      before: undefined,
      limit: 10,
    })
    expect(dead.map(({ lastFailure }) => lastFailure)).toEqual(['stream_polled'])
    expect(world.pushed).toEqual([])
  })

  it('is polled at an address of this server if the receiver names no method (SSF 1.0 §8.1.1.1)', async () => {
    const world = await startSignals()

    const { status, body } = await world.send('POST', '/ssf/v1/streams', { body: { events_requested: [] } })

    const address = `https://as.test/ssf/v1/poll/${String(body['stream_id'])}`
    expect([status, body['delivery']]).toEqual([201, { ...poll, endpoint_url: address }])
  })

  it('may repeat what this server supplies, and changes nothing of it (SSF 1.0 §8.1.1.3)', async () => {
    const world = await startSignals()
    const { body } = await world.create({ events_requested: [sessionRevoked] })
    const changes = [
      { iss: 'https://other.test' },
      { aud: 'them' },
      { events_delivered: [] },
      { inactivity_timeout: 5 },
    ]

    expect((await world.send('PATCH', '/ssf/v1/streams', { body })).body).toEqual(body)
    for (const method of ['PATCH', 'PUT'])
      for (const change of changes) {
        const reply = await world.send(method, '/ssf/v1/streams', { body: { ...body, ...change } })
        expect([reply.status, reply.body['error']]).toEqual([400, 'configuration_invalid'])
      }
    expect((await world.send('GET', `/ssf/v1/streams?stream_id=${world.streamId()}`)).body).toEqual(body)
  })

  it('is listed for its receiver, and the list is empty before (SSF 1.0 §8.1.1.2)', async () => {
    const world = await startSignals()

    expect(await world.send('GET', '/ssf/v1/streams')).toMatchObject({ status: 200, body: [] })
    const { body } = await world.create({})
    expect(await world.send('GET', '/ssf/v1/streams')).toMatchObject({ status: 200, body: [body] })
  })

  it('is enabled at first, and answers each change of its status with the new one (SSF 1.0 §8.1.2)', async () => {
    const world = await startSignals()
    await world.create({})
    const id = world.streamId()
    const read = async () => (await world.send('GET', `/ssf/v1/status?stream_id=${id}`)).body

    expect(await read()).toEqual({ stream_id: id, status: 'enabled' })
    for (const status of ['paused', 'disabled', 'enabled']) {
      const reply = await world.send('POST', '/ssf/v1/status', { body: { stream_id: id, status } })
      expect([reply.status, reply.body]).toEqual([200, { stream_id: id, status }])
      expect(await read()).toEqual(reply.body)
    }
  })

  it('is read from a body without a Content-Type, as in the examples of SSF 1.0 §8.1', async () => {
    const world = await startSignals()
    const body = new TextEncoder().encode('{}')
    const headers = { authorization: `Bearer ${world.token}` }

    const reply = await world.fetch(new Request('https://as.test/ssf/v1/streams', { method: 'POST', headers, body }))

    expect(reply.status).toBe(201)
  })
})

const metadataAt = 'resource_metadata="https://as.test/.well-known/oauth-protected-resource"'

const endpoints = [
  ['POST', '/ssf/v1/streams'],
  ['PATCH', '/ssf/v1/streams'],
  ['PUT', '/ssf/v1/streams'],
  ['POST', '/ssf/v1/status'],
  ['POST', '/ssf/v1/subjects/add'],
  ['POST', '/ssf/v1/subjects/remove'],
  ['POST', '/ssf/v1/verify'],
] as const

describe('a refused request', () => {
  it.each(endpoints)('%s %s has status 400 for a body that is no JSON object (SSF 1.0 §8.1)', async (method, path) => {
    const world = await startSignals()
    await world.create({})

    for (const body of [';{ broken', '{"stream_id": ', '[]', 'null']) {
      const reply = await world.send(method, path, { body })
      expect([reply.status, reply.body['error']]).toEqual([400, 'body_malformed'])
    }
  })

  it.each(endpoints.slice(1))('%s %s has status 404 for an unknown stream (SSF 1.0 §8.1)', async (method, path) => {
    const world = await startSignals()
    const subject = { format: 'iss_sub', iss: 'https://as.test', sub: 'ann' }

    const reply = await world.send(method, path, { body: { stream_id: 'unknown', status: 'paused', subject } })

    expect([reply.status, reply.body['error']]).toEqual([404, 'stream_unknown'])
  })

  it('has status 404 if it reads or removes an unknown stream (SSF 1.0 §8.1.1.2, §8.1.1.5, §8.1.2.1)', async () => {
    const world = await startSignals()
    const unknown = [
      await world.send('GET', '/ssf/v1/streams?stream_id=unknown'),
      await world.send('GET', '/ssf/v1/status?stream_id=unknown'),
      await world.send('DELETE', '/ssf/v1/streams?stream_id=unknown'),
      await world.send('POST', '/ssf/v1/poll/unknown', { body: { returnImmediately: true } }),
    ]

    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  it('has status 401 and a challenge at every endpoint, without a token or with an invalid one (RFC 8936 §3, RFC 6750 §3)', async () => {
    const world = await startSignals()
    await world.create({ delivery: poll })
    const read = [
      ['GET', '/ssf/v1/streams'],
      ['GET', '/ssf/v1/status'],
      ['DELETE', '/ssf/v1/streams'],
    ] as const
    const all = [...endpoints, ...read, ['POST', `/ssf/v1/poll/${world.streamId()}`] as const]

    for (const [method, path] of all) {
      const body = method === 'POST' ? {} : undefined
      const without = await world.send(method, path, { token: undefined, body })
      expect([without.status, without.challenge]).toEqual([401, `Bearer realm="signals", ${metadataAt}`])
      const invalid = await world.send(method, path, { token: 'invalid', body })
      const challenge = `Bearer realm="signals", error="invalid_token", ${metadataAt}`
      expect([invalid.status, invalid.challenge]).toEqual([401, challenge])
    }
  })

  it('has status 401 if the token is in the query (CAEP Interop §2.7.3)', async () => {
    const world = await startSignals()

    const { status } = await world.send('GET', `/ssf/v1/streams?access_token=${world.token}`, { token: undefined })

    expect(status).toBe(401)
  })

  it('has status 401 if the client of the token is disabled or the token has expired (CAEP Interop §2.7.3)', async () => {
    const world = await startSignals()
    const revoked = await world.tokenOf('ssf.manage')
    const clients = await world.storage.clients.list({ after: undefined, limit: 10 })
    const other = clients.find(({ clientId }) => clientId !== world.receiver)
    if (other === undefined) throw new Error('there is a second client')
    await world.storage.clients.compareAndSwap({ ...other, disabledAt: world.now() }, other.version)

    expect((await world.send('GET', '/ssf/v1/streams', { token: revoked })).status).toBe(401)
    expect((await world.send('GET', '/ssf/v1/streams')).status).toBe(200)
    world.advance(3600)
    expect((await world.send('GET', '/ssf/v1/streams')).status).toBe(401)
  })

  it('has status 403 and names the scope if the token only allows to read (RFC 6750 §3.1, CAEP Interop §2.7.2)', async () => {
    const world = await startSignals()
    const token = await world.tokenOf('ssf.read')

    const reply = await world.send('POST', '/ssf/v1/streams', { token, body: {} })

    expect(reply.status).toBe(403)
    const challenge = 'Bearer realm="signals", error="insufficient_scope", scope="ssf.manage"'
    expect(reply.challenge).toBe(`${challenge}, ${metadataAt}`)
    expect(await world.storage.webhooks.list()).toEqual([])
  })
})

describe('a security event token', () => {
  it('has one event, an own identifier, this issuer, the audience of the stream and a reason (RFC 8417 §2.2, SSF 1.0 §4, CAEP Interop §3.1)', async () => {
    const world = await startSignals()
    const { body } = await world.create({ events_requested: [] })
    const all = body['events_supported']
    await world.send('PATCH', '/ssf/v1/streams', { body: { stream_id: world.streamId(), events_requested: all } })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.storage.users.deactivate(userId('ann'), world.now())
    await world.storage.users.reactivate(userId('ann'), world.now())
    await world.storage.users.remove(userId('ann'), world.now())
    await world.deliver()

    const sets = await verified(world)
    expect(sets.length).toBeGreaterThan(8)
    expect(new Set(sets.map(({ jti }) => jti)).size).toBe(sets.length)
    for (const { body: token } of world.pushed)
      expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'secevent+jwt', alg: 'RS256' })
    for (const set of sets) {
      expect(set).toMatchObject({ iss: 'https://as.test', aud: world.receiver })
      expect(typeof set['txn']).toBe('string')
      expect(set.iat).toBeLessThanOrEqual(world.now())
      expect(set).not.toHaveProperty('exp')
      expect(set).not.toHaveProperty('sub')
      const [[event, payload] = ['', {}], ...others] = Object.entries(set.events)
      expect(others).toEqual([])
      if (event === sessionRevoked)
        expect(JSON.stringify(payload)).toMatch(/^{"event_timestamp":\d+,"reason_admin":{"en":"[^"]+"}}$/)
    }
    const ofDeactivation = sets.filter(
      ({ txn }) => txn === sets.find(({ events }) => accountDisabled in events)?.['txn'],
    )
    expect(ofDeactivation.length).toBe(3)
  })

  it('is pushed without an Authorization header if the receiver gave none (SSF 1.0 §6.1.1)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [], delivery: { method: push.method, endpoint_url: receiverUrl } })
    await askForVerification(world)
    await world.deliver()

    expect(world.pushed[0]?.headers).not.toHaveProperty('authorization')
    expect(world.pushed[0]?.headers).toMatchObject({
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
    })
  })

  it('names SCIM attributes, and not claims, in the notice of a change (RFC 9967 §2.2)', async () => {
    const world = await startSignals()
    const notice = 'urn:ietf:params:scim:event:prov:patch:notice'
    await world.storage.provisionedUsers.insert(aProvisionedUser('kim'))
    await world.create({ events_requested: [notice] })
    const kim = await world.storage.users.find(userId('user-kim'))
    const claims = { ...kim?.claims, given_name: 'Kim', email: 'kim@acme.example', 'urn:own': 1 }
    const version = kim?.version ?? 0
    await world.storage.users.replaceClaims({ userId: userId('user-kim'), claims, version, now: world.now() })
    await world.deliver()

    const [set] = await verified(world)
    expect(set?.sub_id).toEqual({ format: 'scim', uri: '/Users/user-kim' })
    const { [notice]: payload } = (set?.events ?? {}) as Readonly<Record<string, { readonly attributes: string[] }>>
    expect(payload?.attributes.toSorted()).toEqual(['emails', 'name.givenName'])
  })
})

describe('a verification event', () => {
  it('is polled, acknowledged and reported in requests of their own and in one (RFC 8936 §2.4)', async () => {
    const world = await startSignals()
    await world.create({ delivery: poll })

    await askForVerification(world, 'first')
    const [first = ''] = Object.keys((await polled(world, { maxEvents: 10 })).sets)
    expect(await polled(world, { maxEvents: 0, ack: [first] })).toEqual({ sets: {} })
    expect((await polled(world, {})).sets).toEqual({})

    await askForVerification(world, 'second')
    const [second = ''] = Object.keys((await polled(world, { maxEvents: 10 })).sets)
    const reported = { [second]: { err: 'invalid_request', description: 'of the test' } }
    expect(await polled(world, { maxEvents: 0, setErrs: reported })).toEqual({ sets: {} })

    await askForVerification(world, 'third')
    const [third = ''] = Object.keys((await polled(world, { ack: [second] })).sets)
    const set = await world.verify((await polled(world, { maxEvents: 1 })).sets[third] ?? '')
    expect(set).toMatchObject({ jti: third, txn: third, sub_id: { format: 'opaque', id: world.streamId() } })
    expect(set.events).toEqual({ [verification]: { state: 'third' } })
    expect((await polled(world, { ack: [third] })).sets).toEqual({})
  })

  it('ends a poll that waits (RFC 8936 §2.5)', async () => {
    const world = await startSignals()
    await world.create({ delivery: poll })

    const waiting = world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body: { returnImmediately: false } })
    await askForVerification(world)

    expect(Object.keys((await waiting).body['sets'] as object)).toHaveLength(1)
  })

  it('is held while the stream is paused, pushed or polled, and dropped while it is disabled (SSF 1.0 §8.1.2.1)', async () => {
    for (const delivery of [push, poll])
      for (const status of ['paused', 'disabled']) {
        const world = await startSignals()
        await world.create({ delivery })
        const received = async () => {
          await world.deliver()
          return delivery === push ? world.pushed.length : Object.keys((await polled(world, {})).sets).length
        }
        const setStatus = (to: string) =>
          world.send('POST', '/ssf/v1/status', { body: { stream_id: world.streamId(), status: to } })

        if (delivery === push) await setStatus(status)
        await askForVerification(world)
        await setStatus(status)
        expect(await received()).toBe(0)
        await setStatus('enabled')
        world.advance(16)
        expect(await received()).toBe(status === 'paused' ? 1 : 0)
        world.advance(31)
        await askForVerification(world, 'again')
        expect(await received()).toBe(delivery === push && status === 'paused' ? 2 : 1)
      }
  })
})

it.each([
  { maxEvents: -1 },
  { maxEvents: '1' },
  { maxEvents: 1.5 },
  { returnImmediately: 'true' },
  { ack: 'all' },
  { ack: [1] },
  { setErrs: [] },
])('a poll with a member of another type is refused (RFC 8936 §2.2): %j', async (body) => {
  const world = await startSignals()
  await world.create({ delivery: poll })
  await askForVerification(world)

  const reply = await world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body })

  expect([reply.status, reply.body['error']]).toEqual([400, 'poll_invalid'])
  expect(Object.keys((await polled(world, {})).sets)).toHaveLength(1)
})

it('a poll finds an event behind thousands of changes that are no events of the stream, without waiting', async () => {
  const world = await startSignals()
  await world.create({ events_requested: [sessionRevoked], delivery: poll })
  const ann = userId('ann')
  await world.storage.users.insert({ userId: ann, claims: {}, createdAt: world.now() })
  for (let version = 1; version <= 1000; version += 1) {
    const change = { userId: ann, claims: { nickname: String(version) }, version, now: world.now() }
    await world.storage.users.replaceClaims(change)
  }
  await world.storage.users.revokeAccess(ann, world.now())

  expect(Object.keys((await polled(world, {})).sets)).toHaveLength(1)
})

it('a stream that was created again is not sent what was queued for the one before', async () => {
  const world = await startSignals()
  await world.create({ events_requested: [sessionRevoked] })
  await world.send('POST', '/ssf/v1/status', { body: { stream_id: world.streamId(), status: 'paused' } })
  await world.storage.sessions.insert(aSessionRecord({ sessionId: sessionId('s-1'), userId: userId('ann') }))
  await world.storage.sessions.revoke({
    sessionId: sessionId('s-1'),
    reason: 'user',
    now: world.now(),
    tombstoneUntil: undefined,
  })
  await world.deliver()
  await world.send('DELETE', `/ssf/v1/streams?stream_id=${world.streamId()}`)
  world.advance(60)
  await world.create({ events_requested: [sessionRevoked] })
  await world.deliver()

  expect(world.pushed).toEqual([])
})

const verified = (world: World) => Promise.all(world.pushed.map(({ body }) => world.verify(body)))

async function askForVerification(world: World, state?: string): Promise<void> {
  world.advance(31)
  const body = { stream_id: world.streamId(), ...(state !== undefined && { state }) }
  expect((await world.send('POST', '/ssf/v1/verify', { body })).status).toBe(204)
}

async function polled(world: World, request: object) {
  const body = { returnImmediately: true, ...request }
  const reply = await world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body })
  expect(reply.status).toBe(200)
  return reply.body as { readonly sets: Readonly<Record<string, string>> }
}
