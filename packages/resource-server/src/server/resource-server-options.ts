import type { AccessRefusal } from '../access/access-refusal.ts'
import type { ClientCredentials } from '../authorization-server/client-credentials.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Random } from '../runtime/random.ts'

/** What an API gives to `createResourceServer`. Two members are required. */
export interface ResourceServerOptions {
  /** The authorization server's issuer identifier: its public address, without a slash at the end (RFC 8414 §2). */
  readonly issuer: string
  /** This API's identifier, as tokens have it in `aud`: an absolute URI (RFC 8707 §2). */
  readonly audience: string

  /**
   * Who this API is to the authorization server: a client registered with `servedAudiences`. Introspection and the
   * revocation feed need it.
   */
  readonly credentials?: ClientCredentials
  /**
   * Asks the authorization server about tokens (RFC 7662). Without the feed about every token that verifies here; with it
   * about opaque ones, and where the feed cannot speak.
   */
  readonly introspection?: {
    /** Seconds for which an answer counts, yes and no alike, at most 60. Default 5. */
    readonly cacheFor?: number
  }
  /**
   * Learns within a second what was revoked, disabled or deactivated, without a question for each request. Without it and
   * without introspection a token is good until it expires.
   */
  readonly revocationFeed?: {
    /**
     * `on_demand` (default) asks every 0.8 seconds at most, when requests come: for every runtime. `follow` keeps one request
     * open all the time, so that no request waits: for processes that stay. End it with `stop()`.
     */
    readonly mode?: 'on_demand' | 'follow'
    /** Seconds for which the last news count while the authorization server cannot be reached, 1 to 300. Default 10. */
    readonly toleratedSilence?: number
  }

  /** The scope values that mean something here, for the metadata (RFC 9728 §2). */
  readonly scopes?: readonly string[]
  /** A name for people, for the metadata. */
  readonly name?: string
  /** The address of a page for developers, for the metadata. */
  readonly documentation?: string

  /** Seconds by which the clocks may be apart, at most 60. Default 10. */
  readonly clockSkew?: number
  /** Is told of every refusal, with the reason that the client is not told. What it throws is dropped. */
  readonly onRefusal?: (refusal: AccessRefusal) => void
  readonly clock?: Clock
  readonly random?: Random
  readonly fetch?: typeof globalThis.fetch
}
