import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, noteSecretsInUse, tokensFor, userinfo } from '../support/token-calls.ts'

let under: ServerUnderTest
beforeAll(async () => {
  under = await startServer()
  await noteSecretsInUse(under)
})
afterAll(() => under.close())

const take = async (...removed: readonly string[]): Promise<void> => {
  const client = await under.storage.clients.find(clientId('A'))
  const scopes = (client?.scopes ?? []).filter((scope) => !removed.includes(scope))
  await changeClient(under.storage, clientId('A'), { scopes })
}

it('a scope that is removed from a client is in none of its issued tokens any more (RFC 6749 §3.3)', async () => {
  const { access_token: token } = await tokensFor(under, 'A', { scope: 'openid profile email' })
  const before = [
    (await userinfo(under, token)).json['name'],
    (await introspect(under, token, 'A')).json['scope'],
    (await under.server.accessToken(token))?.scopes,
  ]

  await take('profile')

  expect(before).toEqual(['Ann Lee', 'openid profile email', ['openid', 'profile', 'email']])
  expect((await userinfo(under, token)).json).toMatchObject({ sub: 'U1', email: 'ann@example.test' })
  expect((await userinfo(under, token)).json).not.toHaveProperty('name')
  expect((await introspect(under, token, 'A')).json['scope']).toBe('openid email')
  expect((await under.server.accessToken(token))?.scopes).toEqual(['openid', 'email'])
})

it('userinfo refuses a token whose client may no longer request openid (OIDC Core §5.3)', async () => {
  const { access_token: token } = await tokensFor(under, 'A', { scope: 'openid email' })
  await take('openid')

  const before = under.dump()
  const reply = await userinfo(under, token)

  expect([reply.status, reply.json['error'], under.lastReason()]).toEqual([
    403,
    'insufficient_scope',
    'openid_not_granted',
  ])
  expect(under.dump()).toBe(before)
})
