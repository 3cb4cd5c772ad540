import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'
import { standardScopes } from '../permissions/scopes.ts'
import { createStoredKeys } from '../keys/stored-keys.ts'
import { type MetadataSources, serverMetadata, wellKnownPaths } from './metadata.ts'

it('lists a claim once when several scopes release it (OIDC Discovery §3)', () => {
  const endpoints = {
    authorization_endpoint: '',
    pushed_authorization_request_endpoint: '',
    token_endpoint: '',
    userinfo_endpoint: '',
    introspection_endpoint: '',
    revocation_endpoint: '',
    jwks_uri: '',
  }
  const staff = { description: 'See your work', claims: ['email', 'department'], idTokenClaims: [], isIdentity: true }
  const sources: MetadataSources = {
    issuer: 'https://as.test',
    endpoints,
    grants: [],
    logout: undefined,
    delivery: undefined,
    mutualTls: undefined,
    clientAuthentication: [],
    acceptsClientDocuments: false,
    requirePushedRequests: false,
    discovery: {},
    detailTypes: new Map(),
    storage: {},
    scopes: new Map([...standardScopes, ['staff', staff]]),
    keys: createStoredKeys({ storage: createMemoryStorage({ issuer: 'https://as.test' }), sealingKey: 'A'.repeat(43) }),
  }

  const { claims_supported: claims } = serverMetadata(sources)

  expect(claims).toContain('department')
  expect(claims).toHaveLength(new Set(claims as readonly string[]).size)
})

it('serves an issuer without a path at one path for each name (OIDC Discovery §4, RFC 8414 §3.1)', () => {
  expect(wellKnownPaths('')).toEqual(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
})

it('serves each discovery document at two paths if the issuer has a path (OIDC Discovery §4, RFC 8414 §3.1)', () => {
  expect(wellKnownPaths('/id')).toEqual([
    '/id/.well-known/openid-configuration',
    '/.well-known/openid-configuration/id',
    '/id/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/id',
  ])
})
