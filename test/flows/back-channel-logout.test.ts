import { epochSeconds, userId } from '@mintmark/storage-interface'
import { compactDecrypt, createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'

import { issuer, startLogoutWorld, type LogoutWorld } from '../support/logout-world.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'

async function withSession(options: Parameters<typeof startLogoutWorld>[0] = {}): Promise<LogoutWorld> {
  const world = await startLogoutWorld(options)
  await world.register('a')
  await world.register('b')
  await world.join('s1', 'a', 'b')
  return world
}

describe('a logout token', () => {
  it('has exactly the claims and the type that the standard defines (Back-Channel Logout §2.4)', async () => {
    const world = await withSession()
    await world.revoke('s1')
    await world.server.deliverOnce()

    const [received] = world.receiver.received.filter(({ host }) => host === 'a.test')
    const keys = (await world.keys.publicKeys()).map(({ keyId, algorithm, jwk }) => ({
      ...jwk,
      kid: keyId,
      alg: algorithm,
    }))
    const { payload, protectedHeader } = await jwtVerify(received?.token ?? '', createLocalJWKSet({ keys }), {
      currentDate: new Date(world.clock.now() * 1000),
    })

    const now = world.clock.now()
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'logout+jwt', kid: protectedHeader.kid })
    expect(payload).toEqual({
      iss: issuer,
      sub: 'U1',
      aud: 'a',
      iat: now,
      exp: now + 120,
      jti: payload.jti,
      events: { [event]: {} },
      sid: 's1',
    })
    expect(payload.jti).toMatch(/^[\w-]{22}$/)
    expect(received).toMatchObject({
      contentType: 'application/x-www-form-urlencoded',
      body: `logout_token=${received?.token}`,
    })
  })

  it('goes to each client of the session once, and to no other (Back-Channel Logout §2.5)', async () => {
    const world = await withSession({ hosts: ['a', 'b', 'c'] })
    await world.register('c')
    await world.join('s2', 'c')
    await world.revoke('s1')

    const first = await world.server.deliverOnce()
    const second = await world.server.deliverOnce()

    expect(world.receiver.received.map(({ host, claims }) => `${host} ${String(claims.aud)}`).toSorted()).toEqual([
      'a.test a',
      'b.test b',
    ])
    expect(first).toEqual({ delivered: 2, failed: 0, dead: 0, more: false })
    expect(second).toEqual({ delivered: 0, failed: 0, dead: 0, more: false })
  })

  it('is encrypted like the client’s ID tokens, or waits until the client has a key (Back-Channel Logout §2.6)', async () => {
    const world = await startLogoutWorld()
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES')
    const key = { ...(await exportJWK(publicKey)), kid: 'e1', use: 'enc' }
    const encryption = { idTokenEncryptedResponseAlg: 'ECDH-ES', idTokenEncryptedResponseEnc: 'A256GCM' } as const
    await world.register('a', { ...encryption, jwks: { keys: [key] as never } })
    await world.register('b', { ...encryption, jwks: { keys: [] } })
    await world.join('s1', 'a', 'b')
    await world.revoke('s1')
    await world.server.deliverOnce()

    const [received, ...others] = world.receiver.received
    const { plaintext, protectedHeader } = await compactDecrypt(received?.token ?? '', privateKey)
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT', kid: 'e1' })
    expect(decodeJwt(new TextDecoder().decode(plaintext))).toMatchObject({ aud: 'a', sub: 'U1', sid: 's1' })
    expect(others).toEqual([])
    expect(await world.deliveries('pending')).toMatchObject([{ recipient: 'b', lastFailure: 'algorithm_unavailable' }])
  })

  it('is signed with the algorithm of the client’s ID tokens (Back-Channel Logout §2.4)', async () => {
    const world = await startLogoutWorld()
    await world.register('a', { idTokenSignedResponseAlg: 'RS256' })
    await world.join('s1', 'a')
    await world.revoke('s1')
    await world.server.deliverOnce()

    const [header = ''] = world.receiver.received[0]?.token.split('.') ?? []
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'RS256' })
  })

  it('names only the user, once for each client, when all sessions of the user are revoked (Back-Channel Logout §2.4)', async () => {
    const world = await withSession()
    await world.join('s2', 'a')
    await world.storage.users.deactivate(userId('U1'), world.clock.now())
    await world.server.deliverOnce()

    const claims = world.receiver.received.map((each) => each.claims)
    expect(claims.map(({ aud, sub, sid }) => `${String(aud)} ${sub} ${String(sid)}`).toSorted()).toEqual([
      'a U1 undefined',
      'b U1 undefined',
    ])
  })

  it('names each session to a client that needs sid (Back-Channel Logout §2.2)', async () => {
    const world = await startLogoutWorld()
    await world.register('a', { backchannelLogoutSessionRequired: true })
    await world.join('s1', 'a')
    await world.join('s2', 'a')
    await world.storage.users.remove(userId('U1'), world.clock.now())
    await world.server.deliverOnce()

    expect(world.receiver.received.map(({ claims }) => String(claims['sid'])).toSorted()).toEqual(['s1', 's2'])
  })

  it('is sent an hour after the last token of the client has expired (Back-Channel Logout §2.5)', async () => {
    const world = await withSession()
    world.clock.advance(4320)
    await world.revoke('s1')

    expect(await world.server.deliverOnce()).toMatchObject({ delivered: 2 })
  })

  it.each([
    { what: 'disabled', change: { disabledAt: epochSeconds(1_790_000_000) } },
    { what: 'without an address', change: { backchannelLogoutUri: undefined } },
  ])('is not sent to a client that is $what', async ({ change }) => {
    const world = await startLogoutWorld()
    await world.register('a', change)
    await world.join('s1', 'a')
    await world.revoke('s1')

    expect(await world.server.deliverOnce()).toMatchObject({ delivered: 0, dead: 0 })
    expect(world.receiver.received).toEqual([])
  })

  it('is not sent when the client was disabled after the sign-out', async () => {
    const world = await withSession()
    await world.revoke('s1')
    world.receiver.setBehaviour('a.test', (response) => response.writeHead(500).end())
    await world.server.deliverOnce()
    const client = await world.storage.clients.find('a' as never)
    if (client !== undefined)
      await world.storage.clients.compareAndSwap({ ...client, disabledAt: world.clock.now() }, client.version)
    world.clock.advance(5)

    expect(await world.server.deliverOnce()).toMatchObject({ dead: 1 })
    expect(world.outcomes()).toContain('delivery.dead client_gone')
  })
})

