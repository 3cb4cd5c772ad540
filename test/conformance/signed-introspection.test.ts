import { clientId } from '@mintmark/storage-interface'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, postForm } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const ask = async (token: string) => {
  const headers = { authorization: basic('A', site.clients.A.secret), accept: 'application/token-introspection+jwt' }
  const { text } = await postForm(site, '/token/introspection', encode({ token }), headers)
  return { header: decodeProtectedHeader(text), claims: decodeJwt(text) }
}

it('the response has iss, aud, iat and token_introspection, and no member of an access token (RFC 9701 §5)', async () => {
  const { tokens } = await signIn(site)

  const { header, claims } = await ask(String(tokens['access_token']))

  expect(header.typ).toBe('token-introspection+jwt')
  expect(Object.keys(claims).toSorted()).toEqual(['aud', 'iat', 'iss', 'token_introspection'])
  expect(claims).toMatchObject({
    iss: site.issuer,
    aud: 'A',
    iat: site.clock.now(),
    token_introspection: { active: true, sub: 'U1' },
  })
})

it('for an inactive token, token_introspection contains only active: false (RFC 9701 §5)', async () => {
  const { claims } = await ask('unknown')

  expect(claims['token_introspection']).toEqual({ active: false })
})

it('the response is signed with RS256 (RFC 9701 §6)', async () => {
  const { header } = await ask('unknown')

  expect(header.alg).toBe('RS256')
})

it('a client that is registered for ES256 gets ES256, and JSON when it asks for JSON (RFC 9701 §6)', async () => {
  await changeClient(site.storage, clientId('A'), { introspectionSignedResponseAlg: 'ES256' })

  const { header } = await ask('unknown')
  const headers = { authorization: basic('A', site.clients.A.secret), accept: 'application/json' }
  const plain = await postForm(site, '/token/introspection', encode({ token: 'unknown' }), headers)

  expect(header.alg).toBe('ES256')
  expect(plain.json).toEqual({ active: false })
})

it.each([
  ['application/json, application/token-introspection+jwt;q=0.5', 'application/json'],
  ['application/token-introspection+jwt;q=0.5, */*;q=0.8', 'application/json'],
  ['application/token-introspection+jwt;q=0', 'application/json'],
  ['application/token-introspection+jwt, application/json;q=0.9', 'application/token-introspection+jwt'],
  ['application/token-introspection+jwt, */*;q=0.1', 'application/token-introspection+jwt'],
  ['application/json;q=0.5, application/token-introspection+jwt;q=0.5', 'application/token-introspection+jwt'],
])('the response to Accept: %s has the type %s (RFC 9110 §12.5.1)', async (accept, type) => {
  const headers = { authorization: basic('A', site.clients.A.secret), accept }

  const reply = await postForm(site, '/token/introspection', encode({ token: 'unknown' }), headers)

  expect(reply.header('content-type')).toBe(type)
})
