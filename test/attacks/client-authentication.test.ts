import { createMemoryRateLimiter, type RefusalReason } from '@mintmark/core'
import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { secretDigest } from '@mintmark/storage-interface/stores'

import { assertionOf } from '../support/client-assertion.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, postForm, type Change } from '../support/flow.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, authenticateEveryClient, refresh, tokensFor } from '../support/token-calls.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer({
    rateLimits: { failedAuthentications: { consume: () => Promise.resolve({ allowed: true }) } },
  })
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

interface Row {
  readonly row: string
  /** Returns the Authorization header. */
  readonly authorization?: () => string
  readonly form?: () => Change | Promise<Change>
  readonly status?: 400 | 401
  readonly reason: RefusalReason
}

const secretOf = (client: 'A' | 'M' | 'X'): string => site.clients[client].secret
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')
const header =
  (text: string): (() => string) =>
  () =>
    text
const flip = (secret: string, at: number): string =>
  secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1)
const wrong = { reason: 'client_credentials_wrong' } as const
const unknownClient = { reason: 'client_unknown' } as const
const twice = { status: 400, reason: 'client_authentication_twice' } as const

const endpoints: readonly { readonly path: string; readonly form: Change }[] = [
  { path: '/token', form: { grant_type: 'client_credentials', scope: 'api.read' } },
  { path: '/token/introspection', form: { token: 'x' } },
  { path: '/token/revocation', form: { token: 'x' } },
]

