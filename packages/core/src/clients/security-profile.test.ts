import type { ClientRecord } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { contradictions, permittedAlgorithm, profileRules } from './security-profile.ts'
import { registerClient } from './registration.ts'
import { updateClient } from './update.ts'

const issuer = 'https://as.test'
const standard = { minimumProfile: 'standard' } as const

describe('the rules for a client', () => {
  it.each([
    ['standard', 'standard', false, false],
    ['standard', 'fapi2', true, false],
    ['fapi2', 'standard', true, false],
    ['fapi2', 'fapi2_message_signing', true, true],
    ['fapi2_message_signing', 'fapi2', true, true],
  ] as const)(
    'with the profile %s at a server with the minimum profile %s require pushed requests: %s, request objects: %s',
    (profile, minimumProfile, pushed, signed) => {
      const rules = profileRules(aClientRecord({ profile }), { minimumProfile })

      expect([rules.requiresPushedRequests, rules.requiresRequestObjects]).toEqual([pushed, signed])
    },
  )

  it.each(['FAPI2', '', 'constructor', 'fapi3'])('with the unknown profile %j are the strictest', (profile) => {
    const rules = profileRules(aClientRecord({ profile }), standard)

    expect(rules).toBe(profileRules(aClientRecord({ profile: 'fapi2_message_signing' }), standard))
  })

  it.each(['fapi2', 'fapi2_message_signing'] as const)(
    'with the profile %s forbid RS256, and require bound tokens, PKCE and pushed requests (FAPI 2.0 SP §5.3.2, §5.4.1)',
    (profile) => {
      expect(profileRules(aClientRecord({ profile }), standard)).toMatchObject({
        algorithms: ['PS256', 'ES256', 'EdDSA', 'Ed25519'],
        authenticationMethods: ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'],
        requiresPushedRequests: true,
        requiresSenderConstraint: true,
        rotatesRefreshTokens: false,
        requiresPkce: true,
        requiresStringAudience: true,
        longestCodeLifetime: 60,
        longestPushedRequestLifetime: 599,
      })
    },
  )
})

describe('the rules of the profile mcp', () => {
  it('require PKCE, a resource, and a client without a shared secret (MCP 2026-07-28, Authorization)', () => {
    expect(profileRules(aClientRecord({ profile: 'mcp' }), standard)).toMatchObject({
      authenticationMethods: ['none', 'private_key_jwt'],
      requiresPkce: true,
      requiresResource: true,
      rotatesRefreshTokens: true,
      requiresPushedRequests: false,
      algorithms: undefined,
    })
  })

  it.each([
    ['mcp', 'fapi2'],
    ['fapi2', 'mcp'],
  ] as const)(
    'apply to a client with the profile %s together with the rules of the minimum profile %s',
    (profile, minimumProfile) => {
      expect(profileRules(aClientRecord({ profile }), { minimumProfile })).toMatchObject({
        authenticationMethods: ['private_key_jwt'],
        requiresResource: true,
        requiresPushedRequests: true,
        requiresSenderConstraint: true,
        longestCodeLifetime: 60,
        longestPushedRequestLifetime: 599,
      })
    },
  )

  it('forbid a client secret', async () => {
    const storage = createMemoryStorage({ issuer })
    const registration = { clientName: 'A', profile: 'mcp', redirectUris: ['https://a.test/cb'] } as const

    await expect(registerClient(registration, { storage })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      description:
        'The registration contradicts the profile mcp: token_endpoint_auth_method must be one of none, private_key_jwt.',
    })
    expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
  })
})

describe('a registration that contradicts its profile', () => {
  it('is rejected with all reasons at once (FAPI 2.0 SP §5.3.2)', async () => {
    const storage = createMemoryStorage({ issuer })
    const registration = {
      clientId: 'bank',
      clientName: 'Bank',
      profile: 'fapi2',
      redirectUris: ['https://bank.test/cb'],
      grantTypes: ['authorization_code', 'refresh_token'],
      allowTokenEndpointAudience: true,
      idTokenSignedResponseAlg: 'RS256',
      userinfoSignedResponseAlg: 'RS256',
      authorizationSignedResponseAlg: 'RS256',
      introspectionSignedResponseAlg: 'RS256',
    } as const

    const rejected = registerClient(registration, { storage })

    await expect(rejected).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    const { description } = (await rejected.catch((error: unknown) => error)) as { readonly description: string }
    for (const member of [
      'token_endpoint_auth_method',
      'allow_token_endpoint_audience',
      'id_token_signed_response_alg',
      'userinfo_signed_response_alg',
      'authorization_signed_response_alg',
      'introspection_signed_response_alg',
      'dpop_bound_access_tokens',
    ])
      expect(description).toContain(member)
    expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
  })

  it('is rejected when a client is updated, and the client stays unchanged', async () => {
    const storage = createMemoryStorage({ issuer })
    const { client } = await registerClient({ clientName: 'A', redirectUris: ['https://a.test/cb'] }, { storage })

    const changed = updateClient({ clientId: client.clientId }, { profile: 'fapi2' }, { storage })

    await expect(changed).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    expect(await storage.clients.find(client.clientId)).toEqual(client)
  })

  it('is reported for a request object algorithm that the profile does not permit', () => {
    const client = aClientRecord({ profile: 'fapi2', requestObjectSigningAlg: 'RS256' })

    expect(contradictions(client, profileRules(client, standard)).join()).toContain('request_object_signing_alg')
  })

  it('is reported for backchannel requests that are not signed (FAPI-CIBA §5.2.2)', () => {
    const grantTypes = ['urn:openid:params:grant-type:ciba']
    const reported = (change: Partial<ClientRecord>): string => {
      const client = aClientRecord({ profile: 'fapi2', grantTypes, ...change })
      return contradictions(client, profileRules(client, standard)).join()
    }

    const name = 'backchannel_authentication_request_signing_alg'
    expect(reported({})).toContain(`${name} must be set`)
    expect(reported({ backchannelAuthenticationRequestSigningAlg: 'RS256' })).toContain(`${name} must be one of`)
    expect(reported({ backchannelAuthenticationRequestSigningAlg: 'ES256' })).not.toContain(name)
  })

  it('cannot occur with the profile standard', () => {
    const client = aClientRecord({ allowTokenEndpointAudience: true, idTokenSignedResponseAlg: 'RS256' })

    expect(contradictions(client, profileRules(client, standard))).toEqual([])
  })
})

describe('the signing algorithm for a client', () => {
  const rules = profileRules(aClientRecord({ profile: 'fapi2' }), standard)

  it('is the preferred algorithm if the profile permits it', () => {
    expect(permittedAlgorithm('PS256', rules, { algorithms: ['ES256', 'PS256'] })).toBe('PS256')
  })

  it('is another algorithm of the key ring if the profile forbids the preferred one (FAPI 2.0 SP §5.4.1)', () => {
    expect(permittedAlgorithm('RS256', rules, { algorithms: ['RS256', 'ES256'] })).toBe('ES256')
  })

  it('cannot be chosen if the key ring has no permitted algorithm', () => {
    expect(() => permittedAlgorithm('RS256', rules, { algorithms: ['RS256'] })).toThrow('unauthorized_client')
  })
})
