import type { ServerRequest } from '@mintmark/core/http'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createProofKey, writeProof } from '../support/dpop.ts'
import { authorize, browserCookies, encode, postForm, redeem, signedInAs, type Change } from '../support/flow.ts'
import { push, obtainRequestUri, signInAndConsent, visitPushed as visit } from '../support/pushed-requests.ts'
import { expectServing, expectJsonRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file for pushing a sealed request and for using it, which share their helpers.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const prefix = 'urn:ietf:params:oauth:request_uri:'
const asP = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }
const noHeader = { authorization: '' }

const pushAsP = (change: Change = {}, headers: Record<string, string> = {}, server = site): Promise<Reply> =>
  push(server, { ...asP, ...change }, { ...noHeader, ...headers })

/** Pushes a request as the public client P. @returns its `request_uri`. */
async function pushAndGetUri(change: Change = {}, server = site): Promise<string> {
  const reply = await pushAsP(change, {}, server)
  if (reply.status !== 201) throw new Error(`No request_uri: ${reply.status} ${reply.text}`)
  return String(reply.json['request_uri'])
}

const visitPushed = (uri: string, headers: Record<string, string> = {}, change: Change = {}): Promise<Reply> =>
  visit(site, uri, { client_id: 'P', ...change }, headers)

const codeOf = (reply: Reply): string => reply.location.searchParams.get('code') ?? ''

const rows = (server = site): readonly Record<string, unknown>[] =>
  (JSON.parse(server.dump()) as { pushedRequests: readonly Record<string, unknown>[] }).pushedRequests

describe('pushing without credentials', () => {
  it('stores nothing, however many requests are pushed (RFC 6819 §4.4.1.11)', async () => {
    const before = site.dump()

    const replies = [await pushAsP(), await pushAsP({ nonce: 'n'.repeat(1024), login_hint: 'l'.repeat(1024) })]

    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(replies.map(({ json }) => json['expires_in'])).toEqual([60, 60])
    expect(site.dump()).toBe(before)
  })

  it('stores nothing for a DPoP proof, even if it is sent twice (RFC 9449 §11.1)', async () => {
    const dpop = await writeProof(site, await createProofKey(), { claims: { htu: `${site.issuer}/auth/push` } })
    const before = site.dump()

    const replies = [await pushAsP({}, { dpop }), await pushAsP({}, { dpop })]

    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(site.dump()).toBe(before)
  })

  it('hides the request in the request_uri (RFC 9126 §7.1)', async () => {
    const reference = (await pushAndGetUri({ login_hint: 'ann@example.com' })).slice(prefix.length)

    expect(Buffer.from(reference.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('ann@example')
    expect(await pushAndGetUri()).not.toBe(await pushAndGetUri())
  })

  it('refuses a request that does not fit into a URL (RFC 9126 §2.3)', async () => {
    const long = { claims: JSON.stringify({ userinfo: { ['x'.repeat(4000)]: null } }), login_hint: 'l'.repeat(1000) }

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => pushAsP(long), reason: 'request_too_large' },
    )
  })

  it('accepts no request that is too long to be completed (RFC 9126 §4)', async () => {
    const claims = (length: number) => JSON.stringify({ userinfo: { ['x'.repeat(length)]: null } })
    const accepted: Reply[] = []
    for (let length = 3000; length < 4000; length += 50) {
      const reply = await pushAsP({ claims: claims(length) })
      if (reply.status !== 201) break
      accepted.push(reply)
    }

    const longest = String(accepted.at(-1)?.json['request_uri'])
    const started = await visitPushed(longest, { cookie: signedInAs(site, 'U1') }, {})

    expect(longest.length).toBeGreaterThan(5900)
    expect([started.status, started.location.pathname]).toEqual([303, '/consent'])
    expect(codeOf(await signInAndConsent(site, started))).not.toBe('')
  })
})

