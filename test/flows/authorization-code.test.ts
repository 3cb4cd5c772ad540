import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainTokens } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

describe('authorization code', () => {
  it('a user signs in and consents, and the client gets its tokens (RFC 6749 §4.1)', async () => {
    const tokens = await obtainTokens(site)

    expect(Object.keys(tokens).toSorted()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ])
  })

  it('the identifier of the token family begins with the second of the code, so that new families are neighbours in a database', async () => {
    const { access_token: token = '' } = await obtainTokens(site)
    const { family, iat = 0 } = decodeJwt<{ readonly family: string }>(token)

    const issuedAt = Number.parseInt(family.slice(0, 7), 36)
    expect(family).toMatch(/^[\w-]{22}$/)
    // A code lives for a minute.
    expect(issuedAt).toBeGreaterThanOrEqual(iat - 60)
    expect(issuedAt).toBeLessThanOrEqual(iat)
  })
})
