import { createResourceServer, protectExpress, protectFetch, type AccessRefusedError } from '@mintmark/resource-server'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startServer } from '../support/server-under-test.ts'
import { tokensFor } from '../support/token-calls.ts'

type Claims = Readonly<Record<string, string | readonly string[]>>

/** Starts an API, and issues an access token that has these claims in addition to the usual ones. */
async function apiFor(claims: Claims, options: Parameters<typeof startServer>[0] = {}) {
  const site = await startServer({ ...options, claims: () => ({ access_token: claims }) })
  onTestFinished(() => site.close())
  const refusals: AccessRefusedError[] = []
  const api = createResourceServer({
    issuer: site.issuer,
    audience: 'https://api.test',
    clock: () => site.clock.now() * 1000,
    fetch: (url, init) =>
      globalThis.fetch(
        `http://127.0.0.1:${site.port}${new URL(url instanceof Request ? url.url : url).pathname}`,
        init,
      ),
    onRefusal: (refusal) => void refusals.push(refusal),
  })
  const { access_token } = await tokensFor(site, 'A', { scope: 'openid api.read', resource: 'https://api.test' })
  return { api, refusals, headers: { authorization: `Bearer ${access_token}` } }
}

const admin = { roles: ['admin'] } as const
const acme = { organization: ['acme'] } as const

describe('an API that requires roles, groups, entitlements or an organization', () => {
  it.each([
    [{ roles: ['reader', 'admin'] }, admin],
    [{ roles: ['owner'] }, { roles: ['admin', 'owner'] }],
    [
      { groups: ['staff'], entitlements: ['export'] },
      { groups: ['staff'], entitlements: ['export'] },
    ],
    [
      { org_id: 'acme', roles: ['admin'] },
      { ...acme, ...admin },
    ],
    [{ org_id: 'acme' }, { organization: true }],
  ] as const)('admits a token with %j when %j is required (RFC 9068 §2.2.3)', async (claims, required) => {
    const { api, headers } = await apiFor(claims)
    const guarded = protectFetch(api).requireClaims(required, ['api.read'], (_request, { organizationId }) =>
      Response.json({ organizationId }),
    )

    const reply = await guarded(new Request('https://api.test/', { headers }))

    expect(reply.status).toBe(200)
    expect(await reply.json()).toEqual('org_id' in claims ? { organizationId: 'acme' } : {})
  })

  it.each([
    [{}, admin, 'claim_missing'],
    [{ roles: ['reader'] }, admin, 'claim_missing'],
    [{ roles: 'admin' }, admin, 'claim_missing'],
    [{ groups: ['admin'] }, admin, 'claim_missing'],
    [{ roles: ['admin'] }, { ...admin, groups: ['staff'] }, 'claim_missing'],
    [{ org_id: 'globex', roles: ['admin'] }, { ...acme, ...admin }, 'organization_other'],
  ] as const)(
    'refuses a token with %j when %j is required, without a challenge (RFC 9110 §15.5.4)',
    async (claims, required, reason) => {
      const { api, headers, refusals } = await apiFor(claims)
      const guarded = protectFetch(api).requireClaims(required, [], () => new Response('done'))

      const reply = await guarded(new Request('https://api.test/', { headers }))

      expect(reply.status).toBe(403)
      expect(reply.headers.get('www-authenticate')).toBeNull()
      expect(await reply.json()).toEqual({
        error: 'access_denied',
        error_description: 'The user is not allowed to do this.',
      })
      expect(refusals.map((refusal) => refusal.reason)).toEqual([reason])
    },
  )

  it('says in its log that a claim was left out because it was too large (RFC 9068 §2.2.3)', async () => {
    const { api, headers } = await apiFor(
      { groups: ['staff', 'other'] },
      { accessTokenClaimLimits: { values: 1, overflow: 'omit' } },
    )

    await expect(api.requireClaims({ groups: ['staff'] }).admit([headers.authorization])).rejects.toMatchObject({
      code: 'access_denied',
      reason: 'claim_omitted',
    })
  })

  it('asks the client for the scope organization when the token is for no organization (RFC 6750 §3.1)', async () => {
    const { api, headers, refusals } = await apiFor({ roles: ['admin'] })
    const guarded = protectFetch(api).requireClaims({ ...acme, ...admin }, ['api.read'], () => new Response('done'))

    const reply = await guarded(new Request('https://api.test/', { headers }))

    expect(reply.status).toBe(403)
    expect(reply.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    expect(reply.headers.get('www-authenticate')).toContain('scope="api.read organization"')
    expect(refusals.map((refusal) => refusal.reason)).toEqual(['organization_missing'])
  })

  it('requires the scope values first (RFC 6750 §3.1)', async () => {
    const { api, headers, refusals } = await apiFor({})
    const guarded = protectFetch(api).requireClaims(admin, ['api.write'], () => new Response('done'))

    const reply = await guarded(new Request('https://api.test/', { headers }))

    expect([reply.status, await reply.json()]).toMatchObject([403, { error: 'insufficient_scope' }])
    expect(refusals.map((refusal) => refusal.reason)).toEqual(['scope_missing'])
  })

  it('admits and refuses tokens on Express as well (RFC 9068 §2.2.3)', async () => {
    const { api, headers } = await apiFor({ roles: ['admin'] })
    const guard = protectExpress(api)
    const request = { method: 'GET', url: '/', rawHeaders: ['Authorization', headers.authorization] }
    const response = { statusCode: 200, setHeader: () => undefined, end: () => undefined }
    const outcome = async (role: string): Promise<unknown> => {
      let isAdmitted = false
      await guard.requireClaims({ roles: [role] }, 'api.read')(request, response, () => void (isAdmitted = true))
      return isAdmitted ? guard.token(request).subject : response.statusCode
    }

    expect(await outcome('admin')).toBe('U1')
    expect(await outcome('owner')).toBe(403)
  })

  it.each([
    {},
    { roles: [] },
    { roles: [''] },
    { roles: 'admin' },
    { role: ['admin'] },
    { organization: false },
    { roles: undefined },
    { roles: true },
    { organization: true, groups: true },
  ])('does not start with the requirement %j, which could admit everyone', async (required) => {
    const api = createResourceServer({ issuer: 'https://as.test', audience: 'https://api.test' })

    expect(() => api.requireClaims(required as typeof admin)).toThrow(TypeError)
    expect(() => api.requireClaims(admin, 'two words')).toThrow(TypeError)
  })
})
