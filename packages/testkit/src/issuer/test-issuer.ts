import { toFetch } from '@mintmark/adapter-fetch'
import {
  attestedClients,
  type AuthorizationServerOptions,
  type ClientRegistration,
  type ServerEvent,
  createAuthorizationServer,
  createMemoryRateLimiter,
  registerClient,
} from '@mintmark/core'
import type { HttpService } from '@mintmark/core/http'
import type { RegisteredClient } from '@mintmark/core/internal'
import { aNumber, anObject, systemClock } from '@mintmark/internal'
import {
  type AdminStorage,
  type EpochSeconds,
  type JsonObject,
  epochSeconds,
  userId,
} from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { type Fault, faultyFetch } from './faults.ts'
import { type SignInRequest, type TestTokens, signInAs, signedInUser, approveAll } from './sign-in.ts'
import { testKeyRing } from './test-key-ring.ts'

/** The options of a test issuer. All of them are optional. */
export interface TestIssuerOptions extends Pick<
  AuthorizationServerOptions,
  'scopes' | 'resources' | 'lifetimes' | 'claims' | 'defaultAudience' | 'dpop' | 'mutualTls'
> {
  /**
   * The issuer URL.
   * @defaultValue `https://issuer.test`. The issuer listens on no port, so any URL works.
   */
  readonly issuer?: string
  /**
   * The initial time of the clock, in seconds since 1970.
   * @defaultValue The current time, so that verifiers that use the real time accept the tokens. A test that depends on
   *   time sets it here and in the code under test.
   */
  readonly now?: number
  /**
   * Returns the keys that attest the instances of a client, as the option of `attestedClients`. With it, clients can be
   * registered with `attest_jwt_client_auth`.
   * @defaultValue None. No client can authenticate with an attestation.
   * @experimental As `attestedClients`.
   */
  readonly attesterKeys?: Parameters<typeof attestedClients>[0]['attesterKeys']
}

/** An issuer inside a test: a complete server without a port, pages or delays. */
export interface TestIssuer {
  readonly issuer: string
  /** Sends requests to the issuer, in this process. Pass it to your client library as `fetch`. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** The server, for an adapter, if a test needs a port. */
  readonly service: HttpService
  readonly storage: AdminStorage
  /** The events so far. */
  readonly events: readonly ServerEvent[]
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  /** Creates an active user. */
  addUser(subject: string, claims?: JsonObject): Promise<void>
  addClient(registration: ClientRegistration): Promise<RegisteredClient>
  /**
   * Signs a user in to a client with the authorization code flow and PKCE. Creates the user if it does not exist.
   */
  signIn(request: SignInRequest): Promise<TestTokens>
  /** Signs with a new key from now on. The previous one stays published. */
  rotateKeys(): void
  /** Applies a fault to the next matching request. */
  failNext(fault: Fault): void
}

/**
 * Creates an issuer for tests of clients and APIs. Its clock stands still until the test advances it, its signing keys
 * are public, and it signs in any user.
 * @throws Error in production (`NODE_ENV=production`), because anybody could sign tokens with its keys.
 */
export function createTestIssuer(options: TestIssuerOptions = {}): TestIssuer {
  refuseProduction()
  if (anObject(options) !== undefined) throw new TypeError('createTestIssuer: options must be an object.')
  const { now: initialTime } = options
  if (initialTime !== undefined && aNumber(0, Number.MAX_SAFE_INTEGER)(initialTime) !== undefined)
    throw new TypeError('createTestIssuer: now must be a number of seconds since 1970.')
  const { issuer = 'https://issuer.test', now: startedAt = systemClock(), attesterKeys, ...serverOptions } = options
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
    ...(attesterKeys !== undefined && { clientAuthentication: [attestedClients({ storage, attesterKeys })] }),
    clock: clock.now,
    signedIn: signedInUser(clock.now),
    // The clock stands still, so all sign-ins of a test run happen within one minute.
    rateLimits: { issuedCodes: createMemoryRateLimiter({ points: 1_000_000, window: 60 }) },
    pages: { login: approveAll(clock.now), consent: approveAll(clock.now) },
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

/** @throws Error if NODE_ENV is `production`. */
function refuseProduction(): void {
  if (environmentOf(globalThis)?.['NODE_ENV'] === 'production') {
    throw new Error(
      'A test issuer signs with published keys, so it does not start in production. Use createAuthorizationServer.',
    )
  }
}

/** Returns the environment, or undefined in workers and browsers, which have no `process`. */
const environmentOf = (runtime: object): Readonly<Record<string, string | undefined>> | undefined =>
  (runtime as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }).process?.env
