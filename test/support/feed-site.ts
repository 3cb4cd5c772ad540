import type { AuthorizationServerOptions } from '@mintmark/core'
import {
  createResourceServer,
  type AccessRefusedError,
  type ResourceServer,
  type ResourceServerOptions,
} from '@mintmark/resource-server'
import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage, type MemoryDatabase } from '@mintmark/storage-interface/memory'

import { dumpDatabase } from './dump-database.ts'
import { interceptStorage } from './probed-server.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** The server of the attack tests with a revocation feed and a clock that runs in real time. */
export interface FeedSite extends ServerUnderTest {
  readonly database: MemoryDatabase
  /** The same time as `clock`, in milliseconds. */
  readonly preciseClock: () => number
  /** Sends a request for https://as.test to the server's real port. */
  readonly fetch: typeof globalThis.fetch
  /** The requested paths, in order. */
  readonly requestedPaths: string[]
  /** How many times the server has read revocations from its storage. It reads ten times a second while a request is waiting. */
  readonly feedReads: () => number
  /** Cuts the connection to the server, or restores it. */
  setReachable(reachable: boolean): void
}

const issuer = 'https://as.test'

export async function startFeedSite(
  options: Partial<Omit<AuthorizationServerOptions, 'storage'>> = {},
): Promise<FeedSite> {
  const database = createMemoryDatabase()
  let elapsed = 0
  let feedReads = 0
  const preciseClock = (): number => 1_790_000_000_000 + elapsed
  const clock = (): EpochSeconds => epochSeconds(preciseClock() / 1000)
  const server = await startServer({
    storage: interceptStorage(createMemoryStorage({ issuer, database }), (call) => {
      if (call === 'revocations.list') feedReads += 1
    }),
    revocationFeed: true,
    clock,
    ...options,
  })
  // From here on, the server issues tokens later than the clients were registered.
  elapsed = 2000

  const requestedPaths: string[] = []
  let isReachable = true
  const reach: typeof globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    requestedPaths.push(pathname)
    if (!isReachable) throw new TypeError('connection refused')
    return globalThis.fetch(`http://127.0.0.1:${server.port}${pathname}`, init)
  }
  return {
    ...server,
    clock: { now: clock, advance: (seconds) => void (elapsed += seconds * 1000) },
    dump: () => dumpDatabase(database, issuer),
    database,
    preciseClock,
    fetch: reach,
    requestedPaths,
    feedReads: () => feedReads,
    setReachable: (reachable) => void (isReachable = reachable),
  }
}

/** An API that accepts the site's tokens, and the refusals that it reported. */
export interface ProtectedApi {
  readonly api: ResourceServer
  readonly refusals: readonly AccessRefusedError[]
  /** Sends the token to the API. @returns `admitted`, or the reason for which the API rejected the token. */
  present(token: string, ...scopes: readonly string[]): Promise<string>
}

/** Creates the API `https://api.test` of the attack tests. */
export function protectApi(
  site: Pick<FeedSite, 'clients' | 'fetch' | 'preciseClock'>,
  options: Partial<ResourceServerOptions> = {},
): ProtectedApi {
  const refusals: AccessRefusedError[] = []
  const api = createResourceServer({
    issuer,
    audience: 'https://api.test',
    scopes: ['api.read', 'api.write'],
    credentials: { clientId: 'RS', clientSecret: site.clients.RS.secret },
    clock: site.preciseClock,
    fetch: site.fetch,
    onRefusal: (refusal) => void refusals.push(refusal),
    ...options,
  })
  return {
    api,
    refusals,
    async present(token, ...scopes) {
      const [scope, ...more] = scopes
      const rule = scope === undefined ? api.requireAnyToken() : api.require(scope, ...more)
      try {
        await rule.admit([`Bearer ${token}`])
        return 'admitted'
      } catch (error) {
        if (rule.renderRefusal(error) === undefined) throw error
        return refusals.at(-1)?.reason ?? ''
      }
    },
  }
}
