import { expect, it } from 'vitest'

import type { Suite } from './suite.ts'

export const discoverySuite: Suite = (reach) => {
  it.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    'the metadata is at %s and names only the configured issuer (OIDC Discovery §4, RFC 8414 §3)',
    async (path) => {
      const site = reach()

      const reply = await site.send({
        path,
        headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' },
      })

      expect(reply.status).toBe(200)
      expect(reply.header('content-type')).toBe('application/json')
      expect(reply.json).toMatchObject({
        issuer: site.issuer,
        token_endpoint: `${site.issuer}/token`,
        jwks_uri: `${site.issuer}/jwks`,
      })
      expect(reply.text).not.toContain('evil')
    },
  )

  it('the key set contains public keys (RFC 7517 §5)', async () => {
    const { json } = await reach().send({ path: '/jwks' })
    const keys = json['keys'] as readonly Record<string, unknown>[]

    expect(keys.length).toBeGreaterThan(0)
    expect(keys.flatMap((key) => ['d', 'p', 'q', 'k'].filter((name) => name in key))).toEqual([])
  })

  it('a reader with a current copy of the keys gets 304 (RFC 9110 §13.1.2)', async () => {
    const site = reach()
    const tag = (await site.send({ path: '/jwks' })).header('etag') ?? ''

    const again = await site.send({ path: '/jwks', headers: { 'if-none-match': tag } })

    expect([again.status, again.text]).toEqual([304, ''])
  })
}
