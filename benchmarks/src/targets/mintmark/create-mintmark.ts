import {
  createCookieSessions,
  createAuthorizationServer,
  createMemoryRateLimiter,
  registerClient,
  createStoredKeys,
} from '@mintmark/core'
import type { HttpService, ServerRequest } from '@mintmark/core/http'
import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  userId,
  type GrantRecord,
  type AdminStorage,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'
import { secretDigest } from '@mintmark/storage-interface/stores'

import type { Site, TargetSettings } from '../../site.ts'
import { benchStorage, type BenchStorage, type WrapDialect } from '../bench-storage.ts'
import { issuer, fixtureUser, redirectUri } from '../fixture.ts'
import { filledUserId, fillGrants, type GrantTemplate } from './fill-grants.ts'

/** Creates a server with a client, and with users who have signed in and consented. */
export async function createMintmark(
  settings: TargetSettings,
  wrap?: WrapDialect,
): Promise<{ readonly server: HttpService; readonly site: Omit<Site, 'port'> }> {
  const bench = await benchStorage(settings, issuer, wrap)
  const { storage } = bench
  const keys = createStoredKeys({
    storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    algorithms: [settings.algorithm],
  })
  const sessions = createCookieSessions({ storage })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: sessions.signedIn,
    scopes: { 'api.read': 'Read' },
    lifetimes: { accessToken: 3600 },
    // A floor runs the statements of a request, which are recorded while no rows are purged.
    ...(wrap !== undefined && { purge: false }),
    // One session signs in thousands of times a minute. The limiters count as usual, but their limits are never reached.
    rateLimits: {
      issuedCodes: createMemoryRateLimiter({ points: 1e9, window: 60 }),
      pushedRequests: createMemoryRateLimiter({ points: 1e9, window: 60 }),
    },
  })

  const { clientSecret = '' } = await registerClient(
    {
      clientId: 'client',
      clientName: 'Client',
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['openid', 'email', 'offline_access', 'api.read'],
      servedAudiences: [issuer],
      idTokenSignedResponseAlg: settings.algorithm,
    },
    { storage },
  )
  const cookies: string[] = []
  for (const subject of await addUsers(bench, settings.rows)) {
    const { headers } = await sessions.start(anyRequest, { subject, amr: ['pwd'] })
    cookies.push(headers[0]?.[1].split(';', 1)[0] ?? '')
  }

  return {
    server,
    site: {
      oauth: {
        paths: {
          token: '/token',
          authorize: '/auth',
          push: '/auth/push',
          introspection: '/token/introspection',
          userinfo: '/userinfo',
          metadata: '/.well-known/openid-configuration',
          jwks: '/jwks',
        },
        clientId: 'client',
        clientSecret,
        redirectUri,
        scope: 'openid email offline_access api.read',
        cookies,
        serviceParameters: { scope: 'api.read' },
      },
    },
  }
}

/** Adds users, and returns the users to sign in: the fixture's user, or a sample of all users with a grant. */
async function addUsers(bench: BenchStorage, rows: number): Promise<readonly string[]> {
  const template = await addUser(bench.storage)
  if (rows === 0) return [fixtureUser.userId]
  await bench.storage.families.insert(template.family)
  await fillGrants(bench, template, rows)
  const signedIn = Math.min(rows, 2048)
  return Array.from({ length: signedIn }, (_, turn) => filledUserId(1 + turn * Math.floor(rows / signedIn)))
}

/** Adds a user and their consent to the client. Returns both, and a token family of the grant, which is not stored. */
async function addUser(storage: AdminStorage): Promise<GrantTemplate> {
  const now = epochSeconds(Date.now() / 1000)
  const client = await storage.clients.find(clientId('client'))
  const owner = userId(fixtureUser.userId)
  await storage.users.insert({
    userId: owner,
    claims: { email: fixtureUser.email, email_verified: true },
    createdAt: now,
  })
  const user = await storage.users.find(owner)
  if (client === undefined || user === undefined) throw new Error('The client or the user does not exist.')
  const common = {
    grantId: grantId('grant'),
    clientId: client.clientId,
    userId: owner,
    scopes: client.scopes,
    resources: [],
    createdAt: now,
    revokedAt: undefined,
  }
  const grant: GrantRecord = {
    ...common,
    userGeneration: 0,
    authorizationDetails: [],
    clientDigest: undefined,
    version: 1,
  }
  await storage.grants.insert(grant)

  const digest = secretDigest('A'.repeat(43))
  const expiresAt = epochSeconds(now + 86_400)
  const family: TokenFamilyRecord = {
    ...common,
    familyId: familyId('family'),
    resources: [],
    claimsRequest: undefined,
    authentication: { sessionId: undefined, sessionExpiresAt: undefined, authTime: now, acr: undefined, amr: ['pwd'] },
    boundSessionId: undefined,
    possession: { kind: 'none' as const },
    authorizationDetails: [],
    organizationId: undefined,
    lineage: undefined,
    refresh: {
      handleDigest: digest,
      currentDigest: digest,
      previousDigest: undefined,
      successorSalt: undefined,
      rotatedAt: undefined,
      retriedAt: undefined,
      expiresAt,
    },
    expiresAt,
  }
  return { user, grant, family }
}

const anyRequest: ServerRequest = {
  method: 'GET',
  url: new URL(issuer),
  headers: new Map(),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
}