describe('a client that gets a logout token', () => {
  it.each([
    { answer: 200, outcome: 'delivered' },
    { answer: 204, outcome: 'delivered' },
    { answer: 300, outcome: 'dead' },
    { answer: 302, outcome: 'dead' },
    { answer: 307, outcome: 'dead' },
    { answer: 400, outcome: 'dead' },
    { answer: 401, outcome: 'dead' },
    { answer: 404, outcome: 'dead' },
    { answer: 408, outcome: 'pending' },
    { answer: 425, outcome: 'pending' },
    { answer: 429, outcome: 'pending' },
    { answer: 500, outcome: 'pending' },
    { answer: 503, outcome: 'pending' },
  ] as const)(
    'leaves the delivery $outcome when it answers $answer (Back-Channel Logout §2.8)',
    async ({ answer, outcome }) => {
      const world = await withSession()
      world.receiver.setBehaviour('a.test', (response) => {
        response.writeHead(answer, { location: 'https://b.test/elsewhere' }).end('<html>')
      })
      await world.revoke('s1')
      await world.server.deliverOnce()

      const [delivery] = (await world.deliveries(outcome)).filter(({ recipient }) => recipient === 'a')
      expect(delivery).toMatchObject({
        attempts: 1,
        lastFailure: outcome === 'delivered' ? undefined : `http_${answer}`,
      })
      // The server follows no redirect: b.test receives only its own token.
      expect(world.receiver.received).toHaveLength(2)
    },
  )

  it('counts as unreachable if it redirects and the fetch function of the host hides the redirect (Fetch §2.2.6)', async () => {
    const world = await withSession({ fetch: () => Promise.resolve(Response.error()) })
    await world.revoke('s1')

    await world.server.deliverOnce()

    expect(await world.deliveries('delivered')).toEqual([])
    const failures = (await world.deliveries('dead')).map(({ recipient, lastFailure }) => `${recipient} ${lastFailure}`)
    expect(new Set(failures)).toEqual(new Set(['a http_0', 'b http_0']))
  })

  it('gets another token after 5 s, 30 s, 2 min, 10 min and then every hour for a day, each with a new jti', async () => {
    const world = await withSession()
    world.receiver.setBehaviour('a.test', (response) => response.writeHead(500).end())
    await world.revoke('s1')
    const startedAt = world.clock.now()
    await world.server.deliverOnce()
    const attempts: number[] = []
    for (;;) {
      const [pending] = await world.deliveries('pending')
      if (pending === undefined) break
      attempts.push(pending.dueAt - startedAt)
      world.clock.advance(pending.dueAt - world.clock.now())
      await world.server.deliverOnce()
    }

    expect(attempts.slice(0, 7)).toEqual([5, 35, 155, 755, 4355, 7955, 11_555])
    expect(attempts.at(-1)).toBeLessThan(86_400)
    const tokens = world.receiver.received.filter(({ host }) => host === 'a.test')
    expect(tokens.length).toBeLessThanOrEqual(30)
    expect(new Set(tokens.map(({ claims }) => claims.jti)).size).toBe(tokens.length)
    expect(await world.deliveries('dead')).toMatchObject([{ recipient: 'a', lastFailure: 'http_500' }])
    expect(world.events).toContainEqual(
      expect.objectContaining({ type: 'delivery.dead', clientId: 'a', failure: 'http_500', attempts: tokens.length }),
    )
  })

  it.each([
    { header: '120', wait: 120 },
    { header: '1', wait: 5 },
    { header: '999999', wait: 3600 },
    { header: new Date((1_790_000_000 + 60) * 1000).toUTCString(), wait: 60 },
    { header: 'soon', wait: 5 },
  ])(
    'gets the token again after the time in Retry-After, within limits: $header (RFC 9110 §10.2.3)',
    async ({ header, wait }) => {
      const world = await withSession()
      world.receiver.setBehaviour('a.test', (response) => response.writeHead(503, { 'retry-after': header }).end())
      await world.revoke('s1')
      await world.server.deliverOnce()

      expect(await world.deliveries('pending')).toMatchObject([{ recipient: 'a', dueAt: world.clock.now() + wait }])
    },
  )

  it('is due to get the token again after it has cut the connection', async () => {
    const world = await withSession()
    world.receiver.setBehaviour('a.test', (_response, request) => request.socket.destroy())
    await world.revoke('s1')
    await world.server.deliverOnce()

    expect(await world.deliveries('pending')).toMatchObject([{ recipient: 'a', lastFailure: 'unreachable' }])
  })

  it('has received the token when it answers 200, even with a body of one megabyte', async () => {
    const world = await withSession()
    world.receiver.setBehaviour('a.test', (response) => response.writeHead(200).end('x'.repeat(1_000_000)))
    await world.revoke('s1')

    expect(await world.server.deliverOnce()).toMatchObject({ delivered: 2 })
  })

  it('gets nothing when its name resolves to a private address (RFC 9700 §4.11)', async () => {
    const world = await withSession({ privateHosts: ['a'] })
    await world.revoke('s1')
    await world.server.deliverOnce()

    expect(await world.deliveries('dead')).toMatchObject([{ recipient: 'a', lastFailure: 'not_public', attempts: 1 }])
    expect(world.receiver.received.map(({ host }) => host)).toEqual(['b.test'])
  })
})
