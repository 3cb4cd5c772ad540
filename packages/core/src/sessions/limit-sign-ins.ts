import { aFunction, checkOptions, encodeBase64url, sha256, systemClock, type Clock } from '@mintmark/internal'

import { ipv6Bytes } from '../outbound/public-address.ts'
import { aRateLimiter, createMemoryRateLimiter, type RateDecision, type RateLimiter } from '../rate-limiter.ts'

/** The counters of `limitSignIns`. */
export interface SignInLimits {
  /**
   * Counts the attempts for each account.
   * @defaultValue 10 in five minutes, in this process.
   */
  readonly byAccount?: RateLimiter
  /**
   * Counts the attempts from each IP address, for all accounts together. IPv6 addresses with the same first 64 bits are
   * counted as one, because one machine can use all of them.
   * @defaultValue 100 in five minutes, in this process. Users of an office share an address.
   */
  readonly byAddress?: RateLimiter
  readonly clock?: Clock
}

/**
 * Creates a counter of sign-in attempts for the host's sign-in page. Call the counter before you check a password; do
 * not check the password if it returns `allowed: false` (RFC 6749 §10.10, NIST SP 800-63B §5.2.2).
 * @example
 * const attempts = limitSignIns()
 * const decision = await attempts({ account: user?.id ?? name, address: request.ip })
 * if (!decision.allowed) return tooManyAttempts(decision.retryAfter)
 */
export function limitSignIns(
  limits: SignInLimits = {},
): (attempt: { readonly account: string; readonly address?: string | undefined }) => Promise<RateDecision> {
  checkOptions('limitSignIns', limits, { byAccount: aRateLimiter, byAddress: aRateLimiter, clock: aFunction })
  const byAccount = limits.byAccount ?? createMemoryRateLimiter({ points: 10, window: 300 })
  const byAddress = limits.byAddress ?? createMemoryRateLimiter({ points: 100, window: 300 })
  const clock = limits.clock ?? systemClock

  return async ({ account, address }) => {
    const now = clock()
    if (address !== undefined) {
      const decision = await byAddress.consume(`address ${networkOf(address)}`, now)
      if (!decision.allowed) return decision
    }
    // Spellings of a name that differ only in case or Unicode form are counted together. The name is hashed for two
    // reasons: the key stays short even if the user enters a long text, and the host's limiter does not store a
    // password that the user enters in the field for the name.
    const name = encodeBase64url(await sha256(account.normalize('NFKC').toLowerCase()))
    return byAccount.consume(`account ${name}`, now)
  }
}

/**
 * Returns the IPv4 address if the address is IPv4, or IPv4 mapped to IPv6; the first 64 bits if it is any other IPv6
 * address (RFC 4291 §2.5.1); and the unchanged string if it is not an IP address.
 */
function networkOf(address: string): string {
  const bytes = address.includes(':') ? ipv6Bytes(address) : undefined
  if (bytes === undefined) return address
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return isMapped ? bytes.slice(12).join('.') : `${bytes.slice(0, 8).join('.')}/64`
}
