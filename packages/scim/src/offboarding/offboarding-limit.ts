/**
 * How many accounts a provider may end in a while: a broken mapping, or a stolen secret, ends everybody within minutes.
 * When it would
 * end more, it is held: it ends nobody until an administrator lets it go on, and everything else works as before. A
 * sensible limit
 * is `{ accounts: 500, percent: 20 }`.
 */
export interface OffboardingLimit {
  /** The most accounts that may end in a window. */
  readonly accounts?: number
  /**
   * The most of a provider's active accounts that may end in a window, of a hundred. The first five are always let
   * through.
   */
  readonly percent?: number
  /** In seconds. Default: one hour. */
  readonly window?: number
}
