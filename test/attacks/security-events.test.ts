import { toFetch } from '@mintmark/adapter-fetch'
import { registerIdentityProvider } from '@mintmark/scim'
import { createSignalReceiver, type ReceiverEvent } from '@mintmark/signals'
import { epochSeconds, providerId, userId } from '@mintmark/storage-interface'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { base64url, exportJWK, generateKeyPair } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { signEs256, writeJws } from '../support/forge-jwt.ts'
import { forgeries, type GenuineJwt } from '../support/forgeries.ts'
import { kim, okta, revokedSessionClaims, sessionRevoked, startSignals } from '../support/signal-world.ts'

const issuer = 'https://as.test'
const now = epochSeconds(1_790_000_000)
const header = { alg: 'ES256', kid: 'k', typ: 'secevent+jwt' }
const claims = revokedSessionClaims(now)

let signer: CryptoKeyPair
let attacker: CryptoKeyPair
beforeAll(async () => {
  signer = await generateKeyPair('ES256', { extractable: true })
  attacker = await generateKeyPair('ES256', { extractable: true })
})

/** Starts receivers that share a storage, as processes do, with one user of each of two directories. */
async function startReceivers(count = 1) {
  const storage = createMemoryStorage({ issuer })
  for (const [id, label] of [
    ['provider-1', 'kim'],
    ['provider-2', 'lee'],
  ] as const) {
    await registerIdentityProvider({ providerId: id }, { storage, clock: () => now })
    await storage.provisionedUsers.insert(aProvisionedUser(label, { providerId: providerId(id) }))
  }
  const keys = { keys: [{ ...(await exportJWK(signer.publicKey)), kid: 'k' }] }
  const events: ReceiverEvent[] = []
  const fetched: string[] = []
  const receivers = Array.from({ length: count }, () => {
    const transmitter = { issuer: okta, jwksUri: `${okta}/keys` }
    const receiver = createSignalReceiver({
      issuer,
      storage,
      clock: () => now,
      transmitters: [
        { ...transmitter, audience: 'us', providerId: 'provider-1' },
        { ...transmitter, audience: 'them', providerId: 'provider-2' },
      ],
      fetch: (url) => {
        fetched.push(new Request(url).url)
        return Promise.resolve(Response.json(keys))
      },
      onEvent: (event) => void events.push(event),
    })
    return toFetch(receiver)
  })
  return {
    events,
    fetched,
    async send(set: string, at = 0) {
      const headers = { 'content-type': 'application/secevent+jwt' }
      const request = new Request(`${issuer}/signals`, { method: 'POST', headers, body: set })
      return (await receivers[at]?.(request))?.status
    },
    generationOf: async (id: string) => (await storage.users.find(userId(id)))?.generation,
  }
}

const sign = (payload: unknown, change: object = {}) =>
  writeJws({ ...header, ...change }, payload, signEs256(signer.privateKey))

/** Signs a payload as it is written here. */
async function signText(payload: string): Promise<string> {
  const input = [JSON.stringify(header), payload].map((part) => base64url.encode(part)).join('.')
  const signature = await signEs256(signer.privateKey)(new TextEncoder().encode(input))
  return `${input}.${base64url.encode(signature)}`
}

/** Another form of the genuine token is the same event, which its `jti` identifies. */
const otherForms = ['a trailing space', 'padding', 'non-zero unused bits in the signature']

