import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import { checkProfile } from './check-profile.ts'
import type { DoctorTarget } from './target.ts'

const metadata = {
  pushed_authorization_request_endpoint: 'https://as.test/auth/push',
  require_pushed_authorization_requests: true,
  token_endpoint_auth_methods_supported: ['private_key_jwt'],
  dpop_signing_alg_values_supported: ['ES256'],
  id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  request_parameter_supported: true,
  response_modes_supported: ['query', 'jwt'],
}

const refusal = { status: 401, headers: new Headers(), text: '', json: { error: 'invalid_client' } }

/** Returns the names of the checks that fail for a server with changed metadata. */
async function failures(change: object, target: Partial<DoctorTarget> = {}): Promise<readonly string[]> {
  const findings = await checkProfile({
    issuer: 'https://as.test',
    metadata: { ...metadata, ...change },
    options: { profile: 'fapi2_message_signing' },
    probe: () => Promise.resolve(refusal),
    ...target,
  } as DoctorTarget)
  return findings.flatMap(({ level, check }) => (level === 'ok' ? [] : [check]))
}

it('no check fails for a server that meets the requirements of FAPI 2.0 (FAPI 2.0 SP §5.3, MS §5.3)', async () => {
  expect(await failures({})).toEqual([])
})

it.each([
  ['profile.pushed', { pushed_authorization_request_endpoint: undefined }],
  ['profile.push_required', { require_pushed_authorization_requests: false }],
  ['profile.authentication', { token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'] }],
  ['profile.sender', { dpop_signing_alg_values_supported: undefined }],
  ['profile.algorithms', { id_token_signing_alg_values_supported: ['RS256'] }],
  ['profile.pkce', { code_challenge_methods_supported: ['plain'] }],
  ['profile.iss', { authorization_response_iss_parameter_supported: undefined }],
  ['profile.signed_requests', { request_parameter_supported: false }],
  ['profile.signed_responses', { response_modes_supported: ['query'] }],
])('only %s fails if the metadata lacks it (FAPI 2.0 SP §5.3)', async (check, change) => {
  expect(await failures(change)).toEqual([check])
})

it('ignores lists of encryption algorithms (FAPI 2.0 SP §5.4.1)', async () => {
  expect(await failures({ id_token_encryption_alg_values_supported: ['RSA-OAEP-256'] })).toEqual([])
})

it('accepts tokens that are bound to a certificate (RFC 8705 §3)', async () => {
  const change = { dpop_signing_alg_values_supported: undefined, tls_client_certificate_bound_access_tokens: true }

  expect(await failures(change)).toEqual([])
})

it('fails for an issuer without https, and an endpoint that does not respond (FAPI 2.0 SP §5.2.1, RFC 9126 §2.3)', async () => {
  const target = { issuer: 'http://localhost:3000', probe: () => Promise.resolve(undefined) }

  expect(await failures({}, target)).toEqual(['profile.https', 'profile.pushed'])
})

it('checks nothing without a profile', async () => {
  expect(await checkProfile({ options: {} } as DoctorTarget)).toEqual([])
})

describe('the profile mcp', () => {
  const mcp = {
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    client_id_metadata_document_supported: true,
  }
  const requestedUrls: string[] = []
  const target = {
    issuer: 'https://as.test/tenant',
    options: { profile: 'mcp' },
    probe: (url: string) => {
      requestedUrls.push(url)
      return Promise.resolve({ ...refusal, status: 200, json: { issuer: 'https://as.test/tenant' } })
    },
  } as const

  it('has no failures for a server that accepts client metadata documents (MCP 2026-07-28, Authorization)', async () => {
    expect(await failures(mcp, target)).toEqual([])
    expect(requestedUrls).toEqual(['https://as.test/.well-known/oauth-authorization-server/tenant'])
  })

  it.each([
    ['profile.public_clients', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
    ['profile.pkce', { code_challenge_methods_supported: ['plain'] }],
    ['profile.iss', { authorization_response_iss_parameter_supported: undefined }],
    ['profile.clients', { client_id_metadata_document_supported: undefined }],
  ])('only %s fails if the metadata lacks it', async (check, change) => {
    expect(await failures({ ...mcp, ...change }, target)).toEqual([check])
  })

  it('fails if clients cannot find the metadata (RFC 8414 §3.1)', async () => {
    const probe = () => Promise.resolve({ ...refusal, status: 404 })

    expect(await failures(mcp, { ...target, issuer: 'http://as.test', probe })).toEqual([
      'profile.https',
      'profile.metadata',
    ])
  })
})

describe('the profile ipsie', () => {
  const ipsie = { acr_values_supported: ['urn:acr:mfa'], registration_endpoint: 'https://as.test/register' }
  const target = { options: { profile: 'ipsie' } } as const

  it('has no failures for a server that meets the requirements (IPSIE SL1 §3.2.1)', async () => {
    expect(await failures(ipsie, target)).toEqual([])
  })

  it.each([
    ['profile.algorithms', { id_token_signing_alg_values_supported: ['RS256'] }],
    ['profile.pkce', { code_challenge_methods_supported: ['plain'] }],
    ['profile.iss', { authorization_response_iss_parameter_supported: undefined }],
    ['profile.documents', { client_id_metadata_document_supported: true }],
    ['profile.acr', { acr_values_supported: undefined }],
  ])('only %s is reported if the metadata lacks it (IPSIE SL1 §3.2.1)', async (check, change) => {
    expect(await failures({ ...ipsie, ...change }, target)).toEqual([check])
  })

  it('fails if anybody may register a client (IPSIE SL1 §3.2.1)', async () => {
    const probe = () => Promise.resolve({ ...refusal, status: 400 })

    expect(await failures(ipsie, { ...target, probe })).toEqual(['profile.registration'])
  })

  it('fails for a directory with a secret, without a client, or with a client that may do more or does not exist (IPSIE SCIM)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const pair = await generateKeyPair('ES256')
    const client = {
      clientName: 'Directory',
      tokenEndpointAuthMethod: 'private_key_jwt',
      grantTypes: ['client_credentials'],
      jwks: { keys: [{ ...(await exportJWK(pair.publicKey)) }] },
    } as const
    await registerClient({ ...client, clientId: 'good', scopes: ['scim'] }, { storage })
    await registerClient({ ...client, clientId: 'broad', scopes: ['scim', 'api.read'] }, { storage })
    const check = async () => {
      const findings = await checkProfile({
        issuer: 'https://as.test',
        metadata: { ...metadata, ...ipsie },
        probe: () => Promise.resolve(refusal),
        storage,
        ...target,
      } as Partial<DoctorTarget> as DoctorTarget)
      return findings.find(({ check: name }) => name === 'profile.directories')
    }
    await registerIdentityProvider({ providerId: 'a', secret: false, clientIds: ['good'] }, { storage })
    const good = await check()
    await registerIdentityProvider({ providerId: 'b', clientIds: ['broad'] }, { storage })
    await registerIdentityProvider({ providerId: 'c', secret: false }, { storage })
    await registerIdentityProvider({ providerId: 'd', secret: false, clientIds: ['gone'] }, { storage })

    expect(good?.level).toBe('ok')
    expect(await check()).toMatchObject({
      level: 'fail',
      what: 'The directory b has a Secret Token. The client broad of the directory b has no key, or may do more. The directory c has no client. The client gone of the directory d does not exist.',
    })
  })
})
