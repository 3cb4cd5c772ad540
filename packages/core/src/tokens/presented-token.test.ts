import { describe, expect, it } from 'vitest'

import { refuse } from '../refusals.ts'
import { renderBearerError } from '../errors.ts'
import { readAccessToken } from './presented-token.ts'

const form = 'application/x-www-form-urlencoded'

function aRequest(change: {
  readonly method?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly repeated?: readonly string[]
  readonly body?: string
}) {
  return {
    method: change.method ?? 'GET',
    url: new URL(`https://as.test/userinfo${change.query ?? ''}`),
    headers: new Map(Object.entries(change.headers ?? {})),
    repeatedHeaders: new Set(change.repeated ?? []),
    body: new TextEncoder().encode(change.body ?? ''),
    host: undefined,
  }
}

describe('the bearer token of a request', () => {
  it.each([
    ['the Authorization header', aRequest({ headers: { authorization: 'Bearer abc' } })],
    ['a header with a scheme in lower case', aRequest({ headers: { authorization: 'bearer  abc' } })],
    ['the form of a POST', aRequest({ method: 'POST', headers: { 'content-type': form }, body: 'access_token=abc' })],
  ])('is read from %s (RFC 6750 §2)', (_case, request) => {
    expect(readAccessToken(request)).toEqual({ scheme: 'Bearer', accessToken: 'abc' })
  })

  it('is undefined when there is none (RFC 6750 §3.1)', () => {
    expect(readAccessToken(aRequest({}))).toBeUndefined()
    expect(readAccessToken(aRequest({ headers: { 'content-type': form }, body: 'access_token=abc' }))).toBeUndefined()
  })

  it.each([
    ['in the query', aRequest({ query: '?access_token=abc' }), 'bearer_in_query'],
    [
      'in header and form',
      aRequest({
        method: 'POST',
        headers: { authorization: 'Bearer abc', 'content-type': form },
        body: 'access_token=abc',
      }),
      'bearer_twice',
    ],
    [
      'in two headers',
      aRequest({ headers: { authorization: 'Bearer abc' }, repeated: ['authorization'] }),
      'bearer_twice',
    ],
    ['in another scheme', aRequest({ headers: { authorization: 'Basic abc' } }), 'bearer_malformed'],
    ['with other characters', aRequest({ headers: { authorization: 'Bearer a b' } }), 'bearer_malformed'],
  ])('is refused %s (RFC 6750 §2, RFC 9700 §4.3.2)', (_case, request, reason) => {
    expect(() => readAccessToken(request)).toThrow(expect.objectContaining({ reason }) as Error)
  })
})

describe('the error response of userinfo', () => {
  it('is a bare challenge of each scheme when there was no token (RFC 6750 §3.1, RFC 9449 §7.1)', () => {
    const { status, headers, body } = renderBearerError('userinfo')(refuse('bearer_missing'), aRequest({}))

    expect([status, body]).toEqual([401, '{}'])
    expect(headers.filter(([name]) => name === 'WWW-Authenticate').map(([, value]) => value)).toEqual([
      'Bearer realm="userinfo"',
      'DPoP algs="ES256 EdDSA Ed25519 PS256"',
    ])
  })

  it('names the required scope (RFC 6750 §3.1)', () => {
    const { status, headers } = renderBearerError('userinfo')(
      refuse('openid_not_granted', { clientId: 'A', userId: 'U1', grantedScopes: [] }),
      aRequest({}),
    )

    expect(status).toBe(403)
    expect(new Map(headers).get('WWW-Authenticate')).toMatch(/error="insufficient_scope".*scope="openid"/)
  })
})
