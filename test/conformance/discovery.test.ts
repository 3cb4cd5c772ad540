import { importJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const metadata = async () => (await site.send({ path: '/.well-known/openid-configuration' })).json

describe('discovery document', () => {
  it('has every required member, with endpoints below the issuer (OIDC Discovery §3)', async () => {
    expect(await metadata()).toMatchObject({
      issuer: 'https://as.test',
      authorization_endpoint: 'https://as.test/auth',
      token_endpoint: 'https://as.test/token',
      userinfo_endpoint: 'https://as.test/userinfo',
      jwks_uri: 'https://as.test/jwks',
      response_types_supported: ['code'],
      subject_types_supported: ['public', 'pairwise'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']) as string[],
    })
  })

  it('lists what is supported (OIDC Discovery §3)', async () => {
    expect(await metadata()).toMatchObject({
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'api.read', 'api.write'],
      response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256', 'RS256']) as string[],
      userinfo_signing_alg_values_supported: ['ES256', 'RS256'],
      claims_parameter_supported: true,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    })
  })

  it('lists the algorithms of client assertions for every endpoint that accepts them (RFC 8414 §2)', async () => {
    const document = await metadata()

    for (const endpoint of ['token', 'introspection', 'revocation']) {
      expect(document[`${endpoint}_endpoint_auth_methods_supported`]).toContain('private_key_jwt')
      expect(document[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(
        expect.arrayContaining(['ES256', 'RS256']) as string[],
      )
    }
  })

  it('has what the host states about its pages, and nothing else (OIDC Discovery §3)', async () => {
    const own = await startServer({
      discovery: {
        acrValues: ['urn:mfa'],
        uiLocales: ['en', 'de-AT'],
        serviceDocumentation: 'https://as.test/docs',
        policyUri: 'https://as.test/policy',
        termsUri: 'https://as.test/terms',
      },
    })
    onTestFinished(() => own.close())
    const stated = {
      acr_values_supported: ['urn:mfa'],
      ui_locales_supported: ['en', 'de-AT'],
      service_documentation: 'https://as.test/docs',
      op_policy_uri: 'https://as.test/policy',
      op_tos_uri: 'https://as.test/terms',
    }

    expect((await own.send({ path: '/.well-known/openid-configuration' })).json).toMatchObject(stated)
    expect(Object.keys(await metadata()).filter((name) => name in stated)).toEqual([])
  })

  it('lists every claim that may be released, each once (OIDC Discovery §3)', async () => {
    const { claims_supported: names } = (await metadata()) as { claims_supported: string[] }

    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining([
        'sub',
        'auth_time',
        'acr',
        'name',
        'birthdate',
        'email',
        'address',
        'phone_number_verified',
      ]),
    )
  })

  it('has no member without a value (RFC 8414 §3.2)', async () => {
    const empty = Object.entries((await metadata()) as Record<string, unknown>).filter(
      ([, value]) => value === null || value === '' || (Array.isArray(value) && value.length === 0),
    )

    expect(empty).toEqual([])
  })

  it('says that request objects are supported only by value, because the default for request_uri is supported (OIDC Discovery §3)', async () => {
    expect(await metadata()).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
    })
  })

  it('lists the OAuth endpoints and methods (RFC 8414 §2)', async () => {
    const document = await metadata()

    expect(document).toMatchObject({
      introspection_endpoint: 'https://as.test/token/introspection',
      revocation_endpoint: 'https://as.test/token/revocation',
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(document['introspection_endpoint_auth_methods_supported']).not.toContain('none')
  })

  it('is JSON with status 200 (OIDC Discovery §4.2)', async () => {
    const reply = await site.send({ path: '/.well-known/openid-configuration' })

    expect([reply.status, reply.header('content-type')]).toEqual([200, 'application/json'])
  })

  it('is found at both well-known paths of an issuer with a path (OIDC Discovery §4.1, RFC 8414 §3.1)', async () => {
    const withPath = await startServer({ issuer: 'https://as.test/tenant/one' })
    const paths = [
      '/tenant/one/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/tenant/one',
      '/.well-known/openid-configuration/tenant/one',
      '/tenant/one/.well-known/oauth-authorization-server',
    ]

    const issuers = await Promise.all(paths.map(async (path) => (await withPath.send({ path })).json['issuer']))

    expect(issuers).toEqual(paths.map(() => 'https://as.test/tenant/one'))
    expect((await withPath.send({ path: '/.well-known/openid-configuration' })).status).toBe(404)
    await withPath.close()
  })
})

describe('key set', () => {
  it('contains only public signing keys, each with kid, alg and use (RFC 7517 §4)', async () => {
    const { keys } = (await site.send({ path: '/jwks' })).json as { keys: Record<string, string>[] }

    // Two keys that were created in the same second have no defined order.
    const inOrder = keys.toSorted((one, other) => ((one['alg'] ?? '') < (other['alg'] ?? '') ? -1 : 1))
    expect(inOrder.map(({ kty, alg, use }) => ({ kty, alg, use }))).toEqual([
      { kty: 'EC', alg: 'ES256', use: 'sig' },
      { kty: 'RSA', alg: 'RS256', use: 'sig' },
    ])
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(2)
    for (const key of keys) {
      expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'].includes(name))).toEqual(
        [],
      )
      await expect(importJWK(key)).resolves.toMatchObject({ type: 'public' })
    }
  })

  it('the RSA key has at least 2048 bits (RFC 7518 §3.3)', async () => {
    const { keys } = (await site.send({ path: '/jwks' })).json as { keys: Record<string, string>[] }

    const modulus = keys.find(({ kty }) => kty === 'RSA')?.['n'] ?? ''

    expect(Buffer.from(modulus, 'base64url').length).toBeGreaterThanOrEqual(256)
  })
})