describe.each(endpoints)('client authentication at $path', ({ path, form: base }) => {
  const post = (form: Change, authorization: string) =>
    postForm(site, path, encode({ ...base, ...form }), { authorization })

  const rows: readonly Row[] = [
    {
      row: 'an unknown client in Basic is refused (RFC 6749 §5.2)',
      authorization: () => basic('zzz', secretOf('M')),
      ...unknownClient,
    },
    { row: 'a wrong secret in Basic is refused (RFC 6749 §5.2)', authorization: () => basic('M', 'wrong'), ...wrong },
    { row: 'an empty secret in Basic is refused (RFC 6749 §5.2)', authorization: () => basic('M', ''), ...wrong },
    {
      row: "another client's secret is refused (RFC 6749 §5.2)",
      authorization: () => basic('M', secretOf('A')),
      ...wrong,
    },
    {
      row: 'a secret with a wrong last character is refused (RFC 6749 §5.2)',
      authorization: () => basic('M', flip(secretOf('M'), 42)),
      ...wrong,
    },
    {
      row: 'a secret with a wrong first character is refused (RFC 6749 §5.2)',
      authorization: () => basic('M', flip(secretOf('M'), 0)),
      ...wrong,
    },
    {
      row: 'half a secret is refused (RFC 6749 §5.2)',
      authorization: () => basic('M', secretOf('M').slice(0, 21)),
      ...wrong,
    },
    {
      row: 'a secret with additional characters is refused (RFC 6749 §5.2)',
      authorization: () => basic('M', `${secretOf('M')}\0`),
      ...wrong,
    },
    {
      row: 'the digest of a secret is refused (RFC 6749 §5.2)',
      authorization: () => basic('M', digestOf(secretOf('M'))),
      ...wrong,
    },
    {
      row: 'an identifier that differs in case is another client (RFC 6749 §2.2)',
      authorization: () => basic('m', secretOf('M')),
      ...unknownClient,
    },
    {
      row: 'an identifier with NUL is unknown (RFC 6749 Appendix A.1)',
      authorization: () => basic('M\0', secretOf('M')),
      ...unknownClient,
    },
    {
      row: 'an identifier with a leading space is unknown (RFC 6749 Appendix A.1)',
      authorization: () => basic(' M', secretOf('M')),
      ...unknownClient,
    },
    {
      row: '__proto__ is unknown (RFC 6749 Appendix A.1)',
      authorization: () => basic('__proto__', 'x'),
      ...unknownClient,
    },
    {
      row: 'an identifier of 6,000 characters is unknown (RFC 6749 Appendix A.1)',
      authorization: () => basic('M'.repeat(6000), 'x'),
      ...unknownClient,
    },
    { row: "' OR 1=1-- is unknown (RFC 6749 §5.2)", authorization: () => basic("' OR 1=1--", 'x'), ...unknownClient },
    {
      row: 'a header without a colon is malformed (RFC 6749 §2.3.1)',
      authorization: () => `Basic ${base64('M')}`,
      ...unknownClient,
    },
    {
      row: 'a header without a colon that starts with an identifier is malformed (RFC 6749 §2.3.1)',
      authorization: () => `Basic ${base64('MM')}`,
      ...unknownClient,
    },
    { row: 'invalid base64 is malformed (RFC 6749 §2.3.1)', authorization: header('Basic !!!!'), ...unknownClient },
    { row: 'base64url is malformed (RFC 6749 §2.3.1)', authorization: header('Basic TTo_Pz8-'), ...unknownClient },
    {
      row: 'bytes that are not UTF-8 are malformed (RFC 6749 §2.3.1)',
      authorization: header('Basic TTr//w=='),
      ...unknownClient,
    },
    {
      row: 'a malformed escape is refused (RFC 6749 §2.3.1)',
      authorization: () => `Basic ${base64(`M:${secretOf('M')}%`)}`,
      ...unknownClient,
    },
    {
      row: 'two credentials in one header are malformed (RFC 6749 §2.3.1)',
      authorization: () => `${basic('M', secretOf('M'))}, ${basic('M', secretOf('M'))}`,
      ...unknownClient,
    },
    ...['Basic', 'Basic ', 'Bearer x', 'Digest username="M"', 'Negotiate abc', 'x', ':', 'Basic\tTTpN'].map((text) => ({
      row: `Authorization: ${JSON.stringify(text)} is refused (RFC 6749 §5.2)`,
      authorization: header(text),
      ...unknownClient,
    })),
    {
      row: 'Basic and a body secret together are refused (RFC 6749 §2.3)',
      authorization: () => basic('M', secretOf('M')),
      form: () => ({ client_id: 'M', client_secret: secretOf('M') }),
      ...twice,
    },
    {
      row: 'Basic and an assertion together are refused (RFC 6749 §2.3)',
      authorization: () => basic('M', secretOf('M')),
      form: () => assertionOf(site),
      ...twice,
    },
    {
      row: 'a body secret and an assertion together are refused (RFC 6749 §2.3)',
      form: async () => ({ client_id: 'X', client_secret: secretOf('X'), ...(await assertionOf(site)) }),
      ...twice,
    },
    {
      row: 'Basic for M and client_id=B in the body is refused (RFC 6749 §2.3.1)',
      authorization: () => basic('M', secretOf('M')),
      form: () => ({ client_id: 'B' }),
      status: 400,
      reason: 'client_id_contradicted',
    },
    {
      row: 'a malformed header does not contradict client_id in the body (RFC 6749 §5.2)',
      authorization: header('Basic !!!!'),
      form: () => ({ client_id: 'M' }),
      ...unknownClient,
    },
    {
      row: 'client_id alone for the confidential client A is refused (OAuth 2.1 §3.2.1)',
      form: () => ({ client_id: 'A' }),
      reason: 'client_authentication_method',
    },
    {
      row: 'client_id alone for client B is refused (RFC 6749 §2.3)',
      form: () => ({ client_id: 'B' }),
      reason: 'client_authentication_method',
    },
    { row: 'no authentication at all is refused (RFC 6749 §3.2.1)', reason: 'client_authentication_missing' },
    {
      row: 'M is registered for Basic; its secret in the body is refused (RFC 6749 §2.3)',
      form: () => ({ client_id: 'M', client_secret: secretOf('M') }),
      reason: 'client_authentication_method',
    },
    {
      row: 'X is registered for the body; its secret in Basic is refused (RFC 6749 §2.3)',
      authorization: () => basic('X', secretOf('X')),
      reason: 'client_authentication_method',
    },
    {
      row: 'a secret for the public client P is refused (RFC 6749 §2.3)',
      form: () => ({ client_id: 'P', client_secret: 'x' }),
      reason: 'client_authentication_method',
    },
    {
      row: 'an empty secret in Basic for P is refused (RFC 6749 §2.3)',
      authorization: () => basic('P', ''),
      reason: 'client_authentication_method',
    },
    {
      row: 'a secret for B, a private_key_jwt client, is refused (RFC 6749 §2.3)',
      authorization: () => basic('B', ''),
      reason: 'client_authentication_method',
    },
    {
      row: 'a secret in the body without client_id is refused (RFC 6749 §2.3.1)',
      form: () => ({ client_secret: secretOf('X') }),
      ...unknownClient,
    },
    {
      row: 'a wrong secret in the body is refused (RFC 6749 §5.2)',
      form: () => ({ client_id: 'X', client_secret: 'wrong' }),
      ...wrong,
    },
  ]

  it.each(rows)('$row', async ({ authorization, form, status = 401, reason }) => {
    const change = (await form?.()) ?? {}

    await expectJsonRefusal(
      site,
      { status, error: status === 401 ? 'invalid_client' : 'invalid_request' },
      {
        send: () => post(change, authorization?.() ?? ''),
        reason,
        secrets: [secretOf('M'), secretOf('A'), secretOf('X')],
      },
    )

    expect((await post({}, basic('M', secretOf('M')))).status).toBe(200)
  })

  it('does not read a secret from the query (RFC 6749 §3.2)', async () => {
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        send: () => postForm(site, `${path}?client_id=X&client_secret=${secretOf('X')}`, encode(base), {}),
        reason: 'client_authentication_missing',
      },
    )
  })

  it('rejects two Authorization headers (RFC 9110 §5.3)', async () => {
    const answer = await rawPost(path, encode(base), [basic('M', secretOf('M')), basic('M', secretOf('M'))])

    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"error":"invalid_request"')
    expect(site.lastReason()).toBe('client_authentication_twice')
  })

  it.each(['basic', 'BASIC', 'Basic ', 'bAsIc'])('accepts the scheme %j as Basic (RFC 9110 §11.1)', async (scheme) => {
    const reply = await post({}, basic('M', secretOf('M')).replace('Basic', scheme))

    expect(reply.status).toBe(200)
  })

  it('accepts a client_id that matches the Basic credentials (RFC 6749 §2.3.1)', async () => {
    expect((await post({ client_id: 'M' }, basic('M', secretOf('M')))).status).toBe(200)
  })

  async function rawPost(target: string, body: string, authorizations: readonly string[]): Promise<string> {
    const socket = connect(site.port, '127.0.0.1')
    socket.setEncoding('utf8')
    const lines = [
      `POST ${target} HTTP/1.1`,
      'Host: as.test',
      ...authorizations.map((value) => `Authorization: ${value}`),
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    return answer
  }
})

