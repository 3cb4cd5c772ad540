import type { Storage } from '@mintmark/storage-interface'

import type { MapClaims } from '../claims/release-claims.ts'
import type { ErrorPageContent } from '../error/render-error-page.ts'
import type { EventListener } from '../event/journal.ts'
import type { GrantType } from '../grant/grant.ts'
import type { ServerRequest, ServerResponse } from '../http/index.ts'
import type { InteractionPage } from '../interaction/interaction-page.ts'
import type { KeyRing, SigningAlgorithm } from '../key/key-ring.ts'
import type { Clock } from '../runtime/clock.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { RevocationFeed } from '../revocation-feed/in-process-revocation-feed.ts'
import type { Random } from '../runtime/random.ts'
import type { SignedIn } from '../session/signed-in.ts'

/** What a host gives to `createAuthorizationServer`. Four members are required. */
export interface AuthorizationServerOptions {
  /** The server's public address (RFC 8414 §2): https, or http on loopback. It may have a path. */
  readonly issuer: string
  readonly storage: Storage
  readonly keys: KeyRing
  /** Who the host's own session says is there. It is asked at the authorization endpoint. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>

  /**
   * The host's login and consent pages, served at their addresses below. Leave them out when the host's own framework
   * serves them, and use `interaction(request)` there.
   */
  readonly pages?: { readonly login: InteractionPage; readonly consent: InteractionPage }
  /** The addresses of the host's pages, absolute or relative to the issuer's address. Default `/login` and `/consent` below the issuer. */
  readonly interaction?: { readonly loginUrl?: string; readonly consentUrl?: string }
  /** Scope values beyond those of OpenID Connect: a sentence for the consent page, or the sentence and the claims that it opens. */
  readonly scopes?: Readonly<Record<string, string | ScopeOption>>
  /** The APIs that access tokens may be meant for, by their identifier (RFC 8707): an absolute URI without fragment. */
  readonly resources?: Readonly<Record<string, ResourceOption>>
  /** The `aud` of access tokens when the request names no resource. Default: the issuer. */
  readonly defaultAudience?: string
  /**
   * Grants of the host's own, made with `defineGrant`, beside `authorization_code`, `refresh_token` and
   * `client_credentials`. Their names are absolute URIs (RFC 6749 §4.5).
   */
  readonly grants?: readonly GrantType[]
  /** Tells resource servers at once what was revoked, disabled or deactivated: made by `inProcessRevocationFeed`, whose storage this server uses. */
  readonly revocationFeed?: RevocationFeed
  /** Adds claims about a person to what storage knows, or replaces them. */
  readonly claims?: MapClaims
  /** The algorithm that signs access tokens. Default: the first of the key ring's. */
  readonly accessTokenAlgorithm?: SigningAlgorithm
  readonly lifetimes?: Partial<Lifetimes>
  /** Seconds in which a refresh token that was just rotated gives the same successor again. Defaults: confidential 10, public 30. */
  readonly refreshRetryWindow?: { readonly confidential?: number; readonly public?: number }
  /** Confidential clients, by `client_id`, that may do without PKCE (RFC 9700 §2.1.1 advises against it). */
  readonly dangerouslyAllowMissingPkceFor?: readonly string[]
  /** Renders the page that a person sees when a request cannot go back to its client. */
  readonly renderErrorPage?: (error: ErrorPageContent) => ServerResponse
  /**
   * Receives what happened and what was refused, with the reason: `logEvents(logger)`. Default: failures inside the server
   * and unsafe options go to the console, everything else nowhere.
   */
  readonly onEvent?: EventListener
  /** Counters in place of this process's memory, such as `fromRateLimiterFlexible(…)`: several servers then count together. */
  readonly rateLimits?: {
    /** By presented `client_id`. Default: 100 a minute. */
    readonly failedAuthentications?: RateLimiter
    /** By browser. Default: 100 in ten minutes. */
    readonly startedInteractions?: RateLimiter
  }
  readonly clock?: Clock
  readonly random?: Random
  /** Fetches the key sets of clients that register a `jwks_uri`. Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch
}

/** A scope value of the host's own. */
export interface ScopeOption {
  /** A sentence for the consent page. */
  readonly description: string
  /** Names of claims that it opens at userinfo. */
  readonly claims?: readonly string[]
}

/** An API that access tokens may be meant for. */
export interface ResourceOption {
  /** The scope values that mean something there; each must be among `scopes`. */
  readonly scopes: readonly string[]
  /** In seconds. Default: that of all access tokens. */
  readonly accessTokenLifetime?: number
  /** Default `jwt`. */
  readonly accessTokenFormat?: 'jwt' | 'opaque'
}

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Default 60. */
  readonly authorizationCode: number
  /** Default 600. */
  readonly accessToken: number
  /** Default 600. */
  readonly idToken: number
  /** How long a person may take to sign in and consent. Default 1800. */
  readonly interaction: number
  /** A refresh token that nobody uses for so long is dead. Default 14 days. */
  readonly refreshTokenIdle: number
  /** No rotation keeps a refresh token alive for longer. Default 90 days. */
  readonly refreshTokenAbsolute: number
}
