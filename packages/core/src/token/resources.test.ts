import { seconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { resolveTarget, type Resource, type TokenTargetDependencies } from './grant.ts'

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

describe('the target of an access token', () => {
  it('has the default audience and every scope without a resource (RFC 8707 §2)', () => {
    expect(resolveTarget({ scopes: ['a:read'], resources: [] }, deps)).toEqual({
      audience: ['https://default.test'],
      scopes: ['a:read'],
      lifetime: 600,
      format: 'jwt',
    })
  })

  it('adds the userinfo endpoint as an audience with openid (OIDC Core §5.3)', () => {
    const { audience } = resolveTarget({ scopes: ['openid'], resources: ['a'] }, deps)

    expect(audience).toEqual(['a', 'https://as.test'])
  })

  it('drops scopes of other resources, and keeps identity scopes (RFC 8707 §2.2)', () => {
    const { scopes } = resolveTarget({ scopes: ['openid', 'profile', 'a:read', 'b:read'], resources: ['a'] }, deps)

    expect(scopes).toEqual(['openid', 'profile', 'a:read'])
  })

  it('is not widened to the default audience when the granted resource is no longer registered (RFC 8707 §2.2)', () => {
    expect(() => resolveTarget({ scopes: ['openid', 'a:read'], resources: ['gone'] }, deps)).toThrow(
      expect.objectContaining({ code: 'invalid_target', reason: 'resource_unknown' }),
    )
    expect(resolveTarget({ scopes: ['a:read'], resources: ['gone', 'a'] }, deps).audience).toEqual(['a'])
  })

  it('has all audiences, the shortest lifetime, and is opaque when one of several resources requires it', () => {
    const target = resolveTarget({ scopes: [], resources: ['a', 'b', 'c'] }, deps)

    expect(target).toEqual({ audience: ['a', 'b', 'c'], scopes: [], lifetime: 60, format: 'opaque' })
  })
})
