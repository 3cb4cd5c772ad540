import { describe, expect, it } from 'vitest'

import { readAccessToken } from './bearer-token.ts'

const refusalOf = (authorization: readonly string[]): unknown => {
  try {
    return readAccessToken(authorization)
  } catch (error) {
    return error
  }
}

describe('the bearer token of a request', () => {
  it.each(['Bearer abc.DEF-_~+/=', 'bearer abc.DEF-_~+/=', 'BEARER   abc.DEF-_~+/='])(
    'is read from %s (RFC 6750 §2.1)',
    (value) => {
      expect(readAccessToken([value])).toEqual({ scheme: 'Bearer', token: 'abc.DEF-_~+/=' })
    },
  )

  it.each([[], ['Basic QTpi'], ['DPoP abc'], ['Bearerabc'], [''], ['token abc']])(
    'is missing without the scheme Bearer: %j (RFC 6750 §3.1)',
    (...authorization) => {
      expect(refusalOf(authorization)).toMatchObject({ code: 'invalid_token', reason: 'bearer_missing' })
    },
  )

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a,b',
    'Bearer a, Bearer b',
    'Bearer "a"',
    'Bearer =a',
    'Bearer a=b',
    'Bearer é',
    'Bearer a\t',
    'Bearer a\n',
  ])('is malformed in %j (RFC 6750 §2.1)', (value) => {
    expect(refusalOf([value])).toMatchObject({ code: 'invalid_token', reason: 'bearer_malformed' })
  })

  it.each([
    ['Bearer a', 'Bearer a'],
    ['Bearer a', 'Basic b'],
    ['Basic b', 'Bearer a'],
  ])('is refused when there is a second Authorization header: %j and %j (RFC 9110 §5.3)', (...authorization) => {
    expect(refusalOf(authorization)).toMatchObject({ code: 'invalid_request', reason: 'bearer_twice' })
  })

  // A pattern that backtracks would run for hours here and exceed the time limit of the test.
  it.each([' '.repeat(4_194_304), `${'a'.repeat(4_194_304)}!`, `${'='.repeat(4_194_304)}a`])(
    'is refused in one pass when the header is malformed and has 4 MiB',
    (rest) => {
      expect(refusalOf([`Bearer ${rest}`])).toMatchObject({ reason: 'bearer_malformed' })
    },
  )
})
