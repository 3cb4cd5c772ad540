import {
  aFunction,
  checkOptions,
  encodeBase64url,
  sha256,
  systemClock,
  systemRandom,
  type Clock,
} from '@mintmark/internal'

import { type EventListener, openJournal } from '../events.ts'
import { ipv6Bytes, isPublicAddress } from '../outbound/public-address.ts'
import { aRateLimiter, createMemoryRateLimiter, type RateDecision, type RateLimiter } from '../rate-limiter.ts'
import { reportFaults } from '../telemetry.ts'

/** The counters of `limitSignIns`, and who hears of attempts. */
export interface SignInLimits {
  /**
   * Counts the failed attempts for each account.
   * @defaultValue 10 in five minutes, in this process.
   */
  readonly byAccount?: RateLimiter
  /**
   * Counts the failed attempts from each IP address, for all accounts together. IPv6 addresses with the same first 64
   * bits are counted as one, because one machine can use all of them.
   * @defaultValue 100 in five minutes, in this process. Users of an office share an address.
   */
  readonly byAddress?: RateLimiter
  /**
   * Receives the events `sign_in.failed`, `sign_in.throttled` and `sign_in.one_address`. Pass the listener of the server.
   * @defaultValue warns on the console of `sign_in.one_address`, and ignores the others.
   */
  readonly onEvent?: EventListener
  readonly clock?: Clock
}

/** Whether to check the password, and a function that takes what the check found. */
export type SignInDecision = RateDecision & {
  /**
   * Reports the outcome of an allowed attempt. Only the first report counts. A success gives the attempt back. An attempt
   * that is never reported counts as a failure. For a refused attempt the function does nothing.
   */
  readonly report: (outcome: 'succeeded' | 'failed') => Promise<void>
}

/**
 * Creates a counter of sign-in attempts for the host's sign-in page. Call the counter before you check a password; do
 * not check the password if it returns `allowed: false`; report the outcome (RFC 6749 §10.10, NIST SP 800-63B §5.2.2).
 * An attempt is counted at once and given back when it succeeds, so parallel guesses are limited too.
 * @example
 * const attempts = limitSignIns({ onEvent: logEvents(console) })
 * const { allowed, report } = await attempts({ account: user?.id ?? name, address: request.ip })
 * const isRight = allowed && (await checkPassword(user, password))
 * await report(isRight ? 'succeeded' : 'failed')
 */
export function limitSignIns(
  limits: SignInLimits = {},
): (attempt: { readonly account: string; readonly address?: string | undefined }) => Promise<SignInDecision> {
  checkOptions('limitSignIns', limits, {
    byAccount: aRateLimiter,
    byAddress: aRateLimiter,
    onEvent: aFunction,
    clock: aFunction,
  })
  const byAccount = limits.byAccount ?? createMemoryRateLimiter({ points: 10, window: 300 })
  const byAddress = limits.byAddress ?? createMemoryRateLimiter({ points: 100, window: 300 })
  const clock = limits.clock ?? systemClock
  const journal = openJournal(limits.onEvent ?? reportFaults(console), { clock, random: systemRandom })
  const watch = watchAddresses((network) => journal.recordWithoutRequest({ type: 'sign_in.one_address', network }))

  return async ({ account, address }) => {
    const now = clock()
    const network = address === undefined ? undefined : publishedNetworkOf(address)
    if (address !== undefined) watch(address)
    // Spellings of a name that differ only in case or Unicode form are counted together. The name is hashed for two
    // reasons: the key stays short even if the user enters a long text, and the host's limiter does not store a
    // password that the user enters in the field for the name.
    const name = encodeBase64url(await sha256(account.normalize('NFKC').toLowerCase()))
    const counters: readonly Counter[] = [
      ...(address === undefined
        ? []
        : [{ limit: 'address', limiter: byAddress, key: `address ${networkOf(address)}` } as const]),
      { limit: 'account', limiter: byAccount, key: `account ${name}` },
    ]
    let decision: RateDecision = { allowed: true }
    for (const { limit, limiter, key } of counters) {
      decision = await limiter.consume(key, now)
      if (decision.allowed) continue
      const { retryAfter } = decision
      journal.recordWithoutRequest({ type: 'sign_in.throttled', limit, network, retryAfter })
      return { ...decision, report: () => Promise.resolve() }
    }

    let isReported = false
    const report: SignInDecision['report'] = async (outcome) => {
      if (isReported) return
      isReported = true
      if (outcome === 'failed') return journal.recordWithoutRequest({ type: 'sign_in.failed', network })
      for (const { limiter, key } of counters) await limiter.giveBack?.(key, now)
    }
    return { ...decision, report }
  }
}

interface Counter {
  readonly limit: 'address' | 'account'
  readonly limiter: RateLimiter
  readonly key: string
}

/** Reports once if the first twenty attempts all come from one address that is not public. */
function watchAddresses(reportOne: (network: string | undefined) => void): (address: string) => void {
  let first: string | undefined
  let count = 0
  return (address) => {
    if (count >= 20) return
    first ??= address
    count = address === first && !isPublicAddress(address) ? count + 1 : 20 + 1
    if (count === 20) reportOne(publishedNetworkOf(address))
  }
}

/** Returns the network for logs, which identifies no person: the first 24 bits of IPv4, the first 48 of IPv6. */
function publishedNetworkOf(address: string): string | undefined {
  const network = networkOf(address)
  const ipv4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(network)
  if (ipv4 !== null) return `${ipv4[1]}.0/24`
  const bytes = address.includes(':') ? ipv6Bytes(address) : undefined
  if (bytes === undefined) return undefined
  const groups = [0, 2, 4].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16))
  return `${groups.join(':')}::/48`
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
