import { toFetch } from '@mintmark/adapter-fetch'
import { registerIdentityProvider } from '@mintmark/scim'
import { createSignalReceiver, type ReceiverEvent } from '@mintmark/signals'
import { clientId, epochSeconds, providerId, sessionId, userId } from '@mintmark/storage-interface'
import { aProvisionedUser, aSessionRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import {
  accountDisabled,
  kim,
  okta,
  push,
  receiverUrl,
  revokedSessionClaims,
  sessionRevoked,
  startSignals,
} from '../support/signal-world.ts'

const issuer = 'https://as.test'
const created = 'urn:ietf:params:scim:event:prov:create:notice'

describe('a transmitter of security events', () => {
  it('publishes its configuration to everybody (SSF 1.0 §7.1)', async () => {
    const world = await startSignals()

    const reply = await world.send('GET', '/.well-known/ssf-configuration', { token: undefined })

    expect(reply).toMatchObject({
      status: 200,
      body: {
        spec_version: '1_0',
        issuer,
        configuration_endpoint: `${issuer}/ssf/v1/streams`,
        delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
        default_subjects: 'ALL',
      },
    })
  })

  it('pushes each event once, in order, signed with RS256 and with the credential of the receiver (RFC 8935 §2)', async () => {
    const world = await startSignals()
    const stream = await world.create({ events_requested: [sessionRevoked, accountDisabled, 'unknown:event'] })
    expect(stream).toMatchObject({
      status: 201,
      body: {
        aud: world.receiver,
        events_delivered: [sessionRevoked, accountDisabled],
        delivery: { endpoint_url: receiverUrl },
      },
    })
    expect(JSON.stringify(stream.body)).not.toContain('of-receiver')

    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.storage.users.deactivate(userId('ann'), world.now())
    await world.deliver()
    await world.deliver()

    const sets = await Promise.all(world.pushed.map(({ body }) => world.verify(body)))
    const subject = { format: 'iss_sub', iss: issuer, sub: 'ann' }
    expect(sets.map(({ events, sub_id: id }) => [Object.keys(events), id])).toEqual([
      [[sessionRevoked], subject],
      [[accountDisabled], subject],
      [[sessionRevoked], subject],
    ])
    expect(new Set(sets.map(({ jti }) => jti)).size).toBe(3)
    expect(sets[0]).not.toHaveProperty('exp')
    expect(sets[0]).not.toHaveProperty('sub')
    expect(world.pushed[0]?.headers).toMatchObject({
      'content-type': 'application/secevent+jwt',
      authorization: 'Bearer of-receiver',
    })
    expect(JSON.stringify(await world.storage.webhooks.list())).not.toContain('of-receiver')
  })

  it('names only the session that ended, and a provisioned user by its address (SSF 1.0 §3.1, RFC 9967 §2.1)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked, created] })
    await world.storage.provisionedUsers.insert(aProvisionedUser('kim'))
    await world.storage.sessions.insert(aSessionRecord({ sessionId: sessionId('s-1'), userId: userId('user-kim') }))
    await world.storage.sessions.revoke({
      sessionId: sessionId('s-1'),
      reason: 'user',
      now: world.now(),
      tombstoneUntil: undefined,
    })
    await world.deliver()

    const sets = await Promise.all(world.pushed.map(({ body }) => world.verify(body)))
    expect(sets.map(({ sub_id: id }) => id)).toEqual([
      { format: 'scim', uri: '/Users/user-kim' },
      {
        format: 'complex',
        user: { format: 'iss_sub', iss: issuer, sub: 'user-kim' },
        session: { format: 'opaque', id: 's-1' },
      },
    ])
  })

  it('repeats an event with the same jti until the receiver accepts it, and gives one up that it refuses (RFC 8935 §2.4)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    world.answer(503)
    await world.deliver()
    world.answer(400)
    world.advance(6)
    await world.deliver()
    world.answer(202)
    await world.deliver()

    const jtis = await Promise.all(world.pushed.map(async ({ body }) => (await world.verify(body)).jti))
    expect(jtis).toHaveLength(3)
    expect(jtis[0]).toBe(jtis[1])
    expect(jtis[2]).not.toBe(jtis[1])
  })

  it('keeps the events of a paused stream, drops those of a disabled one, and reports the status (SSF 1.0 §8.1.2)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    const setStatus = (status: string) =>
      world.send('POST', '/ssf/v1/status', { body: { stream_id: world.streamId(), status, reason: 'test' } })

    expect(await setStatus('paused')).toMatchObject({ status: 200, body: { status: 'paused', reason: 'test' } })
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.deliver()
    expect(world.pushed).toHaveLength(0)
    await setStatus('enabled')
    world.advance(61)
    await world.deliver()
    expect(world.pushed).toHaveLength(1)

    await setStatus('disabled')
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.deliver()
    await setStatus('enabled')
    await world.deliver()
    expect(world.pushed).toHaveLength(1)
    expect(await setStatus('stopped')).toMatchObject({ status: 400, body: { error: 'status_invalid' } })
  })

  it('returns events to polls until they are acknowledged, whatever the order (RFC 8936 §2)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked], delivery: { method: 'urn:ietf:rfc:8936' } })
    for (const id of ['a', 'b', 'c']) {
      await world.storage.users.insert({ userId: userId(id), claims: {}, createdAt: world.now() })
      await world.storage.users.revokeAccess(userId(id), world.now())
    }
    const poll = async (body: object) => {
      const reply = await world.send('POST', `/ssf/v1/poll/${world.streamId()}`, {
        body: { returnImmediately: true, ...body },
      })
      const { sets } = reply.body as { readonly sets: Readonly<Record<string, string>> }
      const subjects = await Promise.all(
        Object.values(sets).map(async (set) => ((await world.verify(set)).sub_id as { sub: string }).sub),
      )
      return { jtis: Object.keys(sets), subjects, more: reply.body['moreAvailable'] }
    }

    const first = await poll({})
    const again = await poll({ maxEvents: 1 })
    const [a, b, c] = first.jtis
    const withoutSecond = await poll({ ack: [b] })
    const withoutFirst = await poll({ setErrs: { [a ?? '']: { err: 'invalid_state' } } })
    const afterAll = await poll({ ack: [c] })

    expect(first.subjects).toEqual(['a', 'b', 'c'])
    expect([again.subjects, again.more]).toEqual([['a'], true])
    expect(withoutSecond.subjects).toEqual(['a', 'c'])
    expect(withoutFirst.subjects).toEqual(['c'])
    expect(afterAll.subjects).toEqual([])
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'event.refused', jti: a }))
  })

  it('lets four polls of a receiver wait, answers further ones at once, and gives all of them the next event (RFC 8936 §2.4)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked], delivery: { method: 'urn:ietf:rfc:8936' } })
    const poll = () => world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body: {} })

    const waiting = [poll(), poll(), poll(), poll()]
    const first = await Promise.race([...waiting, poll().then(() => 'fifth')])
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())

    expect(first).toBe('fifth')
    for (const { body } of await Promise.all(waiting)) expect(Object.keys(body['sets'] ?? {})).toHaveLength(1)
  })

  it('gives no event to a poll that waits while its receiver is disabled', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked], delivery: { method: 'urn:ietf:rfc:8936' } })

    const waiting = world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body: {} })
    // These requests are authenticated after the first, which waits when they are answered.
    for (let sent = 0; sent < 3; sent += 1) await world.send('GET', '/ssf/v1/streams')
    await changeClient(world.storage, clientId(world.receiver), { disabledAt: world.now() })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())

    expect(await waiting).toMatchObject({ status: 401, body: { error: 'token_invalid' } })
  })

  it('pushes nothing to a receiver that may no longer manage its stream', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    await changeClient(world.storage, clientId(world.receiver), { scopes: ['other'] })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())

    expect(await world.deliver()).toMatchObject({ delivered: 0, dead: 1 })
    expect(world.pushed).toEqual([])
  })

  it('refuses a body that is nested deeply', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    const nested = '['.repeat(30_000) + ']'.repeat(30_000)

    const reply = await world.send('PATCH', '/ssf/v1/streams', {
      body: `{"stream_id":"${world.streamId()}","iss":${nested}}`,
    })

    expect(reply).toMatchObject({ status: 400, body: { error: 'body_malformed' } })
  })

  it('refuses a change that names no member that it knows, and accepts an unchanged stream', async () => {
    const world = await startSignals()
    const { body: stream } = await world.create({ events_requested: [sessionRevoked] })
    const streamId = { stream_id: world.streamId() }

    const mistyped = await world.send('PATCH', '/ssf/v1/streams', { body: { ...streamId, events_request: [] } })
    const unchanged = await world.send('PATCH', '/ssf/v1/streams', { body: { ...streamId, aud: stream?.['aud'] } })

    expect(mistyped).toMatchObject({
      status: 400,
      body: {
        error: 'configuration_invalid',
        error_description:
          'The request about the stream is not valid. Member: events_requested, description, delivery.',
      },
    })
    expect(unchanged).toMatchObject({ status: 200, body: { events_requested: [sessionRevoked] } })
  })

  it.each(['\u0000', '\uD800'])('refuses a text that not every store keeps', async (text) => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    const stored = JSON.stringify(await world.storage.webhooks.list())

    const [verified, paused] = [
      await world.send('POST', '/ssf/v1/verify', { body: { stream_id: world.streamId(), state: text } }),
      await world.send('POST', '/ssf/v1/status', {
        body: { stream_id: world.streamId(), status: 'paused', reason: text },
      }),
    ]

    expect(verified).toMatchObject({ status: 400, body: { error: 'configuration_invalid' } })
    expect(paused).toMatchObject({ status: 400, body: { error: 'status_invalid' } })
    expect(JSON.stringify(await world.storage.webhooks.list())).toBe(stored)
  })

  it('sends a verification event with the state, pushed or polled, and not too often (SSF 1.0 §8.1.4)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [] })
    const verify = () => world.send('POST', '/ssf/v1/verify', { body: { stream_id: world.streamId(), state: 's1' } })

    expect((await verify()).status).toBe(204)
    await world.deliver()
    const [pushed] = await Promise.all(world.pushed.map(({ body }) => world.verify(body)))
    expect(pushed).toMatchObject({
      sub_id: { format: 'opaque', id: world.streamId() },
      events: { 'https://schemas.openid.net/secevent/ssf/event-type/verification': { state: 's1' } },
    })
    expect(await verify()).toMatchObject({ status: 429, body: { error: 'verified_too_often' } })

    world.advance(31)
    const delivery = { method: 'urn:ietf:rfc:8936' }
    await world.send('PATCH', '/ssf/v1/streams', { body: { stream_id: world.streamId(), delivery } })
    expect((await verify()).status).toBe(204)
    const poll = (body: object) =>
      world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body: { returnImmediately: true, ...body } })
    const { sets } = (await poll({})).body as { readonly sets: Readonly<Record<string, string>> }
    expect(Object.keys(sets)).toHaveLength(1)
    expect((await poll({ ack: Object.keys(sets) })).body).toEqual({ sets: {} })
  })

  it('leaves out subjects that the receiver removes, until it adds them again (SSF 1.0 §8.1.3)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    const subject = { format: 'iss_sub', iss: issuer, sub: 'ann' }
    const change = (name: string, about: object = subject) =>
      world.send('POST', `/ssf/v1/subjects/${name}`, { body: { stream_id: world.streamId(), subject: about } })

    expect((await change('remove')).status).toBe(204)
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.deliver()
    expect(world.pushed).toHaveLength(0)
    expect((await change('add')).status).toBe(200)
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.deliver()
    expect(world.pushed).toHaveLength(1)
    expect((await change('remove', { ...subject, sub: 'nobody' })).body).toMatchObject({ error: 'subject_unknown' })
    expect((await change('add', { id: 'ann' })).body).toMatchObject({ error: 'subject_invalid' })
  })

  it('lets a receiver read, replace and remove its own stream only, and have one (SSF 1.0 §8.1.1)', async () => {
    const world = await startSignals()
    const other = await world.tokenOf('ssf.manage')
    await world.create({ events_requested: [sessionRevoked], description: 'mine' })
    const id = world.streamId()
    const streams = `/ssf/v1/streams?stream_id=${id}`

    expect((await world.create({})).body).toMatchObject({ error: 'stream_exists' })
    expect((await world.send('GET', '/ssf/v1/streams')).body).toMatchObject([{ stream_id: id, description: 'mine' }])
    expect((await world.send('GET', streams, { token: other })).body).toMatchObject({ error: 'stream_unknown' })
    expect((await world.send('DELETE', streams, { token: other })).status).toBe(404)
    const put = { stream_id: id, events_requested: [accountDisabled], delivery: push }
    const replaced = await world.send('PUT', '/ssf/v1/streams', { body: put })
    expect(replaced.body).toMatchObject({ events_delivered: [accountDisabled] })
    expect(replaced.body).not.toHaveProperty('description')
    const stolen = { stream_id: id, aud: 'other' }
    expect((await world.send('PATCH', '/ssf/v1/streams', { body: stolen })).body).toMatchObject({
      error: 'configuration_invalid',
    })
    expect((await world.send('DELETE', streams)).status).toBe(204)
    expect((await world.send('GET', streams)).status).toBe(404)
    expect((await world.create({})).status).toBe(201)
  })

  it('sends nothing that happened before a stream was created again', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.deliver()
    await world.send('DELETE', `/ssf/v1/streams?stream_id=${world.streamId()}`)
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.create({ events_requested: [sessionRevoked] })
    await world.deliver()

    expect(world.pushed).toHaveLength(0)
  })

  it.each([
    ['a private address', { delivery: { ...push, endpoint_url: 'https://10.0.0.1/' } }, undefined],
    ['no TLS', { delivery: { ...push, endpoint_url: 'http://receiver.example/' } }, undefined],
    [
      'a header with a line break',
      { delivery: { ...push, authorization_header: 'a\nb' } },
      'delivery.authorization_header',
    ],
    ['an unknown method', { delivery: { method: 'x', endpoint_url: receiverUrl } }, 'delivery.method'],
    ['no address', { delivery: { method: push.method } }, 'delivery.endpoint_url'],
    ['a delivery that is no object', { delivery: 'push' }, 'delivery'],
    ['events that are not a list', { events_requested: 'all' }, 'events_requested'],
    ['a description that is no text', { description: 1 }, 'description'],
  ])('refuses a stream with %s, and stores nothing', async (_, change, member) => {
    const world = await startSignals()

    const reply = await world.create(change)

    const error = member === undefined ? 'endpoint_invalid' : 'configuration_invalid'
    expect(reply).toMatchObject({ status: 400, body: { error } })
    if (member !== undefined)
      expect(String(reply.body['error_description'])).toMatch(new RegExp(`Member: ${member}\\.$`))
    expect(await world.storage.webhooks.list()).toEqual([])
    expect(world.events.at(-1)).toMatchObject({
      type: 'request.refused',
      reason: error,
      clientId: world.receiver,
      ...(member && { member }),
    })
  })

  it('names the missing identifier of the stream, when the receiver asks for a verification event', async () => {
    const world = await startSignals()
    await world.create({})

    expect(await world.send('POST', '/ssf/v1/verify', { body: { state: 's' } })).toMatchObject({
      body: { error_description: 'The request about the stream is not valid. Member: stream_id.' },
    })
  })

  it('refuses requests without a token, with one of another scope, and writes with ssf.read (RFC 6750 §3.1)', async () => {
    const world = await startSignals()
    const reading = await world.tokenOf('ssf.read')
    const body = { events_requested: [] }

    expect((await world.send('GET', '/ssf/v1/streams', { token: undefined })).body).toMatchObject({
      error: 'token_missing',
    })
    expect((await world.send('GET', '/ssf/v1/streams', { token: 'x' })).status).toBe(401)
    expect((await world.send('GET', '/ssf/v1/streams', { token: await world.tokenOf('other') })).status).toBe(403)
    expect((await world.send('GET', '/ssf/v1/streams', { token: reading })).status).toBe(200)
    expect((await world.send('POST', '/ssf/v1/streams', { token: reading, body })).body).toMatchObject({
      error: 'scope_missing',
    })
    expect(await world.send('PATCH', '/ssf/v1/verify')).toMatchObject({ status: 405 })
    expect((await world.send('GET', '/ssf/v1/unknown')).status).toBe(404)
  })
})

