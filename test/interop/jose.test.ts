import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainTokens } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'

const forApi = { scope: 'openid profile api.read', resource: 'https://api.test' }

let site: ServerUnderTest
let keySet: ReturnType<typeof createRemoteJWKSet>
beforeAll(async () => {
  site = await startLoopbackServer()
  keySet = createRemoteJWKSet(new URL(`${site.issuer}/jwks`))
})
afterAll(() => site.close())

describe('a resource server with jose', () => {
  it('accepts an access token by type, signature, issuer, audience and expiry, and reads its scope (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const claims = await verify(tokens['access_token'])

    expect(claims).toMatchObject({ sub: 'U1', client_id: 'A' })
    expect(hasScope(claims, 'api.read')).toBe(true)
    expect(hasScope(claims, 'api.write')).toBe(false)
  })

  it('rejects an ID token because of its type (RFC 9068 §2.1)', async () => {
    const tokens = await obtainTokens(site, forApi)

    await expect(verify(tokens['id_token'])).rejects.toMatchObject({ claim: 'typ' })
  })

  it('rejects a token for another audience (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site)

    await expect(verify(tokens['access_token'])).rejects.toMatchObject({ claim: 'aud' })
  })

  it('rejects an expired token (RFC 7519 §4.1.4)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const verified = verify(tokens['access_token'], new Date((site.clock.now() + 600) * 1000))

    await expect(verified).rejects.toBeInstanceOf(errors.JWTExpired)
  })

  it('rejects a modified token (RFC 7515 §5.2)', async () => {
    const tokens = await obtainTokens(site, forApi)
    const [header, payload, signature] = (tokens['access_token'] ?? '').split('.')
    const widened = Buffer.from(
      Buffer.from(payload ?? '', 'base64url')
        .toString()
        .replace('api.read', 'api.write'),
    ).toString('base64url')

    const verified = verify([header, widened, signature].join('.'))

    await expect(verified).rejects.toBeInstanceOf(errors.JWSSignatureVerificationFailed)
  })
})

/** Verifies a token as a resource server does: the signature with the key set, the type and the claims. */
async function verify(token: string | undefined, currentDate = new Date(site.clock.now() * 1000)): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token ?? '', keySet, {
    typ: 'at+jwt',
    issuer: site.issuer,
    audience: 'https://api.test',
    requiredClaims: ['exp', 'scope', 'client_id'],
    currentDate,
  })
  return payload
}

const hasScope = ({ scope }: JWTPayload, needed: string): boolean =>
  typeof scope === 'string' && scope.split(' ').includes(needed)
