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
