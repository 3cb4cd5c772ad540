// One file: counting a removal, and counting the users that limit it, depend on each other.

import { aNumber, createQueues, type OptionCheck, optionsOf, wholeNumber } from '@mintmark/internal'
import {
  epochSeconds,
  type EpochSeconds,
  type ResolvedFilter,
  type ScimStorage,
  userId,
  type UserRecord,
} from '@mintmark/storage-interface'
import {
  compareText,
  type DeprovisioningCount,
  type ProviderId,
  untilSettled,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'

/** Suspends deprovisioning by a provider that deactivates or removes too many users (a circuit breaker). */
export interface DeprovisioningLimiter {
  /**
   * Counts a deprovisioning or refuses it. Does not count inactive users, or new users, whom the provider may have created
   * to test the connection.
   * @throws ScimError 403 — reason `deprovisioning_suspended`; nothing was written.
   */
  admit(deprovisioning: Deprovisioning): Promise<void>
}

/** A deactivation or removal that is about to happen. */
interface Deprovisioning {
  readonly providerId: ProviderId
  readonly user: Pick<UserRecord, 'active' | 'createdAt' | 'userId'>
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
  const admitted = new WeakSet<object>()
  // Without a queue, simultaneous counts of one provider would conflict in storage.
  const queue = createQueues()

  return {
    async admit(deprovisioning) {
      const { user, now, attempt, providerId } = deprovisioning
      if (!user.active || now - user.createdAt < minimumAge || admitted.has(attempt)) return
      const isAdmitted = await queue(providerId, () =>
        untilSettled(() => countDeprovisioning(deprovisioning, limit, storage)),
      )
      // RFC 7644 §3.12, 403: an administrator has to release the provider first.
      if (!isAdmitted) throw refuse('deprovisioning_suspended')
      admitted.add(attempt)
    },
  }
}

/** Counts a deprovisioning in storage. Returns whether it is admitted; undefined after a conflict. */
async function countDeprovisioning(
  { providerId, user, now, onSuspended }: Deprovisioning,
  limit: DeprovisioningLimit,
  storage: ScimStorage,
): Promise<boolean | undefined> {
  const provider = await storage.identityProviders.find(providerId)
  // The provider was removed since it was authenticated.
  if (provider === undefined) return false
  const current = countAt(provider.deprovisioning, limit, now)
  if (current.suspendedAt !== undefined) return false

  const { users = Infinity, percent } = limit
  const isLimited = percent !== undefined && current.count >= alwaysAllowed && current.count < users
  const context: CohortContext = { providerId, limit, now, storage }
  const known = current.cohorts ?? (isLimited ? await readCohorts(current, context) : [])
  const isFull = (cohort: Cohort): boolean => cohort.count >= allowedIn(cohort, percent ?? 100)
  // Users who were created after the cohorts were read increase the size of the cohort of all active users.
  const cohorts = known.some((cohort) => cohort.newest === undefined && isFull(cohort))
    ? await recountAll(known, current, context)
    : known
  const exceedsLimit = current.count >= users || cohorts.some((cohort) => belongsTo(cohort, user) && isFull(cohort))
  const counted = { ...current, cohorts: cohorts.length === 0 ? undefined : cohorts }
  const deprovisioning = exceedsLimit ? { ...counted, suspendedAt: now } : countOne(counted, user)
  const swapped = await storage.identityProviders.compareAndSwap({ ...provider, deprovisioning }, provider.version)
  if (swapped.outcome !== 'swapped') return undefined
  if (exceedsLimit) onSuspended(current.count)
  return !exceedsLimit
}

const countOne = (counted: DeprovisioningCount, user: Deprovisioning['user']): DeprovisioningCount => ({
  ...counted,
  count: counted.count + 1,
  cohorts: counted.cohorts?.map((cohort) =>
    belongsTo(cohort, user) ? { ...cohort, count: cohort.count + 1 } : cohort,
  ),
})

type Cohort = NonNullable<DeprovisioningCount['cohorts']>[number]

const belongsTo = ({ newest }: Cohort, { createdAt, userId: id }: Deprovisioning['user']): boolean =>
  newest === undefined ||
  createdAt < newest.createdAt ||
  (createdAt === newest.createdAt && compareText(id, newest.userId) <= 0)

const allowedIn = ({ size }: Cohort, percent: number): number =>
  Math.max(alwaysAllowed, Math.floor((size * percent) / 100))

/** Returns the current count. It starts again when the window has ended; a suspension does not expire. */
function countAt(
  counted: DeprovisioningCount | undefined,
  { window = defaultWindow }: DeprovisioningLimit,
  now: EpochSeconds,
): DeprovisioningCount {
  const startsAgain =
    counted === undefined || (counted.suspendedAt === undefined && now - counted.windowStartedAt >= window)
  return startsAgain ? { windowStartedAt: now, count: 0, cohorts: undefined, suspendedAt: undefined } : counted
}

/**
 * Reads the cohorts. A cohort is a set of active users, and the percentage applies to each cohort: to all active users,
 * to those who were created before the window, and to the oldest 16, 32, 64 and so on of these. Users who are created
 * later do not belong to the cohorts of the oldest. So they can at most double the limit for older users, however many
 * they are and however long the provider waits.
 */
async function readCohorts(counted: DeprovisioningCount, context: CohortContext): Promise<readonly Cohort[]> {
  const { count } = counted
  const newestSecond = epochSeconds(context.now - (context.limit.window ?? defaultWindow))
  const filter: ResolvedFilter = { kind: 'and', operands: [isActive, createdUntil(newestSecond)] }
  const older = await countUsers(filter, context)
  const cohorts: Cohort[] = []
  for (let size = smallestCohort; size < older; size *= 2) {
    const newest = await findNewest(size, filter, context)
    if (newest !== undefined) cohorts.push({ newest, size, count: 0 })
  }
  // This cohort ends before the first user of the next second.
  const end = { createdAt: epochSeconds(newestSecond + 1), userId: userId('') }
  const olderUsers: Cohort = { newest: end, size: older + count, count }
  return recountAll([...cohorts, olderUsers, { newest: undefined, size: 0, count }], counted, context)
}

/** Reads the number of all active users again. Those who were deprovisioned in this window are counted as well. */
async function recountAll(
  cohorts: readonly Cohort[],
  { count }: DeprovisioningCount,
  context: CohortContext,
): Promise<readonly Cohort[]> {
  const size = (await countUsers(isActive, context)) + count
  return cohorts.map((cohort) => (cohort.newest === undefined ? { ...cohort, size } : cohort))
}

/**
 * Counts users. Fails closed: if storage refuses to count them, the result is 0, and only the deprovisionings that are
 * always allowed are admitted.
 */
async function countUsers(filter: ResolvedFilter, context: CohortContext): Promise<number> {
  const found = await listUsers(filter, { offset: 0, limit: 0 }, context)
  return found.outcome === 'listed' ? found.total : 0
}

/** Returns the newest of the `size` oldest users, which marks the end of their cohort. */
async function findNewest(size: number, filter: ResolvedFilter, context: CohortContext): Promise<Cohort['newest']> {
  const found = await listUsers(filter, { offset: size - 1, limit: 1 }, context)
  const newest = found.outcome === 'listed' ? found.records[0] : undefined
  return newest && { createdAt: newest.createdAt, userId: newest.userId }
}

const listUsers = (
  filter: ResolvedFilter,
  page: { readonly offset: number; readonly limit: number },
  { providerId, storage }: CohortContext,
) =>
  storage.provisionedUsers.list({
    providerId,
    filter,
    sort: undefined,
    page: { kind: 'index', ...page },
    without: 'groups',
  })

interface CohortContext {
  readonly providerId: ProviderId
  readonly limit: DeprovisioningLimit
  readonly now: EpochSeconds
  readonly storage: ScimStorage
}

const isActive: ResolvedFilter = Object.freeze({
  kind: 'boolean',
  attribute: { extension: undefined, name: 'active', subName: undefined, multiValued: false },
  operator: 'eq',
  value: true,
})

const createdUntil = (time: EpochSeconds): ResolvedFilter => ({
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
 * There is no smaller cohort, because the five deprovisionings that are always allowed would be a large share of it.
 */
const smallestCohort = 16

/**
 * Limits how many users a provider may deactivate or remove, because a broken mapping or a stolen secret can
 * deprovision all users within minutes. Beyond the limit, deprovisioning is suspended until an administrator releases
 * it; everything else works as before. A sensible limit is `{ users: 500, percent: 20 }`.
 */
export interface DeprovisioningLimit {
  /**
   * The maximum number of users in a window.
   * @defaultValue Any number. Then `percent` is the limit.
   */
  readonly users?: number
  /**
   * The maximum percentage of users in a window. It applies to all active users of the provider, to those who were
   * created before the window, and to the oldest 16, 32, 64 and so on of these, so that users who are created later can
   * at most double the limit for older users. The percentage always allows the first five.
   * @defaultValue Any share. Then `users` is the limit.
   */
  readonly percent?: number
  /**
   * The length of the window, in seconds.
   * @defaultValue 3600. A mistake deprovisions all users within minutes. Real departures are spread over days.
   */
  readonly window?: number
}

const memberChecks = optionsOf<DeprovisioningLimit>({
  users: wholeNumber(0),
  percent: aNumber(0, 100),
  window: wholeNumber(1),
})

/** Checks the option. Without `users` and `percent`, nothing would be limited. */
export const deprovisioningLimit: OptionCheck = (limit) =>
  memberChecks(limit) ?? (isWithoutLimit(Object(limit) as DeprovisioningLimit) ? 'needs users or percent' : undefined)

const isWithoutLimit = ({ users, percent }: DeprovisioningLimit): boolean =>
  users === undefined && percent === undefined
