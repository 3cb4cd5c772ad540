import { expect, it } from 'vitest'

import { authorize, basic, encode, obtainCode, postForm, redeem, verifier } from '../../support/flow.ts'
import { tokensFor } from '../../support/token-calls.ts'
import type { Suite } from './suite.ts'

const form = 'application/x-www-form-urlencoded'

/** Sends hostile requests that every deployment must withstand. test/transport tests single adapters. */
export const transportSuite: Suite = (reach) => {
  it.each(['/token/', '//token', '/TOKEN', '/%74oken', '/token%2F', '/token;x', '/token%00', '/token.json'])(
    '%s is not the token endpoint',
    async (path) => {
      const site = reach()

      expect(
        (await site.send({ method: 'POST', path, headers: { 'content-type': form }, body: 'grant_type=x' })).status,
      ).toBe(404)
    },
  )

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s /token is answered with 405 and Allow: POST', async (method) => {
    const reply = await reach().send({ method, path: '/token' })

    expect([reply.status, reply.header('allow')]).toEqual([405, 'POST'])
  })

  it('rejects a body one byte larger than 16 KiB, and accepts one of 16 KiB', async () => {
    const site = reach()
    const headers = { authorization: basic('A', site.clients.A.secret) }

    const large = await postForm(site, '/token', 'grant_type=x&x='.padEnd(16_385, 'a'), headers)
    const fitting = await postForm(site, '/token', 'grant_type=x&x='.padEnd(16_384, 'a'), headers)

    expect([large.status, large.json['error']]).toEqual([413, 'invalid_request'])
    expect([fitting.status, fitting.json['error']]).toEqual([400, 'unsupported_grant_type'])
  })

  it('rejects two Authorization headers', async () => {
    const site = reach()
    const code = await obtainCode(site)
    const body = encode({
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'https://app.test/cb',
      code_verifier: verifier,
    })
    const right = basic('A', site.clients.A.secret)

    const reply = await site.send({
      method: 'POST',
      path: '/token',
      headers: { 'content-type': form, authorization: [right, right] },
      body,
    })

    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request'])
    expect((await redeem(site, code)).status).toBe(200)
  })

  it('rejects two Authorization headers at userinfo', async () => {
    const site = reach()
    const bearer = `Bearer ${(await tokensFor(site, 'A')).access_token}`

    const reply = await site.send({ path: '/userinfo', headers: { authorization: [bearer, bearer] } })

    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request'])
  })

  it.each([
    ['two media types', { 'content-type': `application/json, ${form}` }, 'grant_type=x'],
    ['another charset', { 'content-type': `${form}; charset=utf-16` }, 'grant_type=x'],
    ['grant_type twice', {}, 'grant_type=authorization_code&grant_type=authorization_code'],
    ['bytes that are not UTF-8', {}, Uint8Array.of(0x61, 0x3d, 0xff, 0xfe)],
    ['a lone percent sign', {}, 'grant_type=x&code=%'],
  ] as const)('rejects %s as malformed', async (_, headers, body) => {
    const site = reach()
    const authorization = basic('A', site.clients.A.secret)

    const reply = await site.send({
      method: 'POST',
      path: '/token',
      headers: { authorization, 'content-type': form, ...headers },
      body,
    })

    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request'])
  })

  it('line breaks in state do not become headers (RFC 9112 §11.1)', async () => {
    const state = 'a\r\nSet-Cookie: evil=1'

    const reply = await authorize(reach(), { state, response_type: 'token' })

    expect(new URLSearchParams(reply.location.hash.slice(1)).get('state')).toBe(state)
    expect(reply.cookies).toEqual([])
  })

  it('HEAD has the headers of GET and no body (RFC 9110 §9.3.2)', async () => {
    const site = reach()
    const got = await site.send({ path: '/jwks' })

    const reply = await site.send({ method: 'HEAD', path: '/jwks' })

    expect([reply.status, reply.header('etag'), reply.text]).toEqual([200, got.header('etag'), ''])
  })

  it('a sign-in goes to the configured issuer, whatever the Host header says', async () => {
    const reply = await authorize(
      reach(),
      {},
      { cookie: '', host: 'evil.test', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' },
    )

    expect(reply.location.href).toMatch(/^https:\/\/as\.test\/login\?/)
    expect(reply.cookies.join()).not.toContain('evil')
  })
}
