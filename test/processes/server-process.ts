// One of several servers over one database. Its argument is a ServerConfig in JSON; it prints its port, and exits when
// stdin ends.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'

import { toExpress } from '@mintmark/adapter-express'
import { createAuthorizationServer, createMemoryRateLimiter, createStoredKeys } from '@mintmark/core'
import { createScimServer } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import express from 'express'

import { crashingStorage } from './crashing-storage.ts'
import { openDatabase } from './open-database.ts'
import { withRedis } from './with-redis.ts'
import { api, issuer, partner, type ServerConfig } from './server-config.ts'

const config = JSON.parse(process.argv[2] ?? '') as ServerConfig
const { database, redis, crash, rotation, maxConcurrentRequests = 1000, partnerKeys: jwks, eventLog } = config
const sqlStorage = await createSqlStorage({ dialect: openDatabase(database), issuer })
const composed = redis === undefined ? sqlStorage : await withRedis(sqlStorage, redis)
const storage = crash === undefined ? composed : crashingStorage(composed, crash)
// The races present one credential fifty times, which the default limits would refuse as an attack.
const unlimited = createMemoryRateLimiter({ points: 1_000_000_000, window: 1 })
const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({
    storage: sqlStorage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    algorithms: ['ES256'],
  }),
  revocationFeed: true,
  refreshTokenRotation: rotation,
  maxConcurrentRequests,
  sessionBoundTokens: 'all',
  scopes: { 'api.read': 'Read' },
  resources: { [api]: { scopes: ['api.read'] } },
  tokenExchange: { rules: [{ clients: ['A'], mode: 'delegation', audiences: [api], maxDepth: 3 }] },
  crossAppAccess: { accepts: true },
  ...(jwks !== undefined && {
    jwtBearer: {
      issuers: [
        {
          issuer: partner,
          jwks,
          clients: ['A'],
          scopes: ['api.read'],
          audiences: [api],
          findUser: ({ sub }) => (typeof sub === 'string' ? sub : undefined),
        },
      ],
    },
  }),
  // The test process approves the requests.
  ciba: { findUser: ({ value }) => Promise.resolve({ subject: value }), askUser: () => Promise.resolve() },
  rateLimits: {
    failedAuthentications: unlimited,
    startedInteractions: unlimited,
    issuedCodes: unlimited,
    backchannelRequests: unlimited,
  },
  onEvent: report,
  signedIn: async (request) => hostSession(request.headers.get('cookie')),
})

const scim = createScimServer({
  issuer,
  storage,
  onEvent: report,
})
const listener = createServer(express().use(toExpress(server, scim)))
listener.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(listener.address() as AddressInfo).port}\n`)
  // Written now, because a killed process would not write its cache for the next process.
  flushCompileCache()
})
process.stdin.on('end', () => process.exit()).resume()

/** The races and chaos runs expect refusals and outages. The file is written before the answer, because the process may be killed. */
function report(event: { readonly type: string; readonly reason?: string }): void {
  if (eventLog !== undefined) appendFileSync(eventLog, `${JSON.stringify({ ...event, loggedAt: Date.now() })}\n`)
  if (event.type === 'request.refused' && event.reason === 'unexpected_failure') console.error(event)
}

/** Reads the host's session from the cookie `host=<user>.<time of authentication>[.<session>]`. */
function hostSession(cookie: string | undefined) {
  const match = /(?:^|; )host=([^.;]+)\.(\d+)(?:\.([^;]+))?/.exec(cookie ?? '')
  if (match?.[1] === undefined) return undefined
  return { subject: match[1], authTime: Number(match[2]), amr: ['pwd'], sessionId: match[3] }
}
