import type { ReplayOutcome } from './outcome.ts'
import type { EpochSeconds } from './values.ts'

/** The kind of a value: each purpose is a namespace of its own. */
export type ReplayPurpose = 'client_assertion_jti' | 'dpop_jti'

/**
 * Values that count once: the `jti` of a client assertion or a DPoP proof. They are kept until the token that carries them has expired.
 */
export interface ReplayStore {
  /**
   * Law: of all callers with one purpose and value exactly one gets `fresh`, until `expiresAt` has passed.
   * `INSERT … ON CONFLICT (issuer, purpose, value_digest) DO UPDATE SET expires_at = excluded.expires_at WHERE claims.expires_at <= ?`
   * The value may be of any length and content; stores key it by a digest of their own or bound it.
   */
  markUsed(claim: {
    readonly purpose: ReplayPurpose
    readonly value: string
    readonly expiresAt: EpochSeconds
    readonly now: EpochSeconds
  }): Promise<ReplayOutcome>
}
