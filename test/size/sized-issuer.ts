import { type Administration, createAdministration } from '@mintmark/admin'
import {
  createAuthorizationServer,
  createCookieSessions,
  createMemoryRateLimiter,
  createStoredKeys,
  registerClient,
  type StoredKeyRing,
  type AuthorizationServer,
} from '@mintmark/core'
import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { clientId, epochSeconds, grantId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'

import type { Lane } from '../../benchmarks/src/driver/lane.ts'
import { laneTo } from '../../benchmarks/src/driver/service-lane.ts'
import { requireValue } from '../../benchmarks/src/driver/workload.ts'
import type { OauthSite, ScimSite } from '../../benchmarks/src/site.ts'
import type { TestDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { clientIds, directoryId, type IssuerSize } from './issuer-size.ts'

/** An issuer in a database of its own, with its servers in this process. */
export interface SizedIssuer {
  readonly size: IssuerSize
  readonly pool: Pool
  readonly dialect: SqlDialect
  readonly storage: AdminStorage
  readonly keys: StoredKeyRing
  readonly server: AuthorizationServer
  readonly admin: Administration
  readonly oauth: { readonly lane: Lane; readonly site: OauthSite }
  readonly scim: { readonly lane: Lane; readonly siteOf: (directory: number) => ScimSite }
  /** Signs a user in. Returns the cookie. */
  readonly signIn: (user: string) => Promise<string>
}

export const issuer = 'https://as.test'
export const now = () => epochSeconds(Math.floor(Date.now() / 1000))

/** Creates the issuer with its clients and directories, and without users. */
export async function createIssuer(database: TestDatabase, size: IssuerSize): Promise<SizedIssuer> {
  const pool = database.pool({ max: 9 })
  const dialect = toPostgresDialect(pool, { migrate: 'on-open', timeoutMilliseconds: 600_000 })
  const storage = await createSqlStorage({ dialect, issuer })
  const keys = createStoredKeys({
    storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    algorithms: ['ES256'],
    rotation: 'manual',
  })
  const sessions = createCookieSessions({ storage })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: sessions.signedIn,
    scopes: { 'api.read': 'Read' },
    purge: false,
    backChannelLogout: { afterRequests: false },
    fetch: async () => new Response(undefined, { status: 204 }),
    rateLimits: { issuedCodes: createMemoryRateLimiter({ points: 1e9, window: 60 }) },
    onEvent: () => {},
  })
  const clientSecret = await registerClients(storage)
  const directories = await registerDirectories(size, storage)
  const scimServer = createScimServer({ issuer, storage, requestLimit: 'unlimited', onEvent: () => {} })

  return {
    size,
    pool,
    dialect,
    storage,
    keys,
    server,
    admin: createAdministration({ storage, keys }).as({ kind: 'host', id: 'size' }),
    oauth: {
      lane: laneTo(server),
      site: {
        paths: {
          token: '/token',
          authorize: '/auth',
          introspection: '/token/introspection',
          userinfo: '/userinfo',
        },
        clientId: clientIds[0],
        clientSecret,
        redirectUri,
        scope: scopes.join(' '),
        cookies: [],
        serviceParameters: {},
      },
    },
    scim: {
      lane: laneTo(scimServer),
      siteOf: (directory) => ({ ...requireValue(directories[directory]), accounts: size.users }),
    },
    signIn: async (user) => {
      const { headers } = await sessions.start(anyRequest, { subject: user, amr: ['pwd'] })
      return headers[0]?.[1].split(';', 1)[0] ?? ''
    },
  }
}

const redirectUri = 'https://app.test/cb'
const scopes = ['openid', 'email', 'offline_access', 'api.read']

/** Returns the secret of the first client. */
async function registerClients(storage: AdminStorage): Promise<string> {
  const secrets: string[] = []
  for (const id of clientIds) {
    const { clientSecret = '' } = await registerClient(
      {
        clientId: id,
        clientName: id,
        redirectUris: [redirectUri],
        grantTypes: ['authorization_code', 'refresh_token'],
        scopes,
        servedAudiences: [issuer],
        backchannelLogoutUri: `https://${id}.app.test/logout`,
      },
      { storage },
    )
    secrets.push(clientSecret)
  }
  return secrets[0] ?? ''
}

async function registerDirectories(
  { directories }: IssuerSize,
  storage: AdminStorage,
): Promise<readonly { readonly basePath: string; readonly secret: string }[]> {
  const registered: { readonly basePath: string; readonly secret: string }[] = []
  for (let number = 0; number < directories; number += 1) {
    const { secret, tenantUrl } = await registerIdentityProvider({ providerId: directoryId(number) }, { storage })
    registered.push({ basePath: new URL(tenantUrl).pathname, secret })
  }
  return registered
}

/** Stores the consent of a user to a client. */
export async function consent(storage: AdminStorage, user: string, client: string): Promise<void> {
  const { version: userVersion = 0, generation = 0 } = (await storage.users.find(userId(user))) ?? {}
  if (userVersion === 0) throw new Error(`There is no user ${user}.`)
  await storage.grants.insert({
    grantId: grantId(`${user}-${client}`),
    clientId: clientId(client),
    userId: userId(user),
    userGeneration: generation,
    scopes,
    resources: [],
    createdAt: now(),
    revokedAt: undefined,
    authorizationDetails: [],
    clientDigest: undefined,
    version: 1,
  })
}

const anyRequest = {
  method: 'GET',
  url: new URL(issuer),
  headers: new Map(),
  repeatedHeaders: new Set<string>(),
  host: undefined,
  body: new Uint8Array(),
} as const
