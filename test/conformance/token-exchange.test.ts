import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import {
  accessTokenType,
  asAgent,
  exchange,
  exchangeGrant,
  startExchangeSite,
  userToken,
} from '../support/exchange-site.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { encode, postForm } from '../support/flow.ts'

async function start() {
  const site = await startExchangeSite()
  onTestFinished(() => site.close())
  return site
}

it('a token response names what was issued, how long it lives and what it is for, and is not cached (RFC 8693 §2.2.1)', async () => {
  const site = await start()

  const reply = await exchange(site, 'agent0', await userToken(site), { requested_token_type: accessTokenType })

  const { exp = 0, iat = 0 } = decodeJwt(String(reply.json['access_token']))
  expect(reply.json).toMatchObject({ issued_token_type: accessTokenType, token_type: 'Bearer', scope: 'api.read' })
  expect(reply.json['expires_in']).toBe(exp - iat)
  expect(reply.header('cache-control')).toBe('no-store')
})

it.each([
  [
    'a SAML assertion as the subject',
    { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' },
    'invalid_request',
  ],
  ['an empty subject', { subject_token: '' }, 'invalid_request'],
  ['a JWT as the requested type', { requested_token_type: 'urn:ietf:params:oauth:token-type:jwt' }, 'invalid_request'],
  ['an unknown type of actor', { actor_token: 'x', actor_token_type: 'urn:x' }, 'invalid_request'],
  ['a relative address as resource', { resource: '/down' }, 'invalid_target'],
  ['a fragment in the resource', { resource: 'https://down.test#x' }, 'invalid_target'],
] as const)('an exchange with %s is refused, and stores nothing (RFC 8693 §2.1, §2.2.2)', async (_, change, error) => {
  const site = await start()
  const subject = await userToken(site)
  // The first request records when the secret of the client was used.
  await exchange(site, 'agent0', subject, change)

  const before = site.dump()
  const reply = await exchange(site, 'agent0', subject, change)

  expect([reply.status, reply.json['error']]).toEqual([400, error])
  expect(site.dump()).toBe(before)
})

it('an exchange without client authentication is refused (RFC 8693 §2.1, §5)', async () => {
  const site = await start()
  const form = {
    grant_type: exchangeGrant,
    client_id: 'agent0',
    subject_token: 'x',
    subject_token_type: accessTokenType,
  }
  const send = () => postForm(site, '/token', encode(form), {})

  await expectJsonRefusal(
    site,
    { status: 401, error: 'invalid_client' },
    { send, reason: 'client_authentication_method' },
  )
  expect(asAgent(site, 'agent0')).toMatch(/^Basic /)
})
