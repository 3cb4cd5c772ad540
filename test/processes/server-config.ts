import type { JsonObject } from '@mintmark/storage-interface'

/** The address of a database, passed to a process. */
export type DatabaseAddress =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres' | 'mariadb'; readonly url: string }

/**
 * A storage call at which a server dies as if by `kill -9`: before the call reaches the store, or before its result is
 * known.
 */
export interface CrashPoint {
  readonly when: 'before' | 'after'
  /** Store and method, such as `codes.consume`. */
  readonly call: string
}

/** A Redis whose primary Sentinels know. */
export interface SentinelAddress {
  readonly sentinels: { readonly host: string; readonly port: number }[]
  readonly name: string
  /** The option of `createRedisStorage`. */
  readonly waitForReplicas: number
}

/** The configuration of a server process. */
export interface ServerConfig {
  readonly database: DatabaseAddress
  readonly crash: CrashPoint | undefined
  /** The option `refreshTokenRotation`. */
  readonly rotation: 'always' | 'unbound_only'
  /** The option `maxConcurrentRequests`. */
  readonly maxConcurrentRequests?: number
  /** The keys of `partner`, whose JWTs about users are accepted (RFC 7523 §2.1). */
  readonly partnerKeys?: JsonObject
  /** A file to which the server writes its events, one JSON object a line. Without it, only unexpected failures are printed. */
  readonly eventLog?: string
  /** Where the records are that expire. Without it, they are in the database. */
  readonly redis?: SentinelAddress
}

/** The issuer of assertions that the host trusts. */
export const partner = 'https://partner.example'
/** The API of exchanged tokens and of assertions. */
export const api = 'https://api.test'

export const issuer = 'https://as.test'