describe('client authentication: accepted requests', () => {
  it.each(['a:b', 'a+b', 'a%b', 'a b', 'a&b=c', 'pässwörd ✓', '%2B', ':', '"quoted"\\'])(
    'accepts the secret %j when it is properly encoded (RFC 6749 §2.3.1)',
    async (secret) => {
      const other = await startServer()
      onTestFinished(() => other.close())
      const digest = secretDigest(digestOf(secret))
      const record = { digest, createdAt: other.clock.now(), expiresAt: undefined, lastUsedAt: undefined }
      await changeClient(other.storage, clientId('M'), { secrets: [record] })
      const form = encodeForm([['grant_type', 'client_credentials']])

      const plus = `Basic ${base64(`M:${encodeForm([['', secret]]).slice(1)}`)}`
      const ofPlus = await postForm(other, '/token', form, { authorization: plus })
      const ofPercent = await postForm(other, '/token', form, { authorization: basic('M', secret) })

      expect([ofPlus.status, ofPercent.status]).toEqual([200, 200])
    },
  )

  it('treats an empty client_secret of the public client P as absent (RFC 6749 §3.2)', async () => {
    const tokens = await tokensFor(site, 'P')

    const reply = await refresh(site, tokens.refresh_token, { client_secret: '' }, 'P')

    expect(reply.status).toBe(200)
  })

  it('accepts each of two active secrets and rejects an expired one (RFC 6749 §2.3.1)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    const now = other.clock.now()
    const secret = (text: string, expiresAt?: number) => ({
      digest: secretDigest(digestOf(text)),
      createdAt: now,
      expiresAt: expiresAt === undefined ? undefined : epochSeconds(expiresAt),
      lastUsedAt: undefined,
    })
    await changeClient(other.storage, clientId('M'), { secrets: [secret('old', now + 10), secret('new')] })
    const attempt = async (text: string): Promise<number> => {
      const authorization = basic('M', text)
      return (await postForm(other, '/token', 'grant_type=client_credentials', { authorization })).status
    }
    const before = [await attempt('old'), await attempt('new')]
    other.clock.advance(10)

    expect([before, await attempt('old'), await attempt('new')]).toEqual([[200, 200], 401, 200])
  })
})

describe('a client that is registered for a secret, but not for one method of sending it (RFC 6749 §2.3.1)', () => {
  const post = (form: Change, authorization: string) =>
    postForm(site, '/token', encode({ grant_type: 'client_credentials', ...form }), { authorization })

  it('may send its secret in the header or in the body', async () => {
    const { secret } = site.clients.RS

    expect((await site.storage.clients.find(clientId('RS')))?.tokenEndpointAuthMethod).toBe('client_secret')
    expect((await post({}, basic('RS', secret))).status).toBe(200)
    expect((await post({ client_id: 'RS', client_secret: secret }, '')).status).toBe(200)
  })

  it.each([
    ['only its client_id', { client_id: 'RS' }, 'client_authentication_method'],
    ['a wrong secret', { client_id: 'RS', client_secret: 'wrong' }, 'client_credentials_wrong'],
  ] as const)('is refused with %s', async (_, form, reason) => {
    await expectJsonRefusal(site, { status: 401, error: 'invalid_client' }, { send: () => post(form, ''), reason })
  })
})

