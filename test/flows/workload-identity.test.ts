import {
  githubActions,
  kubernetesServiceAccount,
  registerClient,
  spiffeWorkload,
  type ClientRegistration,
} from '@mintmark/core'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  registerDeployment,
  registerPod,
  registerWorkload,
} from '../../docs/snippets/deploy-keys-without-secrets/register.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { encode, postForm, type Change } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const bearerType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const cluster = 'https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C'

let site: ServerUnderTest
let platform: { readonly privateKey: CryptoKey; readonly jwk: JWK }
let fetched: string[]
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  platform = { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: 'platform-1', alg: 'RS256', use: 'sig' } }
  fetched = []
  site = await startServer({
    fetch: (input) => {
      fetched.push(String(input instanceof Request ? input.url : input))
      return Promise.resolve(Response.json({ keys: [platform.jwk] }))
    },
    rateLimits: { failedAuthentications: { consume: () => Promise.resolve({ allowed: true }) } },
  })
  const svidKey = { ...platform.jwk, use: 'jwt-svid' }
  await register('github', githubActions({ repositoryId: 1296269, environment: 'production' }))
  await register('release', githubActions({ repositoryId: 1296269, ref: 'refs/heads/main' }))
  await register(
    'pod',
    kubernetesServiceAccount({ issuer: cluster, namespace: 'billing', name: 'worker', jwksUri: `${cluster}/keys` }),
  )
  await register('mesh', spiffeWorkload({ id: 'spiffe://prod.example.com/billing', jwks: { keys: [svidKey] } }))
})
afterAll(() => site.close())

const register = (clientId: string, workload: Partial<ClientRegistration>) =>
  registerClient(
    { clientId, clientName: clientId, grantTypes: ['client_credentials'], scopes: ['api.read'], ...workload },
    { storage: site.storage, clientRules: site.server.clientRules },
  )

/** The claims that each platform documents for its JWTs. */
const tokens = {
  github: () => ({
    iss: 'https://token.actions.githubusercontent.com',
    sub: 'repo:octocat/hello-world:environment:production',
    repository: 'octocat/hello-world',
    repository_id: '1296269',
    repository_owner_id: '583231',
    environment: 'production',
    ref: 'refs/heads/main',
    event_name: 'push',
    jti: 'example-id',
    ...times(300),
  }),
  release: () => ({ ...tokens.github(), environment: undefined, sub: 'repo:octocat/hello-world:ref:refs/heads/main' }),
  pod: () => ({
    iss: cluster,
    sub: 'system:serviceaccount:billing:worker',
    aud: [site.issuer],
    'kubernetes.io': { namespace: 'billing', serviceaccount: { name: 'worker', uid: '1' } },
    ...times(3607),
    nbf: site.clock.now(),
  }),
  mesh: () => ({ sub: 'spiffe://prod.example.com/billing', ...times(300) }),
}

const times = (lifetime: number) => ({ iat: site.clock.now(), exp: site.clock.now() + lifetime })

const sign = (claims: object, key = platform.privateKey): Promise<string> =>
  new SignJWT({ aud: site.issuer, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'platform-1', typ: 'JWT' })
    .sign(key)

const ask = (clientId: string, assertion: string, change: Change = {}) =>
  postForm(
    site,
    '/token',
    encode({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_assertion_type: bearerType,
      client_assertion: assertion,
      ...change,
    }),
    {},
  )

const names = ['github', 'release', 'pod', 'mesh'] as const

