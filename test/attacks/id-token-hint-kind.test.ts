import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, obtainTokens } from '../support/flow.ts'
import { expectServing, expectErrorRedirect } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

describe('another JWT that this server signed is not an ID token (RFC 8725 §3.11)', () => {
  it.each(['RS256', 'ES256'] as const)(
    'rejects a userinfo response signed with %s as a hint (OIDC Core §3.1.2.1)',
    async (alg) => {
      const tokens = await obtainTokens(site)
      await changeClient(site.storage, clientId('A'), { userinfoSignedResponseAlg: alg })
      const userinfo = await site.send({
        path: '/userinfo',
        headers: { authorization: `Bearer ${tokens['access_token']}` },
      })
      expect(userinfo.header('content-type')).toBe('application/jwt')

      await expectErrorRedirect(
        site,
        { error: 'invalid_request' },
        { send: () => authorize(site, { id_token_hint: userinfo.text }), reason: 'id_token_hint_invalid' },
      )
    },
  )

  it('accepts an ID token as a hint, even if it has expired (OIDC Core §3.1.2.1)', async () => {
    const tokens = await obtainTokens(site)
    site.clock.advance(86_400)

    const reply = await authorize(site, { id_token_hint: tokens['id_token'] })

    expect(reply.location.searchParams.get('code')).not.toBeNull()
  })
})
