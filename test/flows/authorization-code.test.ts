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
})
