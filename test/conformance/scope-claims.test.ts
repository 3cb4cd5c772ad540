import { updateClient } from '@mintmark/core'
import { clientId, epochSeconds, userId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import { startServer } from '../support/server-under-test.ts'
import { tokensFor, userinfo } from '../support/token-calls.ts'

const scope = 'openid profile email'

async function claimsWith(options: Parameters<typeof startServer>[0], change: Readonly<Record<string, string>> = {}) {
  const site = await startServer(options)
  onTestFinished(() => site.close())
  const tokens = await tokensFor(site, 'A', { scope, ...change })
  return { idToken: decodeJwt(tokens.id_token), userinfo: (await userinfo(site, tokens.access_token)).json }
}

it('by default the claims of a scope are in the ID token too (OIDC Core §5.4)', async () => {
  const { idToken, userinfo } = await claimsWith({})

  expect(idToken).toMatchObject({ name: 'Ann Lee', email: 'ann@example.test' })
  expect(userinfo).toMatchObject({ name: 'Ann Lee', email: 'ann@example.test' })
})

it('returns every claim that discovery lists, for the scope values that discovery lists (OIDC Discovery §3)', async () => {
  const site = await startServer({})
  onTestFinished(() => site.close())
  const metadata = (await site.send({ path: '/.well-known/openid-configuration' })).json as {
    readonly scopes_supported: readonly string[]
    readonly claims_supported: readonly string[]
  }
  const ofSignIn = [
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'acr',
    'amr',
    'azp',
    'at_hash',
    'sid',
    'session_expiry',
  ]
  const names = metadata.claims_supported.filter((name) => !ofSignIn.includes(name))
  const userOfAll = userId('U1')
  const user = await site.storage.users.find(userOfAll)
  const claims = Object.fromEntries(names.map((name) => [name, user?.claims[name] ?? claimOf(name)]))
  await site.storage.users.upsert({ users: [{ userId: userOfAll, claims, active: true }], now: epochSeconds(1) })
  await updateClient({ clientId: clientId('A') }, { scopes: metadata.scopes_supported }, { storage: site.storage })

  const tokens = await tokensFor(site, 'A', { scope: metadata.scopes_supported.join(' ') })

  const answered = Object.keys((await userinfo(site, tokens.access_token)).json ?? {})
  expect(answered.toSorted()).toEqual(['sub', ...names].toSorted())
})

const claimOf = (name: string) => (name.endsWith('_verified') ? true : `a ${name}`)

it('with scopeClaims userinfo the ID token has only claims that the request names individually (OIDC Core §5.4, §5.5)', async () => {
  const claims = JSON.stringify({ id_token: { email: null } })
  const options = { scopeClaims: 'userinfo' } as const

  const byScope = await claimsWith(options)
  const byName = await claimsWith(options, { claims })

  expect(byScope.idToken).not.toHaveProperty('name')
  expect(byScope.idToken).not.toHaveProperty('email')
  expect(byScope.userinfo).toMatchObject({ name: 'Ann Lee', email: 'ann@example.test' })
  expect(byName.idToken).toMatchObject({ email: 'ann@example.test' })
  expect(byName.idToken).not.toHaveProperty('name')
})

it('the claims function receives which claims are requested by scope and which by name, once per response (OIDC Core §5.4, §5.5)', async () => {
  const seen: unknown[] = []
  await claimsWith(
    {
      claims: ({ destinations, requested }) => {
        seen.push([destinations, requested])
        return {}
      },
    },
    { claims: JSON.stringify({ id_token: { nickname: null, unheard_of: null } }) },
  )

  const requested = {
    id_token: {
      byScope: ['name', 'given_name', 'family_name', 'preferred_username', 'email', 'email_verified'],
      byName: ['nickname'],
    },
    userinfo: { byScope: expect.arrayContaining(['nickname', 'email']) as unknown, byName: [] },
  }
  expect(seen).toEqual([
    [['access_token', 'id_token'], requested],
    [['userinfo'], requested],
  ])
})
