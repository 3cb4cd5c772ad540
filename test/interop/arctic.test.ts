import { CodeChallengeMethod, generateCodeVerifier, generateState } from 'arctic'
import { OAuth2Client, OAuth2RequestError, type OAuth2Tokens } from 'arctic'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
})
afterAll(() => site.close())

describe('arctic', () => {
  it.each([
    ['public', () => new OAuth2Client('P', null, 'https://spa.test/cb')],
    ['confidential', () => new OAuth2Client('A', site.clients.A.secret, 'https://app.test/cb')],
  ])('a %s client gets tokens, refreshes and revokes (RFC 6749 §4.1, §6, RFC 7009 §2)', async (_kind, createClient) => {
    const client = createClient()

    const tokens = await signIn(client)
    const renewed = await client.refreshAccessToken(`${site.issuer}/token`, tokens.refreshToken(), [])
    await client.revokeToken(`${site.issuer}/token/revocation`, renewed.refreshToken())

    expect(tokens.scopes()).toEqual(['openid', 'profile', 'offline_access'])
    expect(renewed.refreshToken()).not.toBe(tokens.refreshToken())
    const refused = client.refreshAccessToken(`${site.issuer}/token`, renewed.refreshToken(), [])
    await expect(refused).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  it('does not encode its credentials; generated secrets need no encoding (RFC 6749 §2.3.1)', async () => {
    const { secret } = site.clients.A

    const tokens = await signIn(new OAuth2Client('A', secret, 'https://app.test/cb'))

    expect(encodeURIComponent(secret)).toBe(secret)
    expect(tokens.tokenType()).toBe('Bearer')
  })

  it('reports an error response as such (RFC 6749 §5.2)', async () => {
    const refused = signIn(new OAuth2Client('A', 'wrong', 'https://app.test/cb'))

    await expect(refused).rejects.toBeInstanceOf(OAuth2RequestError)
    await expect(refused).rejects.toMatchObject({ code: 'invalid_client' })
    expect(site.lastReason()).toBe('client_credentials_wrong')
  })
})

async function signIn(client: OAuth2Client): Promise<OAuth2Tokens> {
  const verifier = generateCodeVerifier()
  const scopes = ['openid', 'profile', 'offline_access']
  const url = client.createAuthorizationURLWithPKCE(
    `${site.issuer}/auth`,
    generateState(),
    CodeChallengeMethod.S256,
    verifier,
    scopes,
  )
  const { location } = await visit(site, url)
  return client.validateAuthorizationCode(`${site.issuer}/token`, location.searchParams.get('code') ?? '', verifier)
}
