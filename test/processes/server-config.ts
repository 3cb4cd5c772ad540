/** The address of a database, passed to a process. */
export type DatabaseAddress =
  { readonly engine: 'sqlite'; readonly file: string } | { readonly engine: 'postgres'; readonly url: string }

/**
 * A storage call at which a server dies as if by `kill -9`: before the call reaches the store, or before its result is
 * known.
 */
export interface CrashPoint {
  readonly when: 'before' | 'after'
  /** Store and method, such as `codes.consume`. */
  readonly call: string
}

/** The configuration of a server process. */
export interface ServerConfig {
  readonly database: DatabaseAddress
  readonly crash: CrashPoint | undefined
  /** The option `refreshTokenRotation`. */
  readonly rotation: 'always' | 'unbound_only'
  /** The option `maxConcurrentRequests`. */
  readonly maxConcurrentRequests?: number
}

export const issuer = 'https://as.test'
