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

describe('the times of an access token', () => {
  const present = (times: object) => {
    const claims = { iss: 'https://as.test', sub: 'U1', aud: 'https://api.test', jti: 't', client_id: 'A' }
    const expected = { issuer: 'https://as.test', audience: 'https://api.test', clockSkew: 10, proven: undefined }
    return () => verifyIntrospectedToken({ ...claims, iat: 900, exp: 1100, ...times }, 1_000_000, expected)
  }

  it.each([{ exp: 991 }, { nbf: 1010 }, { iat: 1010 }])('are accepted within the clock skew: %j', (times) => {
    expect(present(times)).not.toThrow()
  })

  it.each([
    [{ exp: 990 }, 'token_expired'],
    [{ nbf: 1011 }, 'token_not_yet_valid'],
    [{ iat: 1011 }, 'token_not_yet_valid'],
  ])('are refused beyond the clock skew: %j (RFC 7519 §4.1.4, §4.1.5)', (times, reason) => {
    expect(present(times)).toThrow(expect.objectContaining({ reason }))
  })
})

it.each([
  ['https://api.test', 'https://api.test/', true],
  ['https://api.test:443/', 'https://API.test', true],
  ['https://api.test/v1', 'https://api.test/v1/', false],
])('a token for %s is accepted by %s: %s (RFC 3986 §6.2.3)', (aud, audience, isAccepted) => {
  const claims = { iss: 'https://as.test', sub: 'U1', aud, jti: 't', client_id: 'A', iat: 900, exp: 1100 }
  const expected = { issuer: 'https://as.test', audience, clockSkew: 0, proven: undefined }
  const verifying = () => verifyIntrospectedToken(claims, 1_000_000, expected)

  if (isAccepted) expect(verifying).not.toThrow()
  else expect(verifying).toThrow(expect.objectContaining({ reason: 'token_audience' }))
})

it.each([
  [{ iss: 'https://other.test' }, 'expected https://as.test, found "https://other.test"'],
  [{ aud: ['https://b.test'] }, 'expected https://api.test, found ["https://b.test"]'],
  [{ exp: 940 }, 'expired 60 seconds ago by this clock'],
  [{ iat: 1060 }, 'issued 60 seconds ahead of this clock'],
  [{ nbf: 1060 }, 'nbf is 1060, this clock says 1000'],
])('a refusal of %j says what was expected and found (RFC 9068 §4)', (change, comparison) => {
  const claims = { iss: 'https://as.test', sub: 'U1', aud: 'https://api.test', jti: 't', client_id: 'A' }
  const expected = { issuer: 'https://as.test', audience: 'https://api.test', clockSkew: 0, proven: undefined }

  expect(() => verifyIntrospectedToken({ ...claims, iat: 900, exp: 1100, ...change }, 1_000_000, expected)).toThrow(
    expect.objectContaining({ comparison }),
  )
})

describe('authorization_details of an access token', () => {
  it('are returned as a list, which is empty when the token has none (RFC 9396 §9.1)', () => {
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
  ])('make the token invalid when they are %j (RFC 9396 §9.1)', (details) => {
    expect(() => verify(details)).toThrow(expect.objectContaining({ code: 'invalid_token', reason: 'token_claims' }))
  })
})
