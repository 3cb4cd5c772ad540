import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

import { startFapiExample } from '../../examples/fapi/src/example.ts'
import { createPaymentsApi } from '../../examples/fapi/src/payments-api.ts'
import { fetchOverTls } from '../../examples/fapi/src/tls.ts'
import { aCommandLine } from '../command-line/command-line.ts'

// Sends requests to the API of the example, with tokens like those that its bank issues.

const issuer = 'https://bank.test'
const keys = await generateKeyPair('ES256')
const server = createServer()
let origin: string
let revokedToken: string | undefined
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }
  const published = new Map<string, object>([
    ['/.well-known/openid-configuration', { issuer, jwks_uri: `${issuer}/jwks` }],
    ['/.well-known/oauth-authorization-server', { issuer, jwks_uri: `${issuer}/jwks` }],
    ['/jwks', { keys: [jwk] }],
  ])
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    if (pathname !== '/token/introspection') return Response.json(published.get(pathname) ?? {})
    return Response.json({ active: (await request.formData()).get('token') !== revokedToken })
  }
  const credentials = { clientId: 'payments-api', privateKey: keys.privateKey, algorithm: 'ES256' } as const
  server.on('request', createPaymentsApi({ issuer, origin, credentials, fetch }))
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const approved = { type: 'payment', amount: '12.00', creditor: 'Example Ltd.', account: 'savings' }

const tokenFor = (id: string, authorizationDetails: readonly object[] = [approved]): Promise<string> =>
  new SignJWT({ client_id: 'shop', scope: 'openid', authorization_details: authorizationDetails })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
    .setIssuer(issuer)
    .setAudience(`${origin}/payments`)
    .setSubject('ann')
    .setJti(id)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(keys.privateKey)

async function pay(token: string, order: object): Promise<readonly [number, unknown]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${origin}/payments`, { method: 'POST', headers, body: JSON.stringify(order) })
  return [reply.status, await reply.json()]
}

it('the example API pays what the user approved, once', async () => {
  const token = await tokenFor('t1')

  expect(await pay(token, { amount: '12.00', creditor: 'Example Ltd.' })).toEqual([
    200,
    { paid: '12.00', to: 'Example Ltd.', from: 'savings' },
  ])
  expect(await pay(token, { amount: '12.00', creditor: 'Example Ltd.' })).toEqual([409, { error: 'already_paid' }])
})

it.each([
  ['an amount that the user did not approve', { amount: '120.00', creditor: 'Example Ltd.' }],
  ['a creditor that the user did not approve', { amount: '12.00', creditor: 'Mallory' }],
  ['without an amount and a creditor', {}],
])('the example API refuses to pay %s', async (_, order) => {
  expect(await pay(await tokenFor('t2'), order)).toEqual([403, { error: 'not_approved' }])
})

it('the example API refuses a token without a payment (RFC 9396 §9)', async () => {
  const [status] = await pay(await tokenFor('t3', []), { amount: '12.00', creditor: 'Example Ltd.' })

  expect(status).toBe(403)
})

it('the example API refuses a token that was revoked before it expired (FAPI 2.0 SP §5.3.4)', async () => {
  const token = await tokenFor('t4')
  revokedToken = token

  const [status] = await pay(token, { amount: '12.00', creditor: 'Example Ltd.' })

  expect(status).toBe(401)
})

it('mintmark doctor finds nothing in examples/fapi that FAPI 2.0 forbids (FAPI 2.0 SP §5.3)', async () => {
  const example = await startFapiExample({ port: 0 })
  onTestFinished(() => example.close())
  const line = (await aCommandLine()).with({ fetch: fetchOverTls(example.authority) })

  const { out } = await line.run('doctor', example.issuer, '--profile', 'fapi2', '--json')

  const { findings } = JSON.parse(out) as { readonly findings: readonly { level: string; check: string }[] }
  const ofProfile = findings.filter(({ check }) => check.startsWith('profile.'))
  expect(ofProfile.length).toBeGreaterThan(5)
  expect(ofProfile.filter(({ level }) => level !== 'ok')).toEqual([])
})
