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
    'is missing in %j, which is another scheme (RFC 6750 §3.1)',
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
  ])('%j are two credentials (RFC 9110 §5.3)', (...authorization) => {
    expect(refusalOf(authorization)).toMatchObject({ code: 'invalid_request', reason: 'bearer_twice' })
  })

  // A pattern that backtracks would run for hours here, which the time limit of the test ends.
  it.each([' '.repeat(4_194_304), `${'a'.repeat(4_194_304)}!`, `${'='.repeat(4_194_304)}a`])(
    'reads a header of 4 MiB in one pass (RFC 8725 §3.10)',
    (rest) => {
      expect(refusalOf([`Bearer ${rest}`])).toMatchObject({ reason: 'bearer_malformed' })
    },
  )
})
