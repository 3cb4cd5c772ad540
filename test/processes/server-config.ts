/** Where a database is, as a process of its own is told. */
export type DatabaseAddress =
  { readonly engine: 'sqlite'; readonly file: string } | { readonly engine: 'postgres'; readonly url: string }

/** A storage call at which a server dies as if by `kill -9`: before the store has heard of it, or before its answer is known. */
export interface CrashPoint {
  readonly when: 'before' | 'after'
  /** Store and method, such as `codes.consume`. */
  readonly call: string
}

/** What a server process is started with. */
export interface ServerConfig {
  readonly database: DatabaseAddress
  readonly crash: CrashPoint | undefined
}

export const issuer = 'https://as.test'
