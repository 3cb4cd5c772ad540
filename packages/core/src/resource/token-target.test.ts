import { seconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { resolveTarget, type TokenTargetDependencies } from './token-target.ts'
import type { Resource } from './resource.ts'

const resource = (uri: string, change: Partial<Resource> = {}): readonly [string, Resource] => [
  uri,
  { uri, scopes: [`${uri}:read`], accessTokenLifetime: seconds(600), accessTokenFormat: 'jwt', ...change },
]

const deps: TokenTargetDependencies = {
  issuer: 'https://as.test',
  defaultAudience: 'https://default.test',
  accessTokenLifetime: seconds(600),
  identityScopes: new Set(['openid', 'profile']),
  resources: new Map([
    resource('a'),
    resource('b', { accessTokenLifetime: seconds(60) }),
    resource('c', { accessTokenFormat: 'opaque' }),
  ]),
}

describe('what an access token is for', () => {
  it('RFC 8707 §2: without a resource, the default audience and every scope', () => {
    expect(resolveTarget({ scopes: ['a:read'], resources: [] }, deps)).toEqual({
      audience: ['https://default.test'],
      scopes: ['a:read'],
      lifetime: 600,
      format: 'jwt',
    })
  })

  it('OIDC Core §5.3: with openid the userinfo endpoint is an audience too', () => {
    const { audience } = resolveTarget({ scopes: ['openid'], resources: ['a'] }, deps)

    expect(audience).toEqual(['a', 'https://as.test'])
  })

  it('RFC 8707 §2.2: scopes of other resources stay behind, those about the person go along', () => {
    const { scopes } = resolveTarget({ scopes: ['openid', 'profile', 'a:read', 'b:read'], resources: ['a'] }, deps)

    expect(scopes).toEqual(['openid', 'profile', 'a:read'])
  })

  it('RFC 8707 §2.2: a grant for a resource that is no longer registered is not widened to the default audience', () => {
    expect(() => resolveTarget({ scopes: ['openid', 'a:read'], resources: ['gone'] }, deps)).toThrow(
      expect.objectContaining({ code: 'invalid_target', reason: 'resource_unknown' }),
    )
    expect(resolveTarget({ scopes: ['a:read'], resources: ['gone', 'a'] }, deps).audience).toEqual(['a'])
  })

  it('several resources: all audiences, the shortest lifetime, opaque when one of them wants it', () => {
    const target = resolveTarget({ scopes: [], resources: ['a', 'b', 'c'] }, deps)

    expect(target).toEqual({ audience: ['a', 'b', 'c'], scopes: [], lifetime: 60, format: 'opaque' })
  })
})
