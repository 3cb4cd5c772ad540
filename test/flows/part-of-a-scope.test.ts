import { clientId } from '@mintmark/storage-interface'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { authorize, basic, obtainCode, obtainTokens, redeem, token } from '../support/flow.ts'
import { push } from '../support/pushed-requests.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest

beforeEach(async () => {
  site = await startServer()
})

afterEach(() => site.close())

const refresh = (refreshToken: string | undefined, scope: string) =>
  token(site, { grant_type: 'refresh_token', refresh_token: refreshToken, scope })

const asM = (scope: string) =>
  token(site, { grant_type: 'client_credentials', scope }, { authorization: basic('M', site.clients.M.secret) })

const lastEvent = (type: 'code.issued' | 'tokens.issued') => site.events.findLast((event) => event.type === type)

describe('scope values that the client may not have are left out (RFC 6749 §3.3)', () => {
  it('at the authorization endpoint; the response and the event name the difference', async () => {
    const code = await obtainCode(site, { scope: 'openid profile api.write unknown' })

    expect((await redeem(site, code)).json['scope']).toBe('openid profile')
    expect(lastEvent('code.issued')).toMatchObject({ omittedScopes: ['api.write', 'unknown'] })
  })

  it('in a pushed request', async () => {
    expect((await push(site, { scope: 'openid api.write' })).status).toBe(201)
  })

  it('in the client credentials grant', async () => {
    const reply = await asM('openid api.read api.write')

    expect([reply.status, reply.json['scope']]).toEqual([200, 'api.read'])
    expect(lastEvent('tokens.issued')).toMatchObject({ omittedScopes: ['openid', 'api.write'] })
  })

  it('in a refresh; the next refresh has the whole grant (RFC 6749 §6)', async () => {
    const { refresh_token: first } = await obtainTokens(site)

    const reply = await refresh(first, 'openid email')

    expect([reply.status, reply.json['scope']]).toEqual([200, 'openid'])
    expect(lastEvent('tokens.issued')).toMatchObject({ omittedScopes: ['email'] })
    const next = await token(site, { grant_type: 'refresh_token', refresh_token: String(reply.json['refresh_token']) })
    expect(next.json['scope']).toBe('openid profile offline_access')
  })
})

describe('a request is refused', () => {
  it('if openid would be left out at the authorization endpoint (OIDC Core §3.1.2.1)', async () => {
    await changeClient(site.storage, clientId('A'), { scopes: ['profile'] })

    await expectErrorRedirect(
      site,
      { error: 'invalid_scope' },
      { send: () => authorize(site, { scope: 'openid profile' }), reason: 'scope_not_allowed' },
    )
  })

  it('if nothing is left of a refresh (RFC 6749 §6)', async () => {
    const { refresh_token: first } = await obtainTokens(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_scope' },
      { send: () => refresh(first, 'email'), reason: 'scope_not_granted' },
    )
    expect(site.events.at(-1)).toMatchObject({
      context: { clientId: 'A', refusedScopes: ['email'], grantedScopes: ['openid', 'profile', 'offline_access'] },
    })
  })
})
