import { describe, expect, it } from 'vitest'

import { resourceMetadata } from './resource-metadata.ts'

const issuer = 'https://as.test'

describe('protected resource metadata', () => {
  it.each([
    ['https://api.test', 'https://api.test/.well-known/oauth-protected-resource'],
    ['https://api.test/', 'https://api.test/.well-known/oauth-protected-resource'],
    ['https://api.test/v1', 'https://api.test/.well-known/oauth-protected-resource/v1'],
    ['https://api.test/v1/', 'https://api.test/.well-known/oauth-protected-resource/v1/'],
    ['https://api.test:8443/v1?tenant=7', 'https://api.test:8443/.well-known/oauth-protected-resource/v1?tenant=7'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/.well-known/oauth-protected-resource'],
  ])('of %s is at %s (RFC 9728 §3.1)', (audience, url) => {
    expect(resourceMetadata({ issuer, audience })?.url).toBe(url)
  })

  it('names the authorization server, the bearer methods and the scopes (RFC 9728 §2)', () => {
    const metadata = resourceMetadata({
      issuer,
      audience: 'https://api.test/v1',
      scopes: ['orders.read'],
      name: 'Orders',
      documentation: 'https://docs.test',
    })

    expect(metadata?.path).toBe('/.well-known/oauth-protected-resource/v1')
    expect(JSON.parse(metadata?.document ?? '')).toEqual({
      resource: 'https://api.test/v1',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['orders.read'],
      resource_name: 'Orders',
      resource_documentation: 'https://docs.test',
    })
  })

  it.each([
    [{ dpop: { origin: 'https://api.test' } }, { dpop_bound_access_tokens_required: false }],
    [{ dpop: { origin: 'https://api.test', required: true } }, { dpop_bound_access_tokens_required: true }],
    [{ mutualTls: { certificate: 'tls_socket' } }, { tls_client_certificate_bound_access_tokens: true }],
  ] as const)('describes the support for bound tokens with the options %j (RFC 9728 §2)', (options, expected) => {
    const metadata = resourceMetadata({ issuer, audience: 'https://api.test', ...options })

    const document = JSON.parse(metadata?.document ?? '') as Record<string, unknown>
    expect(document).toMatchObject(expected)
    if ('dpop' in options)
      expect(document['dpop_signing_alg_values_supported']).toEqual(['ES256', 'EdDSA', 'Ed25519', 'PS256'])
    else expect(document).not.toHaveProperty('dpop_signing_alg_values_supported')
  })

  it('contains the identifier exactly as tokens do (RFC 9728 §3.3)', () => {
    expect(JSON.parse(resourceMetadata({ issuer, audience: 'https://API.test/' })?.document ?? '')).toMatchObject({
      resource: 'https://API.test/',
    })
  })

  it('does not exist for an API whose identifier is not a URL (RFC 9728 §1.2)', () => {
    expect(resourceMetadata({ issuer, audience: 'urn:example:orders' })).toBeUndefined()
  })
})
