import type { AuthorizationServerOptions } from '@mintmark/core'
import {
  createResourceServer,
  type AccessRefusedError,
  type ResourceServer,
  type ResourceServerOptions,
} from '@mintmark/resource-server'
import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage, type MemoryDatabase } from '@mintmark/storage-interface/memory'

import { dumpMedium } from './dump-medium.ts'
import { interceptStorage } from './probed-server.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** The server of the attack tests with a revocation feed and a clock that runs in real time. */
export interface FeedSite extends ServerUnderTest {
  readonly medium: MemoryDatabase
  /** In milliseconds. */
  readonly preciseClock: () => number
  /** Advances the clock by some seconds. */
  readonly pass: (seconds: number) => void
  /** Reaches https://as.test. */
  readonly fetch: typeof globalThis.fetch
  /** The requested paths, in order. */
  readonly asked: string[]
  /** How often the server has looked for revocations in its storage: ten times a second while a request is waiting. */
  readonly feedReads: () => number
  /** Cuts the connection to the server, or restores it. */
  setReachable(reachable: boolean): void
}

const issuer = 'https://as.test'

export async function startFeedSite(
  options: Partial<Omit<AuthorizationServerOptions, 'storage'>> = {},
): Promise<FeedSite> {
  const medium = createMemoryDatabase()
  let passed = 0
  let feedReads = 0
  const preciseClock = (): number => 1_790_000_000_000 + passed
  const clock = (): EpochSeconds => epochSeconds(preciseClock() / 1000)
  const under = await startServer({
    storage: interceptStorage(createMemoryStorage({ issuer, database: medium }), (call) => {
      if (call === 'revocations.list') feedReads += 1
    }),
    revocationFeed: true,
    clock,
    ...options,
  })
  // Tokens issued from now on are newer than the clients.
  passed = 2000

  const asked: string[] = []
  let isReachable = true
  const reach: typeof globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    asked.push(pathname)
    if (!isReachable) throw new TypeError('connection refused')
    return globalThis.fetch(`http://127.0.0.1:${under.port}${pathname}`, init)
  }
  return {
    ...under,
    clock: { now: clock, advance: (seconds) => void (passed += seconds * 1000) },
    dump: () => dumpMedium(medium, issuer),
    medium,
    preciseClock,
    pass: (seconds) => void (passed += seconds * 1000),
    fetch: reach,
    asked,
    feedReads: () => feedReads,
    setReachable: (reachable) => void (isReachable = reachable),
  }
}

/** An API that accepts the site's tokens, and the reasons for its rejections. */
export interface ProtectedApi {
  readonly api: ResourceServer
  readonly refusals: readonly AccessRefusedError[]
  /** `admitted`, or the reason why the token is rejected. */
  present(token: string, ...scopes: readonly string[]): Promise<string>
}

/** The API `https://api.test` of the attack tests. */
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