describe('a security event token that its transmitter did not sign', () => {
  it.each(forgeries.filter(({ row }) => !otherForms.includes(row)))(
    'is refused, and signs nobody out: $row',
    async ({ forge }) => {
      const world = await startReceivers()
      const genuine: GenuineJwt = {
        token: await sign(claims),
        other: await sign({ ...claims, jti: 'j2' }),
        header,
        payload: claims,
        sign: signEs256(signer.privateKey),
        publicJwk: await exportJWK(signer.publicKey),
        attacker,
      }

      expect(await world.send(await forge(genuine))).toBe(400)

      expect(world.events.at(-1)).toMatchObject({ type: 'signal.refused' })
      expect(await world.generationOf('user-kim')).toBe(0)
      expect(new Set(world.fetched)).toEqual(new Set(world.fetched.slice(0, 1)))
    },
  )

  it('has each name once: another parser could read the other value (RFC 7519 §4)', async () => {
    const world = await startReceivers()
    const text = JSON.stringify(claims)

    const statuses = await Promise.all(
      [
        text.replace('{', '{"sub_id":{"format":"iss_sub","iss":"https://as.test","sub":"user-lee"},'),
        text.replace('"events":{', `"events":{"${sessionRevoked}":{},`),
      ].map(async (repeated) => world.send(await signText(repeated))),
    )

    expect(statuses).toEqual([400, 400])
    expect(await world.generationOf('user-kim')).toBe(0)
  })

  it.each(['JWT', 'at+jwt', 'logout+jwt', 'oauth-id-jag+jwt', 'dpop+jwt', undefined])(
    'is refused with the type %s (RFC 8725 §3.11)',
    async (typ) => {
      const world = await startReceivers()

      expect(await world.send(await sign(claims, { typ }))).toBe(400)
      expect(await world.generationOf('user-kim')).toBe(0)
    },
  )
})

describe('a signed security event with hostile values', () => {
  const deep: unknown = JSON.parse('['.repeat(1000) + ']'.repeat(1000))
  const hostile: readonly (readonly [string, object, status: number])[] = [
    ['an identifier of 40,000 characters', { jti: 'j'.repeat(40_000) }, 202],
    ['half a surrogate pair as identifier', { jti: '\uD800' }, 202],
    ['U+0000 as identifier', { jti: '\0' }, 202],
    ['a list as identifier', { jti: ['j1'] }, 400],
    ['a time of issue with a fraction', { iat: now - 0.5 }, 202],
    ['a negative time of issue', { iat: -1 }, 400],
    ['a time of issue in the year 33658', { iat: 1_000_000_000_000 }, 400],
    ['a text as time of issue', { iat: String(now) }, 400],
    ['a time of the event after all others', { events: { [sessionRevoked]: { event_timestamp: 1e308 } } }, 202],
    ['a time of the event before all others', { events: { [sessionRevoked]: { event_timestamp: -1e308 } } }, 202],
    ['an event that is a deep list', { events: { [sessionRevoked]: deep } }, 202],
    ['a subject that is a deep list', { sub_id: deep }, 400],
    ['a subject with U+0000', { sub_id: { ...kim, sub: 'user-kim\0' } }, 202],
    ['a subject with half a surrogate pair', { sub_id: { ...kim, sub: '\uDC00' } }, 202],
    ['a subject of the name of a prototype', { sub_id: { ...kim, sub: '__proto__' } }, 202],
    ['an event of the name of a prototype', { events: JSON.parse('{"__proto__":{}}') as object }, 202],
    ['an event of the name of a method', { events: { constructor: {} } }, 202],
    ['events that are a list', { events: [sessionRevoked] }, 400],
    ['the audience in an object', { aud: { 0: 'us', length: 1 } }, 400],
    ['the audience in a list of lists', { aud: [['us']] }, 400],
    ['no audience', { aud: [] }, 400],
  ]
  it.each(hostile)('is answered, and nobody else is signed out: %s', async (_what, change, status) => {
    const world = await startReceivers()

    expect(await world.send(await sign({ ...claims, ...change }))).toBe(status)

    expect(await world.generationOf('user-lee')).toBe(0)
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined()
    // The next event is handled as usual.
    expect(await world.send(await sign({ ...claims, jti: 'next' }))).toBe(202)
    expect(await world.generationOf('user-kim')).toBeGreaterThan(0)
  })

  it('is acted on by one process only, although another one gets it afterwards', async () => {
    const world = await startReceivers(2)
    const set = await sign(claims)

    const statuses = [await world.send(set, 0), await world.send(set, 1)]

    expect(statuses).toEqual([202, 202])
    expect(world.events.map((event) => event.type === 'signal.received' && event.outcome)).toEqual([
      'revoked',
      'repeated',
    ])
    expect(await world.generationOf('user-kim')).toBe(1)
  })

  it('reaches only users of the directory that its audience names, if one issuer has several tenants (RFC 8417 §2.2)', async () => {
    const world = await startReceivers()
    const lee = { ...kim, sub: 'user-lee' }

    await world.send(await sign({ ...claims, aud: 'them', jti: 'a' }))
    await world.send(await sign({ ...claims, aud: 'us', sub_id: lee, jti: 'b' }))
    const crossed = [await world.generationOf('user-kim'), await world.generationOf('user-lee')]
    await world.send(await sign({ ...claims, aud: ['them'], sub_id: lee, jti: 'c' }))

    expect(crossed).toEqual([0, 0])
    expect(await world.generationOf('user-lee')).toBe(1)
  })
})