describe('workload identity', () => {
  it.each(names)('authenticates %s by the JWT of its platform, as often as it is sent (RFC 7523 §3)', async (name) => {
    const assertion = await sign(tokens[name]())

    const replies = [await ask(name, assertion), await ask(name, assertion)]

    expect(replies.map(({ status, json }) => [status, json['scope']])).toEqual([
      [200, 'api.read'],
      [200, 'api.read'],
    ])
  })

  it('accepts a JWT-SVID under its own assertion type (OAuth SPIFFE Client Authentication §3.1)', async () => {
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe'

    const reply = await ask('mesh', await sign(tokens.mesh()), { client_assertion_type: type })

    expect(reply.status).toBe(200)
  })

  it('reads the keys of a platform from the registered address only, and once (RFC 8725 §3.10)', async () => {
    await ask('pod', await sign({ ...tokens.pod(), iss: 'https://attacker.test' }))

    expect(new Set(fetched)).toEqual(
      new Set([`${cluster}/keys`, 'https://token.actions.githubusercontent.com/.well-known/jwks']),
    )
    expect(fetched).toHaveLength(2)
  })

  it.each([
    ['of another repository with the same name', 'github', { repository_id: '2' }, 'repository_id'],
    ['of another environment', 'github', { environment: 'staging' }, 'environment'],
    ['without an environment', 'github', { environment: undefined }, 'environment'],
    ['of another branch', 'release', { ref: 'refs/heads/main2' }, 'ref'],
    ['of a pull request to the branch', 'release', { sub: 'repo:octocat/hello-world:pull_request' }, 'sub'],
    ['with a number in place of a string', 'github', { repository_id: 1296269 }, 'repository_id'],
    ['of another service account', 'pod', { sub: 'system:serviceaccount:billing:default' }, 'sub'],
    ['of another cluster', 'pod', { iss: 'https://oidc.eks.eu-west-1.amazonaws.com/id/OTHER' }, 'iss'],
    ['of another workload of the trust domain', 'mesh', { sub: 'spiffe://prod.example.com/billing/x' }, 'sub'],
  ] as const)('refuses a JWT %s, and its event names the claim (RFC 7523 §3)', async (_of, name, change, claim) => {
    const assertion = await sign({ ...tokens[name](), ...change })

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => ask(name, assertion), reason: 'client_workload_wrong' },
    )

    expect(site.events.at(-1)).toMatchObject({ context: { clientId: name, workload: { claim } } })
  })

  it.each([
    ['for another server', { aud: 'https://github.com/octocat' }, 'client_assertion_audience'],
    ['for two servers', { aud: ['https://as.test', 'https://other.test'] }, 'client_assertion_audience'],
    ['for the token endpoint', { aud: 'https://as.test/token' }, 'client_assertion_audience'],
    ['that has expired', { exp: 1_789_999_999 }, 'client_credentials_wrong'],
    ['that is valid for two hours', { exp: 1_790_007_200 }, 'client_credentials_wrong'],
    ['without an end', { exp: undefined }, 'client_credentials_wrong'],
    ['of the future', { iat: 1_790_000_100 }, 'client_credentials_wrong'],
  ] as const)('refuses a JWT %s (RFC 7523 §3)', async (_which, change, reason) => {
    const assertion = await sign({ ...tokens.pod(), ...change })

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => ask('pod', assertion), reason },
    )
  })

  it('refuses a JWT that the platform did not sign (RFC 7523 §3)', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const assertion = await sign(tokens.mesh(), privateKey)

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => ask('mesh', assertion), reason: 'client_credentials_wrong' },
    )
  })

  it('refuses an assertion about the client itself, because the platform does not know its name (RFC 7523 §3)', async () => {
    const assertion = await sign({ iss: 'mesh', sub: 'mesh', jti: 'own', ...times(60) })

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => ask('mesh', assertion), reason: 'client_workload_wrong' },
    )
  })

  it('refuses the JWT of a platform for a client that signs its own assertions (RFC 7523 §3)', async () => {
    const assertion = await sign(tokens.mesh())

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => ask('B', assertion), reason: 'client_credentials_wrong' },
    )
  })

  it.each([
    ['without repository_id', { issuer: 'https://token.actions.githubusercontent.com', claims: { sub: 'repo:a/b' } }],
    ['without sub', { issuer: cluster, claims: { namespace: 'billing' } }],
    ['without an issuer', { claims: { sub: 'system:serviceaccount:billing:worker' } }],
    ['with a list of values', { issuer: cluster, claims: { sub: ['a', 'b'] } }],
    ['with an audience', { issuer: cluster, claims: { sub: 'a', aud: 'b' } }],
    ['with a misspelled member', { issuer: cluster, claim: { sub: 'a' } }],
  ])('refuses a registration %s (RFC 7591 §2)', async (_which, workload) => {
    const keys = { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: `${cluster}/keys` } as const

    await expect(register('new', { ...keys, workload })).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  })

  it('registers the clients of the page', async () => {
    const clients = [await registerDeployment(site.storage), await registerPod(site.storage)]
    clients.push(await registerWorkload(site.storage))

    expect(clients.map(({ client }) => client.workload)).toEqual([
      { issuer: tokens.github().iss, claims: { repository_id: '1296269', environment: 'production' } },
      { issuer: cluster, claims: { sub: 'system:serviceaccount:billing:worker' } },
      { claims: { sub: 'spiffe://prod.example.com/billing' } },
    ])
  })

  it('refuses a registration with another authentication method (RFC 7591 §2)', async () => {
    const workload = { issuer: cluster, claims: { sub: 'a' } }

    await expect(register('new', { workload })).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  })
})