describe('a receiver of security events', () => {
  async function startReceiver(policy: object = {}) {
    let now = epochSeconds(1_790_000_000)
    const storage = createMemoryStorage({ issuer })
    await registerIdentityProvider(
      { providerId: 'provider-1', verifiedDomains: ['acme.example'] },
      { storage, clock: () => now },
    )
    await storage.provisionedUsers.insert(aProvisionedUser('kim', { providerId: providerId('provider-1') }))
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }
    const events: ReceiverEvent[] = []
    let keysAreReadable = true
    const receiver = createSignalReceiver({
      issuer,
      storage,
      clock: () => now,
      transmitters: [{ issuer: okta, jwksUri: `${okta}/keys`, audience: 'us', providerId: 'provider-1', ...policy }],
      fetch: () => Promise.resolve(keysAreReadable ? Response.json(jwks) : new Response(null, { status: 500 })),
      onEvent: (event) => void events.push(event),
    })
    const fetchIt = toFetch(receiver)
    const sign = (claims: object = {}, typ = 'secevent+jwt') =>
      new SignJWT({ ...revokedSessionClaims(now), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k', typ })
        .sign(privateKey)
    const receive = async (set: string, contentType = 'application/secevent+jwt') => {
      const headers = { 'content-type': contentType }
      const response = await fetchIt(new Request(`${issuer}/signals`, { method: 'POST', headers, body: set }))
      const language = response.headers.get('content-language')
      return { status: response.status, body: await response.text(), ...(language !== null && { language }) }
    }
    const stored = () => storage.users.find(userId('user-kim'))
    return {
      storage,
      sign,
      receive,
      receiver,
      events,
      stored,
      kim,
      now: () => now,
      setKeysReadable: (readable: boolean) => void (keysAreReadable = readable),
      advance: (by: number) => void (now = epochSeconds(now + by)),
    }
  }

  it('signs the user out everywhere, once for each event (RFC 8935 §2.2)', async () => {
    const world = await startReceiver()
    const set = await world.sign()

    const replies = [await world.receive(set), await world.receive(set)]

    expect(replies).toEqual([
      { status: 202, body: '' },
      { status: 202, body: '' },
    ])
    expect(await world.stored()).toMatchObject({ active: true, generation: 1 })
    expect(world.events.map((event) => event.type === 'signal.received' && event.outcome)).toEqual([
      'revoked',
      'repeated',
    ])
  })

  it('finds the user by e-mail address, externalId or in a complex subject, and no user of another provider', async () => {
    const world = await startReceiver()
    const other = aProvisionedUser('lou', { providerId: providerId('provider-2') })
    await world.storage.provisionedUsers.insert(other)
    const complex = { format: 'complex', user: world.kim, session: { format: 'opaque', id: 'x' } }
    const found = { format: 'iss_sub', iss: okta, sub: 'external-kim' }

    await world.receive(await world.sign({ jti: 'a', sub_id: complex }))
    await world.receive(await world.sign({ jti: 'b', sub_id: found }))
    await world.receive(await world.sign({ jti: 'c', sub_id: { ...world.kim, sub: 'user-lou' } }))

    const outcomes = world.events.map((event) => event.type === 'signal.received' && event.outcome)
    expect(outcomes[0]).toBe('revoked')
    expect(outcomes[2]).toBe('unknown_subject')
    expect((await world.storage.users.find(userId('user-lou')))?.generation).toBe(0)
  })

  it('does nothing to a user who has signed in since the event', async () => {
    const world = await startReceiver()
    const set = await world.sign()
    world.advance(60)
    await world.storage.sessions.insert(
      aSessionRecord({
        userId: userId('user-kim'),
        authTime: world.now(),
        userGeneration: 0,
        idleExpiresAt: epochSeconds(world.now() + 600),
        expiresAt: epochSeconds(world.now() + 600),
        keptUntil: epochSeconds(world.now() + 600),
      }),
    )

    await world.receive(set)

    expect(world.events.at(-1)).toMatchObject({ outcome: 'outdated', userId: 'user-kim' })
    expect(await world.stored()).toMatchObject({ generation: 0 })
  })

  it.each([
    ['that was issued two weeks ago, which may be a copy of one that was handled (RFC 8417 §5.4)', 14 * 86_400, 0],
    ['that is about an earlier account of the same name (RFC 8417 §5.4)', 120, 120],
  ])('does nothing for an event %s', async (_, age, createdAfter) => {
    const world = await startReceiver({ onAccountDisabled: 'deactivate' })
    const sub = { format: 'iss_sub', iss: issuer, sub: 'user-new' }
    const set = await world.sign({ sub_id: sub, events: { [accountDisabled]: {} } })
    const user = aProvisionedUser('new', { providerId: providerId('provider-1') })
    await world.storage.provisionedUsers.insert({ ...user, createdAt: epochSeconds(world.now() + createdAfter) })
    world.advance(age)

    expect(await world.receive(set)).toMatchObject({ status: 202 })

    expect(world.events.at(-1)).toMatchObject({ outcome: 'outdated' })
    expect(await world.storage.users.find(userId('user-new'))).toMatchObject({ active: true, generation: 0 })
  })

  it('deactivates a user once, who was reactivated since, however late the event is repeated', async () => {
    const world = await startReceiver({ onAccountDisabled: 'deactivate' })
    const set = await world.sign({ iat: world.now() + 30, events: { [accountDisabled]: {} } })
    await world.receive(set)
    await world.storage.users.reactivate(userId('user-kim'), world.now())

    for (const days of [13, 1, 1]) {
      world.advance(days * 86_400)
      await world.receive(set)
    }

    expect(world.events.map((event) => event.type === 'signal.received' && event.outcome)).toEqual([
      'deactivated',
      'repeated',
      'repeated',
      'outdated',
    ])
    expect(await world.stored()).toMatchObject({ active: true })
  })

  it('follows the policy of the transmitter: deactivates, revokes, or ignores', async () => {
    const events = { [accountDisabled]: {} }
    const byDefault = await startReceiver()
    await byDefault.receive(await byDefault.sign({ events }))
    expect(await byDefault.stored()).toMatchObject({ active: true, generation: 1 })

    const strict = await startReceiver({ onAccountDisabled: 'deactivate' })
    await strict.receive(await strict.sign({ events }))
    expect(await strict.stored()).toMatchObject({ active: false })

    const idle = await startReceiver({ onSessionsRevoked: 'ignore' })
    await idle.receive(await idle.sign())
    await idle.receive(await idle.sign({ jti: 'j2', events: { 'urn:other': {} } }))
    expect(await idle.stored()).toMatchObject({ active: true, generation: 0 })
    expect(idle.events.map((event) => event.type === 'signal.received' && event.outcome)).toEqual([
      'ignored',
      'ignored',
    ])
  })

  it('refuses tokens of other issuers, for others, with another type, or with a wrong signature (RFC 8935 §2.4)', async () => {
    const world = await startReceiver()
    const forged = `${(await world.sign()).split('.').slice(0, 2).join('.')}.AAAA`
    const cases = [
      [await world.sign({ iss: 'https://evil.example' }), 'invalid_issuer'],
      [await world.sign({ aud: 'them' }), 'invalid_audience'],
      [await world.sign({}, 'JWT'), 'invalid_request'],
      [await world.sign({ exp: world.now() + 60 }), 'invalid_request'],
      [await world.sign({ iat: world.now() + 61 }), 'invalid_request'],
      [await world.sign({ events: { a: {}, b: {} } }), 'invalid_request'],
      [await world.sign({ jti: '' }), 'invalid_request'],
      [forged, 'invalid_key'],
      ['not a token', 'invalid_request'],
    ] as const
    for (const [set, err] of cases) {
      const reply = await world.receive(set)
      expect([reply.status, JSON.parse(reply.body)]).toEqual([400, expect.objectContaining({ err })])
      expect(world.events.at(-1)).toMatchObject({ type: 'signal.refused', reason: err })
    }
    expect(await world.stored()).toMatchObject({ generation: 0 })
  })

  it('answers 503 while storage is unavailable, and acts when the event is sent again', async () => {
    const world = await startReceiver()
    const set = await world.sign()
    const { users } = world.storage
    const revoke = users.revokeAccess.bind(users)
    let isDown = true
    Object.assign(users, {
      revokeAccess: (...args: Parameters<typeof revoke>) =>
        isDown ? Promise.reject(new Error('down')) : revoke(...args),
    })

    expect((await world.receive(set)).status).toBe(503)
    isDown = false
    expect((await world.receive(set)).status).toBe(202)

    expect(await world.stored()).toMatchObject({ generation: 1 })
  })

  it('asks for the event again while the keys of the transmitter cannot be read (RFC 8935 §2)', async () => {
    const world = await startReceiver()
    const set = await world.sign()

    world.setKeysReadable(false)
    expect((await world.receive(set)).status).toBe(503)
    expect(world.events.at(-1)).toMatchObject({ type: 'signal.refused', reason: 'unavailable' })
    world.setKeysReadable(true)
    world.advance(30)
    expect((await world.receive(set)).status).toBe(202)

    expect(await world.stored()).toMatchObject({ generation: 1 })
  })

  it('refuses a body of another type, in a language that it names (RFC 8935 §2.1, §2.3)', async () => {
    const world = await startReceiver()

    const reply = await world.receive(await world.sign(), 'application/jwt')

    expect([reply.status, reply.language]).toEqual([400, 'en'])
    expect(JSON.parse(reply.body)).toEqual({ err: 'invalid_request', description: expect.any(String) as string })
    expect(await world.stored()).toMatchObject({ generation: 0 })
  })

  it('handles a token that the host has polled, and throws while it must not be acknowledged (RFC 8936 §2.4)', async () => {
    const world = await startReceiver()
    const set = await world.sign()

    world.setKeysReadable(false)
    await expect(world.receiver.receive(set)).rejects.toThrow()
    world.setKeysReadable(true)
    world.advance(30)
    expect(await world.receiver.receive(set)).toEqual({ outcome: 'revoked' })
    await expect(world.receiver.receive(await world.sign({ aud: 'them' }))).rejects.toThrow(/another receiver/)

    expect(await world.stored()).toMatchObject({ generation: 1 })
  })

  it('signs the user out for a changed credential, whatever its type (CAEP Interop §3.2)', async () => {
    const world = await startReceiver()
    const credentialChange = 'https://schemas.openid.net/secevent/caep/event-type/credential-change'
    const changes = [
      { credential_type: 'password', change_type: 'update', reason_admin: { en: 'Reset' } },
      { credential_type: 'fido2-roaming', change_type: 'create' },
      { credential_type: 'own', change_type: 'delete', unknown: {} },
    ]
    for (const [index, change] of changes.entries())
      await world.receive(await world.sign({ jti: `c${index}`, events: { [credentialChange]: change } }))

    expect(await world.stored()).toMatchObject({ active: true, generation: 3 })
  })
})
