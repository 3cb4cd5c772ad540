import type { ReplayOutcome } from './outcome.ts'
import type { EpochSeconds } from './values.ts'

/** The kind of a value. Each purpose is a separate namespace. */
export type ReplayPurpose = 'assertion_jti' | 'client_assertion_jti' | 'dpop_jti' | 'revocation_jti' | 'set_jti'

/**
 * Values that are accepted only once: the `jti` of an assertion about a user, a client assertion, a DPoP proof, a request for Universal Logout or a security event.
 * They are kept until it has expired.
 */
export interface ReplayStore {
  /**
   * Law: of all callers with the same purpose and value, exactly one gets `fresh` until `expiresAt` has passed.
   * In SQL: `INSERT … ON CONFLICT (issuer, purpose, value_digest) DO UPDATE SET expires_at = excluded.expires_at WHERE claims.expires_at <= ?`
   * The value may have any length and content. A store uses a digest of it as the key, or limits its length.
   */
  markUsed(use: {
    readonly purpose: ReplayPurpose
    readonly value: string
    readonly expiresAt: EpochSeconds
    readonly now: EpochSeconds
  }): Promise<ReplayOutcome>
}