describe('a security event of this server', () => {
  it('is not accepted as an access token (RFC 8417 §4.6)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    await world.storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: world.now() })
    await world.storage.users.revokeAccess(userId('ann'), world.now())
    await world.deliver()
    const set = world.pushed[0]?.body ?? ''

    expect((await world.send('GET', '/ssf/v1/streams', { token: set })).body).toMatchObject({ error: 'token_invalid' })
    expect((await world.send('GET', '/userinfo', { token: set })).status).toBe(401)
  })
})

describe('a hostile receiver of security events', () => {
  it('leaves out at most a thousand subjects (SSF 1.0 §9)', async () => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked] })
    const leaveOut = (label: string) =>
      world.send('POST', '/ssf/v1/subjects/remove', {
        body: { stream_id: world.streamId(), subject: { format: 'iss_sub', iss: issuer, sub: label } },
      })
    for (let index = 0; index < 1001; index += 1)
      await world.storage.users.insert({ userId: userId(`u${index}`), claims: {}, createdAt: world.now() })

    for (let index = 0; index < 1000; index += 1) await leaveOut(`u${index}`)
    const beyond = await leaveOut('u1000')

    expect(beyond).toMatchObject({ status: 403, body: { error: 'subjects_too_many' } })
    expect(await leaveOut('u0')).toMatchObject({ status: 204 })
  })

  it('cannot set what only the transmitter sets (SSF 1.0 §8.1.1.1)', async () => {
    const world = await startSignals()
    const foreign = { iss: 'https://evil.example', aud: ['somebody'], events_supported: ['x'], stream_id: 'own' }

    const created = await world.create({ events_requested: [sessionRevoked, 'x'], ...foreign })
    const changed = await world.send('PATCH', '/ssf/v1/streams', {
      body: { stream_id: world.streamId(), aud: 'somebody' },
    })

    expect(created.body).toMatchObject({ iss: issuer, aud: world.receiver, events_delivered: [sessionRevoked] })
    expect(created.body['stream_id']).not.toBe('own')
    expect(changed).toMatchObject({ status: 400, body: { error: 'configuration_invalid' } })
  })

  it.each([
    { maxEvents: -1 },
    { maxEvents: 1.5 },
    { maxEvents: '10' },
    { returnImmediately: 'yes' },
    { ack: 'j1' },
    { ack: Array.from({ length: 1001 }, () => 'j') },
    { ack: [7] },
    { setErrs: ['j1'] },
  ])('gets no events for a malformed poll (RFC 8936 §2.2): %j', async (poll) => {
    const world = await startSignals()
    await world.create({ events_requested: [sessionRevoked], delivery: { method: 'urn:ietf:rfc:8936' } })

    const reply = await world.send('POST', `/ssf/v1/poll/${world.streamId()}`, { body: poll })

    expect(reply).toMatchObject({ status: 400, body: { error: 'poll_invalid' } })
  })

  it.each(['%00', '%ED%A0%80', '__proto__', '..%2f..', 'x'.repeat(5000), ''])(
    'finds no stream by a hostile name (SSF 1.0 §8.1.1.2): %j',
    async (name) => {
      const world = await startSignals()
      await world.create({ events_requested: [sessionRevoked] })

      const replies = [
        await world.send('POST', `/ssf/v1/poll/${name}`, { body: {} }),
        await world.send('GET', `/ssf/v1/status?stream_id=${name}`),
        await world.send('DELETE', `/ssf/v1/streams?stream_id=${name}`),
      ]

      expect(replies.map(({ body }) => body['error'])).toEqual(['stream_unknown', 'stream_unknown', 'stream_unknown'])
    },
  )
})
