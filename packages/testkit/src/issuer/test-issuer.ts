import { toFetch } from '@mintmark/adapter-fetch'
import {
  type AuthorizationServerOptions,
  type ClientRegistration,
  type ServerEvent,
  createAuthorizationServer,
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
  'scopes' | 'resources' | 'lifetimes' | 'claims' | 'defaultAudience'
> {
  /**
   * Its address.
   * @defaultValue `https://issuer.test`. Nothing is listened to, so any address will do.
   */
  readonly issuer?: string
  /**
   * Where its clock stands, in seconds since 1970.
   * @defaultValue The time at which it is made, so that whatever verifies its tokens by the real time accepts them. A test
   *   that looks at times gives one, and gives it to what it tests too.
   */
  readonly now?: number
}

/** An issuer inside a test: a whole server, without a port, a page or a wait. */
export interface TestIssuer {
  readonly issuer: string
  /** Answers requests to the issuer's addresses, in this process: give it to your client library as its `fetch`. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** For an adapter, when something needs a port. */
  readonly service: HttpService
  readonly storage: AdminStorage
  /** What happened so far. */
  readonly events: readonly ServerEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  /** An account, active. */
  addUser(subject: string, claims?: JsonObject): Promise<void>
  addClient(registration: ClientRegistration): Promise<RegisteredClient>
  /** Signs somebody in at a client: the authorization code flow with PKCE, to its end. An account that is missing is made. */
  signIn(request: SignInRequest): Promise<TestTokens>
  /** From now on another key signs; the one before stays published. */
  rotateKeys(): void
  /** Lets the next request that can fail so fail. */
  failNext(fault: Fault): void
}

/**
 * An issuer for tests of whatever relies on one. It stands still in time until it is told to go on, signs with keys that are published, and signs in
 * anybody who is named.
 * @throws Error in production (`NODE_ENV=production`): everybody could sign tokens that it accepts.
 */
export function createTestIssuer(options: TestIssuerOptions = {}): TestIssuer {
  refuseProduction()
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

/** Workers and browsers have none. */
const environmentOf = (runtime: object): Readonly<Record<string, string | undefined>> | undefined =>
  (runtime as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }).process?.env
