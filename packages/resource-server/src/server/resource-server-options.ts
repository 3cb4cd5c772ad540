import type { AccessRefusedError } from '../access/access-refusal.ts'
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
   * @defaultValue None. Whoever verifies signatures alone needs none.
   */
  readonly credentials?: ClientCredentials
  /**
   * Asks the authorization server about tokens (RFC 7662). Without the feed about every token that verifies here;
   * with it about opaque ones, and where the feed cannot speak.
   * @defaultValue Nothing is asked. A signature says enough until the token expires.
   */
  readonly introspection?: {
    /**
     * Seconds for which an answer counts, yes and no alike, at most 60.
     * @defaultValue 5. A page that makes ten requests asks once, and what was revoked is refused soon.
     */
    readonly cacheFor?: number
  }
  /**
   * Learns within a second what was revoked, disabled or deactivated, without a question for each request. Without it
   * and without introspection a token is good until it expires.
   * @defaultValue None. It needs `credentials`, and a server that has a feed.
   */
  readonly revocationFeed?: {
    /**
     * `on_demand` asks every 0.8 seconds at most, when requests come: for every runtime. `follow` keeps one request
     * open all the time, so that no request waits: for processes that stay. End it with `stop()`.
     * @defaultValue `on_demand`. It runs everywhere, and nothing has to be stopped.
     */
    readonly mode?: 'on_demand' | 'follow'
    /**
     * Seconds for which the last news count while the authorization server cannot be reached, 1 to 300.
     * @defaultValue 10. A restart over there is not noticed here; an outage ends access, not the other way round.
     */
    readonly toleratedSilence?: number
  }

  /**
   * The scope values that mean something here, for the metadata (RFC 9728 §2).
   * @defaultValue Left out. Clients then have to know.
   */
  readonly scopes?: readonly string[]
  /**
   * A name for people, for the metadata.
   * @defaultValue Left out. Programs do not need it.
   */
  readonly name?: string
  /**
   * The address of a page for developers, for the metadata.
   * @defaultValue Left out. Programs do not need it.
   */
  readonly documentation?: string

  /**
   * Seconds by which the clocks may be apart, at most 60.
   * @defaultValue 10. Machines that keep time are closer; more would keep expired tokens alive.
   */
  readonly clockSkew?: number
  /**
   * Is told of every refusal, with the reason that the client is not told. What it throws is dropped.
   * @defaultValue Nothing is told. What an API logs is its own affair.
   */
  readonly onRefusal?: (refusal: AccessRefusedError) => void
  readonly clock?: Clock
  readonly random?: Random
  /**
   * Asks the authorization server.
   * @defaultValue The runtime's own. Give another one behind a proxy for what goes out.
   */
  readonly fetch?: typeof globalThis.fetch
}
