import { createResourceServer, protectExpress, protectFetch, type AccessRefusedError } from '@mintmark/resource-server'
import { describe, expect, it } from 'vitest'

import { redeem } from '../support/flow.ts'
import { aPayment, codeFor, startBank } from '../support/payment-details.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { tokensOf } from '../support/token-calls.ts'

const payment = aPayment({ locations: ['https://api.test'] })
const api = { scope: 'openid api.read', resource: 'https://api.test' }

async function apiOf(site: ServerUnderTest) {
  const refusals: AccessRefusedError[] = []
  const server = createResourceServer({
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
  const code = await codeFor(site, [payment], { ...api, form: 'scope=openid&scope=api.read&detail=0' })
  const { access_token } = tokensOf(await redeem(site, code))
  return { server, refusals, headers: { authorization: `Bearer ${access_token}` } }
}

describe('an API that requires an authorization detail', () => {
  it('admits a token with an entry of the type, and passes the entry to the handler (RFC 9396 §9)', async () => {
    const { server, headers } = await apiOf(await startBank())
    const pay = protectFetch(server).requireDetail('payment', ['api.read'], (_request, { authorizationDetails }) =>
      Response.json(authorizationDetails),
    )

    const reply = await pay(new Request('https://api.test/payments', { headers }))

    expect([reply.status, await reply.json()]).toEqual([200, [payment]])
  })

  it.each([
    ['reading', ['api.read'], 'detail_missing'],
    ['payment', ['api.write'], 'scope_missing'],
  ] as const)(
    'refuses a token that lacks the type %s or the scopes %j (RFC 6750 §3.1)',
    async (type, scopes, reason) => {
      const { server, headers, refusals } = await apiOf(await startBank())
      const guarded = protectFetch(server).requireDetail(type, scopes, () => new Response('paid'))

      const reply = await guarded(new Request('https://api.test/payments', { headers }))

      expect([reply.status, await reply.json()]).toMatchObject([403, { error: 'insufficient_scope' }])
      expect(refusals.map((refusal) => refusal.reason)).toEqual([reason])
    },
  )

  it('admits and refuses tokens on Express as well (RFC 9396 §9)', async () => {
    const { server, headers } = await apiOf(await startBank())
    const guard = protectExpress(server)
    const request = { method: 'POST', url: '/payments', rawHeaders: ['Authorization', headers.authorization] }
    const response = { statusCode: 200, setHeader: () => undefined, end: () => undefined }
    const outcome = async (type: string): Promise<unknown> => {
      let isAdmitted = false
      await guard.requireDetail(type)(request, response, () => void (isAdmitted = true))
      return isAdmitted ? guard.token(request).authorizationDetails : response.statusCode
    }

    expect(await outcome('payment')).toEqual([payment])
    expect(await outcome('reading')).toBe(403)
  })

  it.each([[''], ['payment', '']])('does not start with the requirement %j', async (type, ...scopes) => {
    const { server } = await apiOf(await startBank())

    expect(() => server.requireDetail(type, ...scopes)).toThrow(TypeError)
  })
})
