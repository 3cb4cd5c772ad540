import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { OAuthError } from '../refusals.ts'
import { isEssential, keepClaims, parseClaimsRequest, requestedClaimNames, requestedValues } from './scopes.ts'

describe('the claims parameter', () => {
  it.each([
    '[]',
    '"x"',
    '{',
    'null',
    '1',
    '{"id_token":[]}',
    '{"id_token":"x"}',
    '{"userinfo":{"name":1}}',
    '{"userinfo":{"name":[]}}',
    '{"id_token":{"acr":{"essential":"true"}}}',
    '{"id_token":{"acr":{"essential":null}}}',
    '{"id_token":{"sub":{"values":"U1"}}}',
    '{"userinfo":{"name":true}}',
  ])('refuses %s (OIDC Core §5.5)', (text) => {
    expect(() => parseClaimsRequest(text)).toThrow(OAuthError)
  })

  it('reads names, values and essential members (OIDC Core §5.5)', () => {
    const request = parseClaimsRequest(
      '{"userinfo":{"name":null},"id_token":{"acr":{"essential":true,"values":["a","b"]},"sub":{"value":"U1"}},"other":1}',
    )

    expect(requestedClaimNames(request, 'userinfo')).toEqual(['name'])
    expect(requestedValues(request, 'id_token', 'acr')).toEqual(['a', 'b'])
    expect(requestedValues(request, 'id_token', 'sub')).toEqual(['U1'])
    expect(requestedValues(request, 'userinfo', 'name')).toBeUndefined()
    expect([isEssential(request, 'id_token', 'acr'), isEssential(request, 'id_token', 'sub')]).toEqual([true, false])
  })

  it('keeps only the claims that the user consented to', () => {
    const request = parseClaimsRequest('{"userinfo":{"name":null,"email":null},"id_token":{"email":null}}')

    expect(keepClaims(request, new Set(['name']))).toEqual({ userinfo: { name: null }, id_token: {} })
  })

  it('law: any string is parsed or refused, and never changes Object.prototype', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.constant('{"__proto__":{"id_token":{}},"id_token":{"__proto__":null}}')),
        (text) => {
          try {
            const request = parseClaimsRequest(text)
            requestedClaimNames(request, 'id_token')
            requestedValues(request, 'id_token', 'constructor')
          } catch (error) {
            expect(error).toBeInstanceOf(OAuthError)
          }
          expect(Object.hasOwn(Object.prototype, 'id_token')).toBe(false)
        },
      ),
    )
  })
})