describe('client authentication: a secret in the wrong place', () => {
  it.each([
    ['swapped with the client_id in Basic', (secret: string) => [{}, basic(secret, 'M')] as const],
    [
      'swapped with the client_id in the form',
      (secret: string) => [{ client_id: secret, client_secret: 'M' }, ''] as const,
    ],
    ['sent as the client_id', (secret: string) => [{ client_id: secret }, ''] as const],
  ])(
    'appears neither in events nor in the keys of the rate limiter: %s (RFC 6819 §5.1.4.1.3)',
    async (_, presented) => {
      const keys: string[] = []
      const failedAuthentications = {
        consume: (key: string) => (keys.push(key), Promise.resolve({ allowed: true as const })),
      }
      const other = await startServer({ rateLimits: { failedAuthentications } })
      onTestFinished(() => other.close())
      const { secret } = other.clients.M
      const [form, authorization] = presented(secret)

      await expectJsonRefusal(
        other,
        { status: 401, error: 'invalid_client' },
        {
          send: () =>
            postForm(other, '/token', encode({ grant_type: 'client_credentials', ...form }), { authorization }),
          reason: 'client_unknown',
        },
      )

      expect(JSON.stringify(other.events)).not.toContain(secret)
      expect(keys.join()).not.toContain(secret)
      expect(keys).toHaveLength(1)
    },
  )
})

describe('client authentication: guessed secrets', () => {
  it('counts made-up client identifiers under 4,096 keys, so that they cannot make a limiter forget a client (RFC 6749 §2.3.1)', async () => {
    const keys: string[] = []
    const limiter = createMemoryRateLimiter({ points: 5, window: 60 })
    const consume: typeof limiter.consume = (key, now) => (keys.push(key), limiter.consume(key, now))
    const other = await startServer({ rateLimits: { failedAuthentications: { consume } } })
    onTestFinished(() => other.close())
    const guess = (id: string) =>
      postForm(other, '/token', 'grant_type=client_credentials', { authorization: basic(id, 'guess') })
    for (let count = 0; count < 6; count += 1) await guess('M')

    await Promise.all(Array.from({ length: 300 }, (_, index) => guess(`made-up-${index}`)))

    const buckets = keys.map((key) => /^client (\d+)$/.exec(key)?.[1] ?? `not a number: ${key}`)
    expect(buckets.filter((bucket) => !(Number(bucket) < 4096))).toEqual([])
    expect(new Set(buckets).size).toBeGreaterThan(200)
    expect((await guess('M')).status).toBe(429)
  })

  it('counts each of 100 parallel wrong secrets (RFC 6749 §2.3.1)', async () => {
    const keys: string[] = []
    const limiter = createMemoryRateLimiter({ points: 30, window: 60 })
    const consume: typeof limiter.consume = (key, now) => (keys.push(key), limiter.consume(key, now))
    const other = await startServer({ rateLimits: { failedAuthentications: { consume } } })
    onTestFinished(() => other.close())
    const guess = (secret: string) =>
      postForm(other, '/token', 'grant_type=client_credentials', { authorization: basic('M', secret) })

    const replies = await Promise.all(Array.from({ length: 100 }, (_, index) => guess(`${index}`)))

    const throttled = replies.filter(({ status }) => status === 429)
    expect(new Set(keys).size).toBe(1)
    expect([replies.filter(({ status }) => status === 401).length, throttled.length]).toEqual([30, 70])
    expect(new Set(throttled.map((reply) => reply.header('retry-after')))).toEqual(new Set(['60']))
  })

  it('guessing does not lock the client out, and the limit ends with its time window (RFC 6749 §2.3.1)', async () => {
    const failedAuthentications = createMemoryRateLimiter({ points: 5, window: 60 })
    const other = await startServer({ rateLimits: { failedAuthentications } })
    onTestFinished(() => other.close())
    const guess = () =>
      postForm(other, '/token', 'grant_type=client_credentials', { authorization: basic('M', 'guess') })
    for (let count = 0; count < 5; count += 1) await guess()

    const throttled = await guess()
    const honest = await introspect(other, 'x', 'M')
    other.clock.advance(60)
    const later = await guess()

    expect([throttled.status, throttled.header('retry-after'), honest.status, later.status]).toEqual([
      429,
      '60',
      200,
      401,
    ])
    expect(
      other.events.filter((event) => event.type === 'request.refused' && event.reason === 'client_throttled'),
    ).toHaveLength(1)
  })
})

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Encodes as browsers encode forms: a space becomes a plus. */
const encodeForm = (pairs: [string, string][]): string => new URLSearchParams(pairs).toString()
