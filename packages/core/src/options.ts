import type { Clock, Random, ServerRequest } from '@mintmark/internal'
import type { OAuthStorage } from '@mintmark/storage-interface'
import type { InteractionPage } from './authorize/pending-interaction.ts'
import type { RenderErrorPage } from './errors.ts'
import type { EventListener } from './events.ts'
import type { KeyRing, SigningAlgorithm } from './keys/ring.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { SignedIn } from './sessions/signed-in-user.ts'
import type { GrantType } from './token/grant.ts'
import type { MapClaims } from './tokens/claims.ts'

/** What a host gives to `createAuthorizationServer`. Four members are required. */
export interface AuthorizationServerOptions {
  /** The server's public address (RFC 8414 §2): https, or http on loopback. It may have a path. */
  readonly issuer: string
  /** Where everything stands that outlives a request. It is bound to the same issuer. */
  readonly storage: OAuthStorage
  /** The signing keys: `storedKeys(…)`, or a key ring of your own. */
  readonly keys: KeyRing
  /** Who the host's own session says is there. It is asked at the authorization endpoint. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>

  /**
   * The host's login and consent pages, served at their addresses below. Leave them out when the host's own framework
   * serves them, and use `interaction(request)` there.
   * @defaultValue None. The host's own framework serves them.
   */
  readonly pages?: {
    /** Asks who is there. */
    readonly login: InteractionPage
    /** Asks whether the client may. */
    readonly consent: InteractionPage
  }
  /** The addresses of the host's pages, absolute or relative to the issuer's address. */
  readonly interaction?: {
    /**
     * Where a person signs in.
     * @defaultValue `/login` below the issuer. One prefix then leads to everything.
     */
    readonly loginUrl?: string
    /**
     * Where a person lets a client in.
     * @defaultValue `/consent` below the issuer. One prefix then leads to everything.
     */
    readonly consentUrl?: string
  }
  /**
   * Scope values beyond those of OpenID Connect: a sentence for the consent page, or the sentence and the claims that
   * it opens.
   * @defaultValue None. Those of OpenID Connect are always there.
   */
  readonly scopes?: Readonly<Record<string, string | ScopeOption>>
  /**
   * The APIs that access tokens may be meant for, by their identifier (RFC 8707): an absolute URI without fragment.
   * @defaultValue None. Access tokens are then meant for `defaultAudience`.
   */
  readonly resources?: Readonly<Record<string, ResourceOption>>
  /**
   * The `aud` of access tokens when the request names no resource.
   * @defaultValue The issuer. A token has an audience also when the request names none (RFC 9068 §3).
   */
  readonly defaultAudience?: string
  /**
   * Grants of the host's own, made with `defineGrant`, beside `authorization_code`, `refresh_token` and
   * `client_credentials`. Their names are absolute URIs (RFC 6749 §4.5).
   * @defaultValue None. Each is one more way to get tokens.
   */
  readonly grants?: readonly GrantType[]
  /**
   * Tells resource servers within a second what was revoked, disabled or deactivated, by this process or by any other that
   * uses the storage. No access token may then live for longer than a day.
   * @defaultValue `false`. An API that does not ask then learns of an end when the access token expires.
   */
  readonly revocationFeed?: boolean
  /**
   * Adds claims about a person to what storage knows, or replaces them.
   * @defaultValue None. What storage knows is released as it is.
   */
  readonly claims?: MapClaims
  /**
   * The algorithm that signs access tokens.
   * @defaultValue The first of the key ring's. With `storedKeys` that is ES256, whose signatures are short and cheap
   *   to make.
   */
  readonly accessTokenAlgorithm?: SigningAlgorithm
  /** How long things live, in seconds; at most a year each. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Seconds, at most 60, in which a refresh token that was just rotated gives the same successor again. */
  readonly refreshRetryWindow?: {
    /**
     * For clients that prove who they are.
     * @defaultValue 10. A server that lost the answer tries again at once.
     */
    readonly confidential?: number
    /**
     * For public clients.
     * @defaultValue 30. A phone loses its connection more often, and for longer.
     */
    readonly public?: number
  }
  /**
   * Confidential clients, by `client_id`, that may do without PKCE (RFC 9700 §2.1.1 advises against it).
   * @defaultValue None. PKCE makes a code worthless to whoever steals it.
   */
  readonly dangerouslyAllowMissingPkceFor?: readonly string[]
  /**
   * Renders the page that a person sees when a request cannot go back to its client.
   * @defaultValue A plain page without style. It needs nothing of the host's; `errorPage` of `@mintmark/pages` looks
   *   better.
   */
  readonly renderErrorPage?: RenderErrorPage
  /**
   * Receives what happened and what was refused, with the reason: `logEvents(logger)`. A logger such as pino gets each event with
   * all its fields, a `console` one line.
   * @defaultValue Failures inside the server and unsafe options go to the console, everything else nowhere. Nobody
   *   misses what must be mended, and no log fills that nobody asked for.
   */
  readonly onEvent?: EventListener
  /**
   * Counters in place of this process's memory, such as `fromRateLimiterFlexible(…)`: several servers then count
   * together.
   */
  readonly rateLimits?: {
    /**
     * Counts failed client authentications, by presented `client_id`. A client that proves itself is never held up.
     * @defaultValue 100 a minute, in this process. Secrets have 256 random bits, so what is bounded is work, not luck.
     */
    readonly failedAuthentications?: RateLimiter
    /**
     * Counts authorization requests that had to wait for a person, by browser.
     * @defaultValue 100 in ten minutes, in this process. Nobody signs in so often, and each one is a row in storage.
     */
    readonly startedInteractions?: RateLimiter
  }
  readonly clock?: Clock
  readonly random?: Random
  /**
   * Fetches the key sets of clients that register a `jwks_uri`.
   * @defaultValue The runtime's own. Give another one behind a proxy for what goes out.
   */
  readonly fetch?: typeof globalThis.fetch
}

