import { clientId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, type Change, obtainCode, redeem, token } from '../support/flow.ts'
import { expectServing, expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const resource = 'https://api.test'
const redirect_uri = 'https://spa.test/cb'
const invalidTarget = { status: 400, error: 'invalid_target' }

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await changeClient(site.storage, clientId('P'), { profile: 'mcp' })
  await expectServing(site)
})
afterAll(() => site.close())

const request: Change = { client_id: 'P', redirect_uri, scope: 'api.read offline_access', resource }

const code = () => obtainCode(site, request)

const withoutSecret = { authorization: '' }

const redeemAs = (value: string, change: Change = {}) =>
  redeem(site, value, { client_id: 'P', redirect_uri, resource, ...change }, withoutSecret)

const refreshAs = (refreshToken: unknown, change: Change = {}) =>
  token(
    site,
    { grant_type: 'refresh_token', refresh_token: String(refreshToken), client_id: 'P', resource, ...change },
    withoutSecret,
  )

describe('a client with the profile mcp', () => {
  it('gets tokens for the resource that each of its requests names (MCP 2026-07-28, Authorization)', async () => {
    const first = await redeemAs(await code())
    const second = await refreshAs(first.json['refresh_token'])

    expect([first.status, second.status]).toEqual([200, 200])
    for (const { json } of [first, second]) expect(decodeJwt(String(json['access_token'])).aud).toBe(resource)
    expect(second.json['refresh_token']).not.toBe(first.json['refresh_token'])
  })

  it.each([
    ['no resource', undefined, 'resource_missing'],
    ['a resource with a fragment', `${resource}#x`, 'resource_unknown'],
    ['a resource on another port', `${resource}:8443`, 'resource_unknown'],
    ['a path in upper case', `${resource}/MCP`, 'resource_unknown'],
    ['a resource with a user name', 'https://API@api.test', 'resource_unknown'],
  ] as const)('is refused with %s at the authorization endpoint (RFC 8707 §2)', async (_, changed, reason) => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_target', at: redirect_uri },
      { send: () => authorize(site, { ...request, resource: changed }), reason },
    )
  })

  it.each(['HTTPS://api.test', 'https://API.Test', 'https://api.test/', 'https://api.test:443'])(
    'may write a resource in any equivalent form: %s (RFC 3986 §6.2.2.1, §6.2.3)',
    async (written) => {
      const value = await obtainCode(site, { ...request, resource: written })
      const reply = await redeemAs(value, { resource: written })

      expect(decodeJwt(String(reply.json['access_token'])).aud).toBe(resource)
    },
  )

  it('is refused without a resource at the token endpoint, and its code stays usable (RFC 8707 §2.2)', async () => {
    const value = await code()

    await expectJsonRefusal(site, invalidTarget, {
      send: () => redeemAs(value, { resource: undefined }),
      reason: 'resource_missing',
    })

    expect((await redeemAs(value)).status).toBe(200)
  })

  it('is refused without a resource when it refreshes, and its refresh token stays usable (RFC 8707 §2.2)', async () => {
    const { refresh_token: refreshToken } = (await redeemAs(await code())).json

    await expectJsonRefusal(site, invalidTarget, {
      send: () => refreshAs(refreshToken, { resource: undefined }),
      reason: 'resource_missing',
    })

    expect((await refreshAs(refreshToken)).status).toBe(200)
  })

  it('is refused without PKCE (RFC 7636 §4.4.1)', async () => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: redirect_uri },
      {
        send: () => authorize(site, { ...request, code_challenge: undefined, code_challenge_method: undefined }),
        reason: 'code_challenge_missing',
      },
    )
  })
})

it('minimumProfile mcp requires a resource from every client, and refuses clients with a secret', async () => {
  const strict = await startServer({ minimumProfile: 'mcp' })

  await expectErrorRedirect(
    strict,
    { error: 'invalid_target', at: redirect_uri },
    { send: () => authorize(strict, { ...request, resource: undefined }), reason: 'resource_missing' },
  )
  await expectJsonRefusal(
    strict,
    { status: 400, error: 'unauthorized_client' },
    {
      send: () => token(strict, { grant_type: 'authorization_code', code: 'x' }),
      reason: 'profile_contradicted',
    },
  )
  await strict.close()
})
