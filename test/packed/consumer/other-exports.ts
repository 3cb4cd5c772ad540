import { toFetchHandler } from '@mintmark/adapter-fetch'
import { toNodeListener } from '@mintmark/adapter-node'
import { createAuthorizationServer, defineGrant, OAuthError, createStoredKeys, type ServerEvent } from '@mintmark/core'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import { ScimError, type ScimEvent } from '@mintmark/scim'
import {
  composeStorage,
  epochSeconds,
  StorageUnavailableError,
  userId,
  type AdminStorage,
  type UserId,
} from '@mintmark/storage-interface'
import { adminLaws } from '@mintmark/storage-interface/contract'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createRedisStorage } from '@mintmark/storage-redis'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { createTestIssuer, replayTranscript, transcripts } from '@mintmark/testkit'
import entra from '@mintmark/testkit/transcripts/entra.json' with { type: 'json' }
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createClient } from 'redis'

// Uses the exported names that the documented programs do not use, as a host in a strict project would.

const issuer = 'https://id.example'

/** PostgreSQL for durable data, Redis for expiring data. */
export async function storageOnTwoDatabases(): Promise<AdminStorage> {
  const dialect = toPostgresDialect(new Pool({ connectionString: 'postgres://db/mintmark' }), {
    timeoutMilliseconds: 2000,
  })
  await migrate({ dialect })
  const durable = await createSqlStorage({ issuer, dialect })
  const clients = [createClient(), new Redis({ lazyConnect: true })] as const
  return composeStorage({ durable, expiring: createRedisStorage({ client: clients[0], issuer }) })
}

export const withIoRedis = (client: Redis): AdminStorage =>
  composeStorage({ durable: createMemoryStorage({ issuer }), expiring: createRedisStorage({ client, issuer }) })

const storage = createMemoryStorage({ issuer })
const reasons: string[] = []
const refusal = new OAuthError('invalid_grant', 'No.', { reason: 'grant_refused' })

export const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: 'x'.repeat(43), clock: () => epochSeconds(0) }),
  signedIn: async ({ headers }) =>
    headers.has('cookie') ? { subject: 'ann', authTime: epochSeconds(0), amr: ['pwd'] } : undefined,
  grants: [defineGrant({ grantType: 'urn:example:refused', decide: () => Promise.reject(refusal) })],
  onEvent: (event: ServerEvent) => void (event.type === 'request.refused' && reasons.push(event.reason)),
})

export const listener = toNodeListener(server)
export const handle: (request: Request) => Promise<Response | undefined> = toFetchHandler(server)
export const services: readonly HttpService[] = [server]
export const hello: Endpoint = ({ method }) =>
  Promise.resolve({ status: 200, headers: [['Content-Type', 'text/plain']], body: method })

export const subject: UserId = userId('user-1')
export const laws: number = adminLaws.length
export const eventType = (event: ScimEvent): string => event.type
export const isMintmarkError = (error: unknown): boolean =>
  error instanceof ScimError || error instanceof StorageUnavailableError

/** A test that a host would write. */
export async function replayOkta(fetch: (url: string, init: RequestInit) => Promise<Response>): Promise<boolean> {
  const testIssuer = createTestIssuer({ issuer })
  await testIssuer.addUser('ann', { email: 'ann@example.com' })
  const baseUrl = `${issuer}/scim/v2/enterprise-idps/acme`
  const result = await replayTranscript(transcripts.okta, { baseUrl, authorization: 'Bearer x', fetch })
  return result.passed && entra.steps.length > 0
}