/** A scope value of the host's own. */
export interface ScopeOption {
  /** A sentence for the consent page. */
  readonly description: string
  /**
   * Names of claims that it opens at userinfo.
   * @defaultValue None. Most scope values are about an API, not about the person.
   */
  readonly claims?: readonly string[]
}

/** An API that access tokens may be meant for. */
interface ResourceOption {
  /** The scope values that mean something there; each must be among `scopes`. */
  readonly scopes: readonly string[]
  /**
   * In seconds.
   * @defaultValue `lifetimes.accessToken`. Give a shorter one to an API where ten minutes are too long.
   */
  readonly accessTokenLifetime?: number
  /**
   * `jwt` is verified by the API itself; `opaque` makes it ask, and tells the client nothing.
   * @defaultValue `jwt`. An API then works without a question for each request.
   */
  readonly accessTokenFormat?: 'jwt' | 'opaque'
}

/** Lifetimes in seconds. */
export interface Lifetimes {
  /**
   * An authorization code.
   * @defaultValue 60. A browser brings it back at once, and one that leaks is soon dead (RFC 6749 §4.1.2 allows ten
   *   minutes).
   */
  readonly authorizationCode: number
  /**
   * An access token.
   * @defaultValue 600. For so long an API that does not ask honours a token that was revoked.
   */
  readonly accessToken: number
  /**
   * An ID token.
   * @defaultValue 600. A client reads it once, when it comes; as a hint it counts also when it has expired.
   */
  readonly idToken: number
  /**
   * How long a person may take to sign in and consent.
   * @defaultValue 1800. A forgotten password takes a while.
   */
  readonly interaction: number
  /**
   * A refresh token that nobody uses for so long is dead.
   * @defaultValue 1209600, 14 days. Who was away for longer signs in again (RFC 9700 §4.14.2).
   */
  readonly refreshTokenIdle: number
  /**
   * No rotation keeps a refresh token alive for longer.
   * @defaultValue 7776000, 90 days. Now and then a person proves that they are still there, and that it is them.
   */
  readonly refreshTokenAbsolute: number
}
