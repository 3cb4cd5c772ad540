import { anything, checkOptions, createQueues } from '@mintmark/internal'
import {
  epochSeconds,
  type EpochSeconds,
  type ResolvedFilter,
  type ScimStorage,
  type UserRecord,
} from '@mintmark/storage-interface'
import { type DeprovisioningCount, type ProviderId, untilSettled } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'

/** Suspends deprovisioning by a provider that deactivates or removes too many users (a circuit breaker). */
export interface DeprovisioningLimiter {
  /**
   * Counts a deprovisioning or refuses it. Inactive users, and users so new that they may test the connection, are not counted.
   * @throws ScimError 403 — reason `deprovisioning_suspended`; nothing was written.
   */
  admit(ending: Deprovisioning): Promise<void>
}

/** A deactivation or removal that is about to happen. */
interface Deprovisioning {
  readonly providerId: ProviderId
  readonly user: Pick<UserRecord, 'active' | 'createdAt'>
  /** Identifies the request, which is counted once even when its write is retried. */
  readonly attempt: object
  readonly now: EpochSeconds
  /** Called once, when deprovisioning becomes suspended. */
  readonly onSuspended: (count: number) => void
}

/** Creates a limiter that counts in the provider's row by compare-and-swap, so that all processes share the count. */
export function createDeprovisioningLimiter(
  limit: DeprovisioningLimit,
  { storage }: { readonly storage: ScimStorage },
): DeprovisioningLimiter {
  checkOptions('deprovisioningLimit', limit, { users: anything, percent: anything, window: anything })
  const admitted = new WeakSet<object>()
  // Counts of one provider would conflict in storage.
  const queue = createQueues()

  return {
    async admit(ending) {
      const { user, now, attempt, providerId } = ending
      if (!user.active || now - user.createdAt < minimumAge || admitted.has(attempt)) return
      const isAdmitted = await queue(providerId, () => untilSettled(() => countDeprovisioning(ending, limit, storage)))
      // RFC 7644 §3.12, 403: an administrator has to release the provider first.
      if (!isAdmitted) throw refusal('deprovisioning_suspended')
      admitted.add(attempt)
    },
  }
}

/** Undefined after a conflict. */
async function countDeprovisioning(
  { providerId, now, onSuspended: held }: Deprovisioning,
  limit: DeprovisioningLimit,
  storage: ScimStorage,
): Promise<boolean | undefined> {
  const provider = await storage.identityProviders.find(providerId)
  // The provider was removed since it was authenticated.
  if (provider === undefined) return false
  const current = countAt(provider.deprovisioning, limit, now)
  if (current.suspendedAt !== undefined) return false

  const isOver = current.count >= (await allowedDeprovisionings(current.count, { providerId, limit, now }, storage))
  const offboarding = isOver ? { ...current, suspendedAt: now } : { ...current, count: current.count + 1 }
  const swapped = await storage.identityProviders.compareAndSwap(
    { ...provider, deprovisioning: offboarding },
    provider.version,
  )
  if (swapped.outcome !== 'swapped') return undefined
  if (isOver) held(current.count)
  return !isOver
}

/** The current count. It starts again when the window is over; a suspension does not expire. */
function countAt(
  counted: DeprovisioningCount | undefined,
  { window = defaultWindow }: DeprovisioningLimit,
  now: EpochSeconds,
): DeprovisioningCount {
  const isOver = counted === undefined || (counted.suspendedAt === undefined && now - counted.windowStartedAt >= window)
  return isOver ? { windowStartedAt: now, count: 0, suspendedAt: undefined } : counted
}

/** The number of deprovisionings allowed in a window. */
async function allowedDeprovisionings(
  ended: number,
  {
    providerId,
    limit: { users: accounts = Infinity, percent, window = defaultWindow },
    now,
  }: { readonly providerId: ProviderId; readonly limit: DeprovisioningLimit; readonly now: EpochSeconds },
  storage: ScimStorage,
): Promise<number> {
  if (percent === undefined || ended >= accounts || ended < alwaysAllowed) return accounts
  const active = await storage.provisionedUsers.list({
    providerId,
    filter: { kind: 'and', operands: [isActive, createdBefore(epochSeconds(now - window))] },
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 0 },
  })
  // Fails closed: when storage refuses to count its users, the provider is treated as a small one.
  const total = active.outcome === 'listed' ? active.total + ended : 0
  return Math.min(accounts, Math.max(alwaysAllowed, Math.floor((total * percent) / 100)))
}

const isActive: ResolvedFilter = Object.freeze({
  kind: 'boolean',
  attribute: { extension: undefined, name: 'active', subName: undefined, multiValued: false },
  operator: 'eq',
  value: true,
})

/** Users who were created within the window do not raise the limit: a provider can create any number of them. */
const createdBefore = (time: EpochSeconds): ResolvedFilter => ({
  kind: 'number',
  attribute: { extension: undefined, name: 'meta', subName: 'created', multiValued: false },
  operator: 'le',
  value: time * 1000,
})

const defaultWindow = 3600

/** In seconds. JumpCloud tests a connection with a user that it creates and removes immediately. */
const minimumAge = 600

const alwaysAllowed = 5

/**
 * Limits how many users a provider may deactivate or remove, because a broken mapping or a stolen secret can deprovision all
 * users within minutes. Beyond the limit, deprovisioning is suspended until an administrator releases it; everything else works
 * as before. A sensible limit is `{ users: 500, percent: 20 }`.
 */
export interface DeprovisioningLimit {
  /**
   * The maximum number of users in a window.
   * @defaultValue Any number. Then `percent` is the limit.
   */
  readonly users?: number
  /**
   * The maximum percentage of the provider's active users in a window. Users who were created within the window do not count. The
   * first five are always allowed.
   * @defaultValue Any share. Then `users` is the limit.
   */
  readonly percent?: number
  /**
   * In seconds.
   * @defaultValue 3600. A mistake deprovisions all users within minutes; real departures spread over days.
   */
  readonly window?: number
}
