import {
  createAuthorizationServer,
  registerClient,
  createStoredKeys,
  type AuthorizationServer,
  type KeyRing,
} from '@mintmark/core'
import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { epochSeconds, userId, type EpochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

import { assertionType } from './client-assertion.ts'
import { basic, challenge, encode, verifier, type Change } from './flow.ts'
import { signEs256, writeJws } from './forge-jwt.ts'
import { plainPost, plainRequest } from './plain-request.ts'

/**
 * Everything that a token family needs, without sockets: one server, client A, client K, which authenticates with
 * private_key_jwt, the resource server RS, and any number of users.
 */
export interface FamilyWorld {
  readonly storage: AdminStorage
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  readonly lifetimes: typeof lifetimes
  /** Creates an active user. @returns the user's identifier. */
  createUser(): Promise<string>
  /** Obtains a code for A: the user is signed in and consents. */
  code(user: string): Promise<string>
  redeem(code: string): Promise<Answer>
  refresh(refreshToken: string): Promise<Answer>
  revoke(token: string): Promise<Answer>
  /** Tells whether introspection by the resource server reports the access token as active. */
  isActive(accessToken: string): Promise<boolean>
  userinfo(accessToken: string): Promise<Answer>
  /** Returns the form parameters with which client K authenticates one request. */
  assertion(): Promise<Change>
  post(path: string, form: Change, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly json: {
    readonly access_token?: string
    readonly refresh_token?: string
    readonly active?: boolean
    readonly error?: string
  }
}

const issuer = 'https://as.test'
const redirectUri = 'https://app.test/cb'
const scope = 'openid offline_access'

/** Lifetimes in seconds, so short that the tests reach the end of each. */
const lifetimes = {
  accessToken: 50,
  refreshTokenIdle: 100,
  refreshTokenAbsolute: 130,
  authorizationCode: 60,
  retryWindow: 10,
} as const

/** All worlds share one signing key, because creating a key takes longer than checking a law. */
const keys: KeyRing = createStoredKeys({
  storage: createMemoryStorage({ issuer }),
  sealingKey: Buffer.alloc(32, 7).toString('base64url'),
  algorithms: ['ES256'],
})

export async function createFamilyWorld(
  options: {
    readonly scheduler?: () => Promise<void>
    readonly retryWindow?: number
    /** Opens the storages, instead of two in memory. */
    readonly open?: (issuer: string) => Promise<WorldStorages>
  } = {},
): Promise<FamilyWorld> {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const { own: storage, ofServer } = await (options.open?.(issuer) ?? inMemory(options.scheduler))
  const server = serverOver(ofServer, clock.now, options.retryWindow)
  const secrets = await registerClients(storage)

  const answer = async (request: ServerRequest): Promise<Answer> => answerOf(await server.handle(request))
  const post: FamilyWorld['post'] = (path, form, headers = { authorization: basic('A', secrets.A) }) =>
    answer(plainPost(issuer, path, { body: encode(form), headers }))
  let users = 0
  let assertions = 0

  return {
    storage,
    clock,
    lifetimes,
    post,
    async createUser() {
      users += 1
      await storage.users.insert({ userId: userId(`U${users}`), claims: {}, createdAt: clock.now() })
      return `U${users}`
    },
    code: (user) => codeFor(user, server, clock.now()),
    redeem: (code) =>
      post('/token', { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }),
    refresh: (refreshToken) => post('/token', { grant_type: 'refresh_token', refresh_token: refreshToken }),
    async assertion() {
      assertions += 1
      const claims = { iss: 'K', sub: 'K', aud: issuer, exp: clock.now() + 60, jti: `assertion-${assertions}` }
      const client_assertion = await writeJws({ alg: 'ES256' }, claims, signEs256(secrets.K.privateKey))
      return { client_assertion_type: assertionType, client_assertion }
    },
    revoke: (token) => post('/token/revocation', { token }),
    async isActive(accessToken) {
      const reply = await post(
        '/token/introspection',
        { token: accessToken },
        { authorization: basic('RS', secrets.RS) },
      )
      if (reply.status !== 200) throw new Error(`Introspection answered ${reply.status}.`)
      return reply.json.active === true
    },
    userinfo: (accessToken) =>
      answer(plainRequest(issuer, { path: '/userinfo', headers: { authorization: `Bearer ${accessToken}` } })),
  }
}

/** Two storages over the same tables: the test's own calls run at once; a scheduler may delay the server's calls. */
interface WorldStorages {
  readonly own: AdminStorage
  readonly ofServer: AdminStorage
}

function inMemory(scheduler: (() => Promise<void>) | undefined): WorldStorages {
  const database = createMemoryDatabase()
  const scheduled = scheduler === undefined ? {} : { scheduler }
  return {
    own: createMemoryStorage({ issuer, database }),
    ofServer: createMemoryStorage({ issuer, database, ...scheduled }),
  }
}

const serverOver = (
  storage: AdminStorage,
  clock: () => EpochSeconds,
  retryWindow: number = lifetimes.retryWindow,
): AuthorizationServer => {
  const { retryWindow: _, ...serverLifetimes } = lifetimes
  return createAuthorizationServer({
    issuer,
    storage,
    keys,
    clock,
    lifetimes: serverLifetimes,
    refreshRetryWindow: { confidential: retryWindow, public: retryWindow },
    // Refusals and outages are what the laws are about.
    onEvent: () => {},
    signedIn: (request) => Promise.resolve({ subject: request.headers.get('cookie') ?? '', authTime: clock() }),
  })
}

async function registerClients(
  storage: AdminStorage,
): Promise<{ readonly A: string; readonly RS: string; readonly K: CryptoKeyPair }> {
  const a = await registerClient(
    {
      clientId: 'A',
      clientName: 'App',
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: scope.split(' '),
      idTokenSignedResponseAlg: 'ES256',
    },
    { storage },
  )
  const rs = await registerClient(
    { clientId: 'RS', clientName: 'API', grantTypes: [], servedAudiences: [issuer] },
    { storage },
  )
  const K = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const { kty = '', crv = '', x = '', y = '' } = await crypto.subtle.exportKey('jwk', K.publicKey)
  const jwks = { keys: [{ kty, crv, x, y }] }
  await registerClient(
    { clientId: 'K', clientName: 'Key', grantTypes: [], tokenEndpointAuthMethod: 'private_key_jwt', jwks },
    { storage },
  )
  return { A: a.clientSecret ?? '', RS: rs.clientSecret ?? '', K }
}

/** Completes an authorization request: the user is signed in, and consents if the server asks for consent. */
async function codeFor(user: string, server: AuthorizationServer, now: EpochSeconds): Promise<string> {
  const request = {
    response_type: 'code',
    client_id: 'A',
    redirect_uri: redirectUri,
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const started = await server.handle(
    plainRequest(issuer, { path: `/auth?${encode(request)}`, headers: { cookie: user } }),
  )
  const location = locationOf(started)
  if (location.searchParams.has('code')) return location.searchParams.get('code') ?? ''

  const cookie = (new Map(started.headers).get('Set-Cookie') ?? '').split(';', 1)[0] ?? ''
  const page = plainPost(issuer, location.pathname + location.search, { body: '', headers: { cookie, origin: issuer } })
  const pending = await server.interaction(page)
  const signIn = { subject: user, authTime: now }
  const done = await pending.complete({ ...signIn, grantedScopes: scope.split(' ') })
  return locationOf(done).searchParams.get('code') ?? ''
}

const locationOf = ({ headers }: ServerResponse): URL => new URL(new Map(headers).get('Location') ?? 'missing:')

const answerOf = ({ status, body }: ServerResponse): Answer => ({
  status,
  json: typeof body === 'string' && body !== '' ? (JSON.parse(body) as Answer['json']) : {},
})
