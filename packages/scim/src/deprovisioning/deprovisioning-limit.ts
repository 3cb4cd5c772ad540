/**
 * How many accounts a provider may end in a while: a broken mapping, or a stolen secret, ends everybody within minutes.
 * When it would
 * end more, it is held: it ends nobody until an administrator lets it go on, and everything else works as before. A
 * sensible limit
 * is `{ accounts: 500, percent: 20 }`.
 */
export interface DeprovisioningLimit {
  /**
   * The most accounts that may end in a window.
   * @defaultValue Any number. Then `percent` is the limit.
   */
  readonly accounts?: number
  /**
   * The most of a provider's active accounts that may end in a window, of a hundred. The first five are always let
   * through.
   * @defaultValue Any share. Then `accounts` is the limit.
   */
  readonly percent?: number
  /**
   * In seconds.
   * @defaultValue 3600. A mistake ends everybody within minutes; people leave over days.
   */
  readonly window?: number
}
