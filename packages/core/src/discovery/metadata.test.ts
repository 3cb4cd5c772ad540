import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'
import { standardScopes } from '../permissions/scopes.ts'
import { minimumRules } from '../clients/security-profile.ts'
import { createStoredKeys } from '../keys/stored-keys.ts'
import { type MetadataSources, serverMetadata, wellKnownPaths } from './metadata.ts'

/** Returns the registries of a server. */
function sourcesWith(change: Partial<MetadataSources> = {}): MetadataSources {
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
  return {
    issuer: 'https://as.test',
    minimumProfile: 'standard',
    endpoints,
    grants: [],
    ciba: undefined,
    pings: undefined,
    logout: undefined,
    sendsLogouts: false,
    mutualTls: undefined,
    clientAuthentication: [],
    acceptsClientDocuments: false,
    crossAppAccess: { accepts: false, issues: false },
    requirePushedRequests: false,
    discovery: {},
    detailTypes: new Map(),
    storage: {},
    scopes: new Map([...standardScopes, ['staff', staff]]),
    keys: createStoredKeys({ storage: createMemoryStorage({ issuer: 'https://as.test' }), sealingKey: 'A'.repeat(43) }),
    ...change,
  }
}

it('lists a claim once when several scopes release it (OIDC Discovery §3)', () => {
  const { claims_supported: claims } = serverMetadata(sourcesWith())

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

it.each(['fapi2', 'fapi2_message_signing', 'mcp', 'standard'] as const)(
  'lists with the minimum profile %s only what the profile permits (RFC 8414 §2)',
  (minimumProfile) => {
    const methods = (['client_secret_basic', 'private_key_jwt', 'none'] as const).map((method) => ({
      method,
      read: () => undefined,
    }))
    const { authenticationMethods, algorithms } = minimumRules({ minimumProfile })

    const document = serverMetadata(sourcesWith({ minimumProfile, clientAuthentication: methods }))

    const listed = (ending: string) =>
      Object.entries(document).flatMap(([name, value]) =>
        name.endsWith(ending) && !name.startsWith('dpop_') && Array.isArray(value) ? value.map(String) : [],
      )
    for (const method of listed('auth_methods_supported')) expect(authenticationMethods ?? [method]).toContain(method)
    for (const name of listed('signing_alg_values_supported')) expect(algorithms ?? [name]).toContain(name)
    expect(document['token_endpoint_auth_methods_supported']).toContain('private_key_jwt')
    expect(document['request_object_signing_alg_values_supported']).toContain('ES256')
  },
)
