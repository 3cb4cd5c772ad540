import { AuthorizationCode, ClientCredentials, type ModuleOptions } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { challenge, verifier } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'
import { openWebApp } from './web-app.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
})
afterAll(() => site.close())

describe('simple-oauth2', () => {
  it.each(['header', 'body'] as const)(
    'with its credentials in the %s it gets tokens, refreshes and revokes (RFC 6749 §4.1, §6, RFC 7009 §2)',
    async (authorizationMethod) => {
      const config = await configure({ authorizationMethod })

      const tokens = await signIn(config)
      const renewed = await tokens.refresh()
      await renewed.revoke('refresh_token')

      expect(tokens.token).toMatchObject({ token_type: 'Bearer', scope: 'openid api.read offline_access' })
      expect(renewed.token['refresh_token']).not.toBe(tokens.token['refresh_token'])
      await expect(renewed.refresh()).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } })
    },
  )

  it('gets a token for itself (RFC 6749 §4.4)', async () => {
    const machine = {
      client: { id: 'M', secret: site.clients.M.secret },
      auth: { tokenHost: site.issuer, tokenPath: '/token' },
    }

    const { token } = await new ClientCredentials(machine).getToken({ scope: 'api.read' })

    expect(token).toMatchObject({ token_type: 'Bearer', scope: 'api.read' })
  })

  it('a client_id that needs encoding works (RFC 6749 §2.3.1)', async () => {
    const config = await configure({ credentialsEncodingMode: 'strict' }, 'web:app/100%+1')

    const { token } = await signIn(config)

    expect(token).toMatchObject({ token_type: 'Bearer' })
  })

  it('cannot authenticate in loose mode, which omits the encoding, if its client_id needs encoding (RFC 6749 §2.3.1)', async () => {
    const config = await configure({ credentialsEncodingMode: 'loose' }, 'web:app/100%+2')

    const refused = signIn(config)

    await expect(refused).rejects.toMatchObject({ data: { payload: { error: 'invalid_client' } } })
    expect(site.lastReason()).toMatch(/^client_/)
  })

  it('reports that the server rejects a JSON body (RFC 6749 §3.2)', async () => {
    const config = await configure({ bodyFormat: 'json' })

    const refused = signIn(config)

    const payload = {
      error: 'invalid_request',
      error_description: expect.stringContaining('x-www-form-urlencoded') as string,
    }
    await expect(refused).rejects.toMatchObject({ data: { payload } })
  })
})

type Config = ModuleOptions & { readonly redirectUri: string }

async function configure(options: ModuleOptions['options'], clientId?: string): Promise<Config> {
  const method = options?.authorizationMethod === 'body' ? 'client_secret_post' : 'client_secret_basic'
  const app = await openWebApp(site, { tokenEndpointAuthMethod: method, ...(clientId !== undefined && { clientId }) })
  await app.close()
  return {
    client: { id: app.clientId, secret: app.clientSecret },
    auth: { tokenHost: site.issuer, authorizePath: '/auth', tokenPath: '/token', revokePath: '/token/revocation' },
    // By default the library expects JSON in every response, but a successful revocation has no body (RFC 7009 §2.2).
    http: { json: 'force' },
    ...(options !== undefined && { options }),
    redirectUri: `${app.origin}/callback`,
  }
}

async function signIn({ redirectUri, ...options }: Config) {
  const client = new AuthorizationCode(options)
  const request = {
    redirect_uri: redirectUri,
    scope: 'openid api.read offline_access',
    state: 's1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const { location } = await visit(site, new URL(client.authorizeURL(request)))
  const presented = {
    code: location.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
  return client.getToken(presented)
}
