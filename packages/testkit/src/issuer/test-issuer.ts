import { toFetch } from '@mintmark/adapter-fetch'
import {
  type AuthorizationServerOptions,
  type ClientRegistration,
  type ServerEvent,
  createAuthorizationServer,
  createMemoryRateLimiter,
  registerClient,
} from '@mintmark/core'
import type { HttpService } from '@mintmark/core/http'
import type { RegisteredClient } from '@mintmark/core/internal'
import { systemClock } from '@mintmark/internal'
import {
  type AdminStorage,
  type EpochSeconds,
  type JsonObject,
  epochSeconds,
  userId,
} from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { type Fault, faultyFetch } from './faults.ts'
import { type SignInRequest, type TestTokens, signInAs, signedInUser, waveThrough } from './sign-in.ts'
import { testKeyRing } from './test-key-ring.ts'

/** What a test issuer starts with; everything has a default. */
export interface TestIssuerOptions extends Pick<
  AuthorizationServerOptions,
  'scopes' | 'resources' | 'lifetimes' | 'claims' | 'defaultAudience' | 'dpop' | 'mutualTls'
> {
  /**
   * Its address.
   * @defaultValue `https://issuer.test`. Nothing is listened to, so any address will do.
   */
  readonly issuer?: string
  /**
   * The time of its clock, in seconds since 1970.
   * @defaultValue The time of creation, so that verifiers that use the real time accept its tokens. A test that depends
   * on time
   * sets it here and in the code under test.
   */
  readonly now?: number
}

/** An issuer inside a test: a complete server without a port, pages or waiting. */
export interface TestIssuer {
  readonly issuer: string
  /** Answers requests to the issuer's addresses, in this process: give it to your client library as its `fetch`. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** For an adapter, when something needs a port. */
  readonly service: HttpService
  readonly storage: AdminStorage
  /** The events so far. */
  readonly events: readonly ServerEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  /** Creates an active user. */
  addUser(subject: string, claims?: JsonObject): Promise<void>
  addClient(registration: ClientRegistration): Promise<RegisteredClient>
  /**
   * Signs a user in at a client through the whole authorization code flow with PKCE. Creates the user if it does not
   * exist.
   */
  signIn(request: SignInRequest): Promise<TestTokens>
  /** Signs with another key from now on; the previous one stays published. */
  rotateKeys(): void
  /** Makes the next matching request fail in this way. */
  failNext(fault: Fault): void
}

/**
 * An issuer for tests of relying parties. Its clock stands still until it is advanced, its signing keys are public, and
 * it signs in
 * every user that is named.
 * @throws Error in production (`NODE_ENV=production`): anybody could sign tokens that it accepts.
 */
export function createTestIssuer(options: TestIssuerOptions = {}): TestIssuer {
  refuseProduction()
  const { now: given } = options
  if (typeof options !== 'object' || Array.isArray(options))
    throw new TypeError('createTestIssuer: its options must be an object.')
  if (given !== undefined && !(typeof given === 'number' && given >= 0))
    throw new TypeError('createTestIssuer: now must be a number of seconds since 1970.')
  const { issuer = 'https://issuer.test', now: startedAt = systemClock(), ...serverOptions } = options
  let now = startedAt
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const storage = createMemoryStorage({ issuer })
  const keys = testKeyRing()
  const events: ServerEvent[] = []
  const service = createAuthorizationServer({
    ...serverOptions,
    issuer,
    storage,
    keys,
    clock: clock.now,
    signedIn: signedInUser(clock.now),
    // The clock stands still, so all sign-ins of a test run are in one minute.
    rateLimits: { silentCodes: createMemoryRateLimiter({ points: 1_000_000, window: 60 }) },
    pages: { login: waveThrough(clock.now), consent: waveThrough(clock.now) },
    onEvent: (event) => void events.push(event),
  })
  const faults: Fault[] = []
  const fetch = faultyFetch(toFetch(service), { issuer, faults, clock, keys })
  const addUser = async (subject: string, claims: JsonObject = {}): Promise<void> => {
    await storage.users.insert({ userId: userId(subject), claims, createdAt: clock.now() })
  }

  return {
    issuer,
    fetch,
    service,
    storage,
    events,
    clock,
    addUser,
    addClient: (registration) => registerClient(registration, { storage, keys, clock: clock.now }),
    signIn: async (request) => {
      await addUser(request.subject)
      return signInAs(request, { issuer, fetch, storage })
    },
    rotateKeys: () => keys.rotate(),
    failNext: (fault) => void faults.push(fault),
  }
}

/** @throws Error where the environment says that this is production. */
function refuseProduction(): void {
  if (environmentOf(globalThis)?.['NODE_ENV'] === 'production') {
    throw new Error(
      'A test issuer signs with published keys, so it does not start in production. Take createAuthorizationServer.',
    )
  }
}

/** Workers and browsers have no `process`. */
const environmentOf = (runtime: object): Readonly<Record<string, string | undefined>> | undefined =>
  (runtime as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }).process?.env
