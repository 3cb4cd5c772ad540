import { JoseKey } from '@atproto/jwk-jose'
import { NodeOAuthClient, type NodeSavedSession, type NodeSavedState } from '@atproto/oauth-client-node'
import { userId } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import { challenge, encode } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const host = 'https://pds.example'
const id = 'https://app.example/client.json'
const scope = 'atproto offline_access'
const redirectUri = 'https://app.example/callback'

it('@atproto/oauth-client-node repeats assertion, code and refresh token after a nonce challenge (RFC 9449 §8)', async () => {
  const { site, client, posts } = await startClient()

  const url = await client.authorize(site.issuer)
  const { location } = await visit(site, url, did)
  const { session } = await client.callback(location.searchParams)
  const renewed = await client.restore(did, true)

  expect([session.did, renewed.did]).toEqual([did, did])
  expect(posts.map(({ path, error }) => [path, error])).toEqual([
    ['/auth/push', 'use_dpop_nonce'],
    ['/auth/push', undefined],
    ['/token', 'use_dpop_nonce'],
    ['/token', undefined],
    ['/token', 'use_dpop_nonce'],
    ['/token', undefined],
  ])
  for (const at of [0, 2, 4]) expect(posts[at]?.form).toEqual(posts[at + 1]?.form)
  expect(posts[3]?.form).toMatchObject({
    grant_type: 'authorization_code',
    client_assertion: expect.any(String) as unknown,
  })
  expect(posts[5]?.form).toMatchObject({ grant_type: 'refresh_token', client_assertion: expect.any(String) as unknown })
  expect(new Set([0, 2, 4].map((at) => posts[at]?.form['client_assertion'])).size).toBe(3)
})

type ClientMetadata = NonNullable<ConstructorParameters<typeof NodeOAuthClient>[0]>['clientMetadata']

interface Post {
  readonly path: string
  readonly form: Readonly<Record<string, string>>
  readonly error: unknown
}

/**
 * Starts the client, for a user whose host names the server. The client stores no nonces, so the server challenges every
 * request.
 */
async function startClient() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await JoseKey.fromImportable(JSON.stringify(await exportJWK(privateKey)), 'key-1')
  const document = {
    client_id: id,
    client_name: 'App',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    scope,
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    dpop_bound_access_tokens: true,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256' }] },
  } satisfies ClientMetadata
  const site = await startLoopbackServer({
    dpop: { nonces: 'required' },
    scopes: { atproto: 'Use your account', 'api.read': 'Read', 'api.write': 'Write' },
    clientDocuments: { allow: ['app.example'], scopes: scope.split(' ') },
    fetch: () => Promise.resolve(Response.json(document)),
  })
  onTestFinished(() => site.close())
  await site.storage.users.insert({ userId: userId(did), claims: {}, createdAt: site.clock.now() })
  // The server reads the client's document at the authorization endpoint. After that the client can push requests.
  await visit(site, new URL(`${site.issuer}/auth?${encode(firstRequest)}`), did)

  const posts: Post[] = []
  const client = new NodeOAuthClient({
    clientMetadata: { ...document, jwks: undefined, jwks_uri: 'https://app.example/jwks.json' },
    keyset: [key],
    allowHttp: true,
    stateStore: storeOf<NodeSavedState>(),
    sessionStore: storeOf<NodeSavedSession>(),
    dpopNonceCache: { get: async () => undefined, set: async () => undefined, del: async () => undefined },
    requestLock: async (_name, run) => run(),
    identityResolver: { resolve: async () => identityOf() },
    fetch: (input, init) => answer(site, posts, new Request(input, init)),
  })
  return { site, client, posts }
}

const firstRequest = {
  client_id: id,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope,
  code_challenge: challenge,
  code_challenge_method: 'S256',
}

/** Responds for the user's host, and sends all other requests to the server. */
async function answer(site: ServerUnderTest, posts: Post[], request: Request): Promise<Response> {
  const { origin, pathname: path } = new URL(request.url)
  if (origin === host) return Response.json({ resource: host, authorization_servers: [site.issuer] })
  const text = await request.clone().text()
  const response = await fetch(request)
  if (request.method !== 'POST') return response
  const body = (await response.json()) as Readonly<Record<string, unknown>>
  posts.push({ path, form: Object.fromEntries(new URLSearchParams(text)), error: body['error'] })
  // The AT Protocol requires `sub` in token responses, which a host must add.
  const named = path === '/token' && response.ok ? { ...body, sub: did } : body
  return Response.json(named, { status: response.status, headers: response.headers })
}

/** Returns the identity of the user, with the host that names the user's server. */
const identityOf = (): Awaited<ReturnType<NodeOAuthClient['identityResolver']['resolve']>> => ({
  did,
  handle: 'ann.example',
  didDoc: {
    id: did,
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: host }],
  },
})

function storeOf<Value>() {
  const values = new Map<string, Value>()
  return {
    get: async (name: string) => values.get(name),
    set: async (name: string, value: Value) => void values.set(name, value),
    del: async (name: string) => void values.delete(name),
  }
}
