import { describe, expect, it } from 'vitest'

import { readBearerToken } from './bearer-token.ts'

const refusalOf = (authorization: readonly string[]): unknown => {
  try {
    return readBearerToken(authorization)
  } catch (error) {
    return error
  }
}

describe('the bearer token of a request', () => {
  it.each(['Bearer abc.DEF-_~+/=', 'bearer abc.DEF-_~+/=', 'BEARER   abc.DEF-_~+/='])('RFC 6750 §2.1: %s', (value) => {
    expect(readBearerToken([value])).toBe('abc.DEF-_~+/=')
  })

  it.each([[], ['Basic QTpi'], ['DPoP abc'], ['Bearerabc'], [''], ['token abc']])(
    'RFC 6750 §3.1: %j has none, and authenticates in no way that is known here',
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
  ])('RFC 6750 §2.1: %j is malformed', (value) => {
    expect(refusalOf([value])).toMatchObject({ code: 'invalid_token', reason: 'bearer_malformed' })
  })

  it.each([
    ['Bearer a', 'Bearer a'],
    ['Bearer a', 'Basic b'],
    ['Basic b', 'Bearer a'],
  ])('RFC 9110 §5.3: %j are two credentials', (...authorization) => {
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
