import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { authorize, basic, encode, obtainTokens, postForm, token } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// A refusal tells the operator whose request it was, what was sent, and what would have been accepted.
let site: ServerUnderTest

beforeEach(async () => {
  site = await startServer()
})

afterEach(() => site.close())

const lastContext = () => site.events.findLast(({ type }) => type === 'request.refused')
const userinfo = (accessToken: string) =>
  site.send({ path: '/userinfo', headers: { authorization: `Bearer ${accessToken}` } })
const asA = () => ({ authorization: basic('A', site.clients.A.secret) })

describe('the event of a refusal', () => {
  it('at userinfo names client, user and scope values of a token without openid (OIDC Core §5.3)', async () => {
    const { refresh_token } = await obtainTokens(site)
    const narrow = await token(site, { grant_type: 'refresh_token', refresh_token, scope: 'profile' })

    await userinfo(String(narrow.json['access_token']))

    const context = { clientId: 'A', userId: 'U1', grantedScopes: ['profile'] }
    expect(lastContext()).toMatchObject({ reason: 'openid_not_granted', context })
  })

  it('at userinfo names the client of a revoked token (RFC 6750 §3.1)', async () => {
    const { access_token = '' } = await obtainTokens(site)
    await postForm(site, '/token/revocation', encode({ token: access_token }), asA())

    await userinfo(access_token)

    expect(lastContext()).toMatchObject({ reason: 'access_token_inactive', context: { clientId: 'A' } })
  })

  it('at userinfo names the client and the audience of a token for an API (RFC 9068 §4)', async () => {
    const reply = await token(
      site,
      { grant_type: 'client_credentials', scope: 'api.read' },
      { authorization: basic('M', site.clients.M.secret) },
    )
    await userinfo(String(reply.json['access_token']))

    expect(lastContext()).toMatchObject({ context: { clientId: 'M' } })
  })

  it.each([
    ['response_type', 'response_type_unsupported'],
    ['response_mode', 'response_mode_unknown'],
    ['prompt', 'prompt_invalid'],
    ['max_age', 'max_age_invalid'],
  ])(
    'of an authorization request names the client and the refused %s, at most 100 characters',
    async (name, reason) => {
      await authorize(site, { [name]: `wrong-${'x'.repeat(200)}` })

      const requestedValue = `wrong-${'x'.repeat(94)}`
      expect(lastContext()).toMatchObject({ reason, context: { clientId: 'A', requestedValue } })
    },
  )

  it.each(['/token/introspection', '/token/revocation'])(
    'at %s names the client that sent no token (RFC 7009 §2.1)',
    async (path) => {
      await postForm(site, path, '', asA())

      expect(lastContext()).toMatchObject({ reason: 'token_missing', context: { clientId: 'A' } })
    },
  )
})
