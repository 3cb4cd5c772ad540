import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, authenticateEveryClient, tokensFor, userinfo } from '../support/token-calls.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

const removeScopes = async (...removed: readonly string[]): Promise<void> => {
  const client = await site.storage.clients.find(clientId('A'))
  const scopes = (client?.scopes ?? []).filter((scope) => !removed.includes(scope))
  await changeClient(site.storage, clientId('A'), { scopes })
}

it('a scope that was removed from a client no longer has an effect in tokens issued before (RFC 6749 §3.3)', async () => {
  const { access_token: token } = await tokensFor(site, 'A', { scope: 'openid profile email' })
  const before = [
    (await userinfo(site, token)).json['name'],
    (await introspect(site, token, 'A')).json['scope'],
    (await site.server.accessToken(token))?.scopes,
  ]

  await removeScopes('profile')

  expect(before).toEqual(['Ann Lee', 'openid profile email', ['openid', 'profile', 'email']])
  expect((await userinfo(site, token)).json).toMatchObject({ sub: 'U1', email: 'ann@example.test' })
  expect((await userinfo(site, token)).json).not.toHaveProperty('name')
  expect((await introspect(site, token, 'A')).json['scope']).toBe('openid email')
  expect((await site.server.accessToken(token))?.scopes).toEqual(['openid', 'email'])
})

it('userinfo refuses a token whose client may no longer request openid (OIDC Core §5.3)', async () => {
  const { access_token: token } = await tokensFor(site, 'A', { scope: 'openid email' })
  await removeScopes('openid')

  const before = site.dump()
  const reply = await userinfo(site, token)

  expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
    403,
    'insufficient_scope',
    'openid_not_granted',
  ])
  expect(site.dump()).toBe(before)
})
