import {
  type DeprovisioningCount,
  type EpochSeconds,
  type ProviderId,
  type ResolvedFilter,
  type ScimStorage,
  untilSettled,
  type UserRecord,
} from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Holds a provider that ends too many accounts. */
export interface DeprovisioningLimiter {
  /**
   * Counts the end of an account that is about to end, or refuses it. What is in no use, and what is as young as the
   * account that a
   * provider tries its connection with, is not counted.
   * @throws ScimError 403 — reason `deprovisioning_suspended`; nothing has ended.
   */
  admit(ending: Deprovisioning): Promise<void>
}

/** An account that a provider is about to end. */
interface Deprovisioning {
  readonly providerId: ProviderId
  readonly user: Pick<UserRecord, 'active' | 'createdAt'>
  /** What is done once, however often it is attempted: counted once. */
  readonly attempt: object
  readonly now: EpochSeconds
  /** Told once, when the provider comes to be held. */
  readonly onSuspended: (count: number) => void
}

/** Counts in the provider's own row, by compare-and-swap: several processes count together. */
export function createDeprovisioningLimiter(
  limit: DeprovisioningLimit,
  { storage }: { readonly storage: ScimStorage },
): DeprovisioningLimiter {
  const admitted = new WeakSet<object>()
  const queue = oneAtATime()

  return {
    async admit(ending) {
      const { user, now, attempt, providerId } = ending
      if (!user.active || now - user.createdAt < minimumAge || admitted.has(attempt)) return
      const isAdmitted = await queue(providerId, () => untilSettled(() => countDeprovisioning(ending, limit, storage)))
      // RFC 7644 §3.12, 403: an administrator has to look at it first.
      if (!isAdmitted) throw refusal('deprovisioning_suspended')
      admitted.add(attempt)
    },
  }
}

/** Undefined when somebody else was faster. */
async function countDeprovisioning(
  { providerId, now, onSuspended: held }: Deprovisioning,
  limit: DeprovisioningLimit,
  storage: ScimStorage,
): Promise<boolean | undefined> {
  const provider = await storage.identityProviders.find(providerId)
  // Removed since it was authenticated: it ends nobody.
  if (provider === undefined) return false
  const current = countAt(provider.deprovisioning, limit, now)
  if (current.suspendedAt !== undefined) return false

  const isOver = current.count >= (await allowedDeprovisionings(current.count, { providerId, limit }, storage))
  const offboarding = isOver ? { ...current, suspendedAt: now } : { ...current, count: current.count + 1 }
  const swapped = await storage.identityProviders.compareAndSwap(
    { ...provider, deprovisioning: offboarding },
    provider.version,
  )
  if (swapped.outcome !== 'swapped') return undefined
  if (isOver) held(current.count)
  return !isOver
}

/** What counts now: a window that is over counts no more, a hold lasts. */
function countAt(
  counted: DeprovisioningCount | undefined,
  { window = 3600 }: DeprovisioningLimit,
  now: EpochSeconds,
): DeprovisioningCount {
  const isOver = counted === undefined || (counted.suspendedAt === undefined && now - counted.windowStartedAt >= window)
  return isOver ? { windowStartedAt: now, count: 0, suspendedAt: undefined } : counted
}

/** How many may end in a window of which so many have ended. */
async function allowedDeprovisionings(
  ended: number,
  {
    providerId,
    limit: { users: accounts = Infinity, percent },
  }: { readonly providerId: ProviderId; readonly limit: DeprovisioningLimit },
  storage: ScimStorage,
): Promise<number> {
  if (percent === undefined || ended >= accounts || ended < alwaysAllowed) return accounts
  const active = await storage.provisionedUsers.list({
    providerId,
    filter: isActive,
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 0 },
  })
  // Fails closed: where storage will not count them, the provider counts as a small one.
  const total = active.outcome === 'listed' ? active.total + ended : 0
  return Math.min(accounts, Math.max(alwaysAllowed, Math.floor((total * percent) / 100)))
}

const isActive: ResolvedFilter = Object.freeze({
  kind: 'boolean',
  attribute: { extension: undefined, name: 'active', subName: undefined, multiValued: false },
  operator: 'eq',
  value: true,
})

/** In seconds. JumpCloud tries a connection with an account that it creates and removes at once. */
const minimumAge = 600

const alwaysAllowed = 5

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
  readonly users?: number
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
