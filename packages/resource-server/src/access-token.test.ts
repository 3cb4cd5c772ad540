import { describe, expect, it } from 'vitest'

import { verifyIntrospectedToken } from './access-token.ts'

const verify = (authorization_details?: unknown) => {
  const claims = { iss: 'https://as.test', sub: 'U1', aud: 'https://api.test', jti: 't', client_id: 'A' }
  const description = {
    ...claims,
    iat: 900,
    exp: 1100,
    ...(authorization_details !== undefined && { authorization_details }),
  }
  const expected = { issuer: 'https://as.test', audience: 'https://api.test', clockSkew: 0, proven: undefined }
  return verifyIntrospectedToken(description, 1_000_000, expected).authorizationDetails
}

describe('authorization_details of an access token', () => {
  it('is a list of entries with a type, empty when the token has none (RFC 9396 §9.1)', () => {
    const details = [{ type: 'payment', amount: '12.00' }]

    expect(verify(details)).toEqual(details)
    expect(verify()).toEqual([])
  })

  it.each([
    [null],
    ['payment'],
    [{ type: 'payment' }],
    [['payment']],
    [[null]],
    [[{ amount: '12.00' }]],
    [[{ type: '' }]],
    [[{ type: 5 }]],
  ])('that is %j makes the token invalid (RFC 9396 §9.1)', (details) => {
    expect(() => verify(details)).toThrow(expect.objectContaining({ code: 'invalid_token', reason: 'token_claims' }))
  })
})
