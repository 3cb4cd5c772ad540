import { seconds } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { describe, expect, it } from 'vitest'

import {
  requestedResources,
  resolveTarget,
  type Resource,
  type TokenTargetDependencies,
  usableScopes,
} from './resources.ts'

const resource = (uri: string, change: Partial<Resource> = {}): readonly [string, Resource] => [
  uri,
  { uri, name: uri, scopes: [`${uri}:read`], accessTokenLifetime: seconds(600), accessTokenFormat: 'jwt', ...change },
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

const client = aClientRecord({ scopes: ['openid', 'profile', 'a:read', 'b:read', 'c:read', 'own'] })

describe('the target of an access token', () => {
  it('has the default audience and every scope without a resource (RFC 8707 §2)', () => {
    expect(resolveTarget({ scopes: ['a:read'], resources: [], client }, deps)).toEqual({
      audience: ['https://default.test'],
      scopes: ['a:read'],
      lifetime: 600,
      format: 'jwt',
    })
  })

  it('adds the userinfo endpoint as an audience with openid if no resource was named (OIDC Core §5.3)', () => {
    const { audience } = resolveTarget({ scopes: ['openid'], resources: [], client }, deps)

    expect(audience).toEqual(['https://default.test', 'https://as.test'])
  })

  it('drops scopes of other resources, and keeps identity scopes (RFC 8707 §2.2)', () => {
    const { scopes } = resolveTarget(
      { scopes: ['openid', 'profile', 'a:read', 'b:read'], resources: ['a'], client },
      deps,
    )

    expect(scopes).toEqual(['openid', 'profile', 'a:read'])
  })

  it('is not widened to the default audience when the granted resource is no longer registered (RFC 8707 §2.2)', () => {
    expect(() => resolveTarget({ scopes: ['openid', 'a:read'], resources: ['gone'], client }, deps)).toThrow(
      expect.objectContaining({ code: 'invalid_target', reason: 'resource_unknown' }),
    )
    expect(resolveTarget({ scopes: ['a:read'], resources: ['gone', 'a'], client }, deps).audience).toEqual(['a'])
  })

  it('has all audiences, the shortest lifetime, and is opaque when one of several resources requires it', () => {
    const target = resolveTarget({ scopes: [], resources: ['a', 'b', 'c'], client }, deps)

    expect(target).toEqual({ audience: ['a', 'b', 'c'], scopes: [], lifetime: 60, format: 'opaque' })
  })

  it('is the named resource alone, even with openid (RFC 8707 §2.2)', () => {
    const target = resolveTarget({ scopes: ['openid', 'a:read'], resources: ['a'], client }, deps)

    expect(target).toMatchObject({ audience: ['a'], scopes: ['openid', 'a:read'] })
  })

  it('is this server alone when the request names this server as the resource (RFC 8707 §2.2)', () => {
    const target = resolveTarget({ scopes: ['openid', 'a:read', 'own'], resources: [deps.issuer], client }, deps)

    expect(target).toMatchObject({ audience: [deps.issuer], scopes: ['openid'], lifetime: 600 })
  })

  it('excludes an API that the client may no longer request tokens for (RFC 8707 §2)', () => {
    const scopes = ['a:read', 'b:read']
    const narrowed = { ...client, resources: ['a'] }

    expect(resolveTarget({ scopes, resources: ['a', 'b'], client: narrowed }, deps)).toMatchObject({
      audience: ['a'],
      scopes: ['a:read'],
    })
    expect(() => resolveTarget({ scopes, resources: ['b'], client: narrowed }, deps)).toThrow(
      expect.objectContaining({ code: 'invalid_target', reason: 'resource_unknown' }),
    )
  })
})

describe('the resources of a request', () => {
  const resourcesOf = (named: readonly string[], scopes: readonly string[], change = {}) =>
    requestedResources({ named, scopes, client: { ...client, ...change } }, deps)

  it('are the resources that it names, if the client is registered for one of their scopes (RFC 8707 §2)', () => {
    expect(resourcesOf(['a', 'a', 'b'], ['openid'])).toEqual(['a', 'b'])
    expect(() => resourcesOf(['a'], ['openid'], { scopes: ['openid', 'b:read'] })).toThrow(
      expect.objectContaining({ code: 'invalid_target', reason: 'resource_not_registered' }),
    )
  })

  it('are at most 32 (RFC 8707 §2)', () => {
    const uris = Array.from({ length: 33 }, (_, number) => `api-${number}`)
    const scopes = uris.map((uri) => `${uri}:read`)
    const many = { ...deps, resources: new Map(uris.map((uri) => resource(uri))) }
    const resourcesOfMany = (named: readonly string[]) =>
      requestedResources({ named, scopes, client: { ...client, scopes } }, many)

    expect(resourcesOfMany(uris.slice(0, 32))).toEqual(uris.slice(0, 32))
    for (const tooMany of [uris, Array<string>(33).fill('api-0')])
      expect(() => resourcesOfMany(tooMany)).toThrow(
        expect.objectContaining({ code: 'invalid_target', reason: 'resource_unknown' }),
      )
  })

  it('are only resources that the client is registered for, if it is registered for any (RFC 8707 §2)', () => {
    expect(resourcesOf(['b'], ['openid'], { resources: ['b'], scopes: ['openid'] })).toEqual(['b'])
    expect(() => resourcesOf(['a'], ['a:read'], { resources: ['b'] })).toThrow(
      expect.objectContaining({ reason: 'resource_not_registered' }),
    )
    expect(() => resourcesOf(['b'], ['b:read'], { resources: [] })).toThrow(
      expect.objectContaining({ reason: 'resource_not_registered' }),
    )
  })

  it.each([
    ['the one API that defines all requested scopes', ['a:read'], {}, ['a']],
    ['that API and this server, with openid', ['openid', 'profile', 'a:read'], {}, ['a', 'https://as.test']],
    ['none, if two APIs define the scopes', ['a:read', 'b:read'], {}, []],
    ['none, if no API defines one of the scopes', ['a:read', 'own'], {}, []],
    ['none, with identity scopes only', ['openid', 'profile'], {}, []],
    ['none, if the client is not registered for the API', ['a:read'], { resources: ['b'] }, []],
  ])('default to %s (RFC 8707 §2)', (_, scopes, change, expected) => {
    expect(resourcesOf([], scopes, change)).toEqual(expected)
  })

  it('default to none if two APIs share the scope and the client is not registered for one of them (RFC 8707 §2)', () => {
    const shared = { ...deps, resources: new Map([resource('a'), resource('d', { scopes: ['a:read'] })]) }
    const request = { named: [], scopes: ['a:read'], client }

    expect(requestedResources(request, shared)).toEqual([])
    expect(requestedResources({ ...request, client: { ...client, resources: ['d'] } }, shared)).toEqual(['d'])
  })
})

describe('the scope values that tokens for an API can have', () => {
  it.each([
    ['its own, and identity scopes', ['openid', 'a:read', 'b:read'], ['a'], ['openid', 'a:read']],
    ['the scope values of all APIs of the token', ['a:read', 'b:read', 'own'], ['a', 'b'], ['a:read', 'b:read']],
    ['all requested scope values, without a resource', ['a:read', 'own'], [], ['a:read', 'own']],
    ['none, when none is requested', [], ['a'], []],
  ])('are %s (RFC 8707 §2)', (_, scopes, resources, expected) => {
    expect(usableScopes(scopes, { resources }, deps)).toEqual(expected)
  })

  it('need to be only openid at this server, even where clients manage their grants (OIDC Core §5.3)', () => {
    const managing = { ...deps, resources: new Map([...deps.resources, resource(deps.issuer)]) }
    const resources = ['a', deps.issuer]

    expect(usableScopes(['openid', 'a:read'], { resources }, managing)).toEqual(['openid', 'a:read'])
    expect(() => usableScopes(['a:read'], { resources }, managing)).toThrow(
      expect.objectContaining({ code: 'invalid_target', reason: 'resource_without_scope' }),
    )
  })
})