describe('a sealed request at the authorization endpoint (RFC 9126 §4)', () => {
  it('issues the code that the pushed parameters request, and stores only that it was used', async () => {
    const before = rows().length
    const started = await visitPushed(await pushAndGetUri())
    expect(rows().length).toBe(before)
    const done = await signInAndConsent(site, started)

    expect(done.location.origin + done.location.pathname).toBe('https://spa.test/cb')
    expect(done.location.searchParams.get('state')).toBe('s1')
    const tokens = await redeem(site, codeOf(done), asP, noHeader)
    expect(tokens.json).toMatchObject({ scope: 'openid profile' })
    expect(rows().length).toBe(before + 1)
    expect(Math.max(...rows().map((row) => JSON.stringify(row).length))).toBeLessThan(600)
  })

  it('binds the code to the key of the proof (RFC 9449 §10.1)', async () => {
    const [own, thief] = [await createProofKey(), await createProofKey()]
    const dpop = await writeProof(site, own, { claims: { htu: `${site.issuer}/auth/push` } })
    const reply = await pushAsP({}, { dpop })
    const code = codeOf(await signInAndConsent(site, await visitPushed(String(reply.json['request_uri']))))
    const redeemBy = async (key: typeof own) =>
      redeem(site, code, asP, { ...noHeader, dpop: await writeProof(site, key) })

    expect((await redeemBy(thief)).json['error']).toBe('invalid_grant')
    expect((await redeemBy(own)).json['token_type']).toBe('DPoP')
  })

  it('can be reloaded, and gives a code to only one of two tabs', async () => {
    const uri = await pushAndGetUri()
    const [first, second] = [await visitPushed(uri), await visitPushed(uri)]
    expect(codeOf(await signInAndConsent(site, first))).not.toBe('')

    const late = { reason: 'request_uri_used', storage: 'may change' } as const
    await expectErrorPage(site, { ...late, send: () => signInAndConsent(site, second) })
    await expectErrorPage(site, { ...late, send: () => visitPushed(uri) })
  })

  it('gives a code to only one of two tabs that were both opened before either was completed', async () => {
    const uri = await pushAndGetUri()
    const tabs = [await visitPushed(uri), await visitPushed(uri)]
    const pending = await Promise.all(tabs.map((tab) => site.server.interaction(postedBy(tab))))
    const answer = { subject: 'U1', authTime: site.clock.now(), grantedScopes: ['openid', 'profile'] }
    const codes = () => (JSON.parse(site.dump()) as { codes: readonly unknown[] }).codes.length
    const before = codes()

    const ended = await Promise.allSettled(pending.map((tab) => tab.complete(answer)))

    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'invalid_request_uri', reason: 'request_uri_used' },
    })
    expect(codes()).toBe(before + 1)
  })

  it('gives only one code for concurrent requests of a browser that needs no page', async () => {
    await signInAndConsent(site, await visitPushed(await pushAndGetUri()))
    const silent = await pushAndGetUri()
    const cookie = signedInAs(site, 'U1')

    const replies = await Promise.all(Array.from({ length: 10 }, () => visitPushed(silent, { cookie })))

    expect(replies.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9)
  })

  it('limits only the time of the first visit (RFC 9126 §2.2)', async () => {
    const [early, late] = [await pushAndGetUri(), await pushAndGetUri()]
    site.clock.advance(59)
    const started = await visitPushed(early)
    site.clock.advance(1)
    await expectErrorPage(site, { send: () => visitPushed(late), reason: 'request_uri_unknown' })
    site.clock.advance(1500)

    expect(codeOf(await signInAndConsent(site, started))).not.toBe('')
  })

  it('stays used until no interaction can continue with it (RFC 9126 §4)', async () => {
    const uri = await pushAndGetUri()
    const first = await visitPushed(uri)
    site.clock.advance(59)
    const last = await visitPushed(uri)
    await signInAndConsent(site, first)
    site.clock.advance(1799)
    await site.storage.purge.purgeExpired({ now: site.clock.now(), limit: 10_000 })

    const storage = 'may change'
    await expectErrorPage(site, { send: () => signInAndConsent(site, last), reason: 'request_uri_used', storage })
  })

  it('repeats a cross-site POST as a GET of the same reference', async () => {
    const uri = await pushAndGetUri()
    const reply = await postForm(site, '/auth', encode({ client_id: 'P', request_uri: uri }), {
      'sec-fetch-site': 'cross-site',
    })

    expect(Object.fromEntries(reply.location.searchParams)).toEqual({ client_id: 'P', request_uri: uri })
  })

  it('is refused for another client, and when it is altered, shortened or joined with another reference (RFC 9126 §2.2)', async () => {
    const uri = await pushAndGetUri()
    const last = uri.at(-5) === 'A' ? 'B' : 'A'
    const altered = [
      uri.slice(0, -5) + last + uri.slice(-4),
      uri.slice(0, -4),
      `${uri}AAAA`,
      uri.replace('.', '.A'),
      `${prefix}${'A'.repeat(12)}.${uri.split('.')[1] ?? ''}`,
      `${uri}.${uri.slice(prefix.length)}`,
    ]

    for (const wrong of altered)
      await expectErrorPage(site, { send: () => visitPushed(wrong), reason: 'request_uri_unknown' })
    const asX = { client_id: 'X' }
    await expectErrorPage(site, { send: () => visitPushed(uri, {}, asX), reason: 'request_uri_unknown' })
    expect((await visitPushed(uri)).status).toBe(303)
  })

  it('is not accepted in place of an interaction, nor the reverse (RFC 9700 §4.7)', async () => {
    const uri = await pushAndGetUri()
    const started = await visitPushed(uri)
    const handle = started.location.searchParams.get('interaction') ?? ''

    await expectErrorPage(site, { send: () => visitPushed(prefix + handle), reason: 'request_uri_unknown' })
    const path = `/login?${encode({ interaction: uri.slice(prefix.length) })}`
    const send = () => site.send({ path, headers: { cookie: browserCookies(started) } })
    await expectErrorPage(site, { send, reason: 'interaction_unknown' })
  })

  it('is refused by another issuer with the same sealing key (RFC 9700 §4.7)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://other.test' })
    const other = await startServer({ issuer: 'https://other.test', storage })
    const uri = await pushAndGetUri({}, other)
    await other.close()

    await expectErrorPage(site, { send: () => visitPushed(uri), reason: 'request_uri_unknown' })
  })

  it('cannot be selected by a parameter of a plain request', async () => {
    const used = await pushAndGetUri()
    await signInAndConsent(site, await visitPushed(used))
    const { digest, expiresAt } = rows().at(-1) as { digest: string; expiresAt: number }

    const started = await authorize(site, { ...asP, pushed_request: `${digest}.${expiresAt}` })

    const done = started.location.searchParams.has('code') ? started : await signInAndConsent(site, started)
    expect(codeOf(done)).not.toBe('')
  })

  it('is issued only to public clients; the request of a client that authenticates is stored', async () => {
    const before = rows().length

    expect(await obtainRequestUri(site)).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/)
    expect(rows().length).toBe(before + 1)
  })
})

/** Creates the request with which the browser of an interaction posts a form to the host's page. */
const postedBy = (started: Reply): ServerRequest => ({
  method: 'POST',
  url: started.location,
  headers: new Map([
    ['cookie', browserCookies(started)],
    ['origin', site.issuer],
  ]),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})
