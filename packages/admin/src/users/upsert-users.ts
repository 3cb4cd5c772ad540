import { type JsonObject, type UserRecord, userId } from '@mintmark/storage-interface'
import type { HostUser as StoredHostUser, UpsertOutcome as StoredOutcome } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import { AdminError, type AdminRefusalReason } from '../error/refusals.ts'
import { isChosenIdentifier } from '../text.ts'
import { findLostAdministration, changedClaims, type UserChange } from './update-user.ts'
import { applyUnlessLastAdministrator } from '../last-administrators/last-administrators.ts'
import { deactivateUnlessLastAdministrator } from './user-lifecycle.ts'

/** A user from the host's own table. Claims and custom fields that are left out are removed. */
export interface UserUpsert extends UserChange {
  /**
   * The host's own identifier, which becomes the `sub` of the user's tokens: letters, digits and `._~@|:+-`, at most
   * 255.
   */
  readonly userId: string
  /**
   * `false` blocks the user. `true` does not lift a block: use `reactivate`.
   * Default: new users are active, and others keep their state.
   */
  readonly active?: boolean | undefined
}

/** How users are written. */
export interface UpsertOptions {
  /**
   * Writes nothing. The results say what would happen.
   * Default: `false`.
   */
  readonly dryRun?: boolean
}

/** The outcome for one user. A refused user is unchanged. */
export type UpsertResult =
  | { readonly userId: string; readonly outcome: 'created' | 'updated' | 'unchanged' }
  | { readonly userId: string; readonly outcome: 'refused'; readonly reason: AdminRefusalReason }

/** Writes users of the host in batches. Each batch has its own entries in the audit log. */
export async function upsertUsers(
  users: readonly UserUpsert[],
  { dryRun = false }: UpsertOptions,
  context: AdminContext,
): Promise<readonly UpsertResult[]> {
  const results: UpsertResult[] = []
  for (const batch of batchesOf(users))
    results.push(...(dryRun ? await compareBatch(batch, context) : await upsertBatch(batch, context)))
  return results
}

const batchSize = 500

/** Splits users into batches. A batch contains no user twice. */
function* batchesOf(users: readonly UserUpsert[]): Generator<readonly UserUpsert[]> {
  let batch = new Map<string, UserUpsert>()
  for (const user of users) {
    if (batch.size === batchSize || batch.has(user.userId)) {
      yield [...batch.values()]
      batch = new Map()
    }
    batch.set(user.userId, user)
  }
  if (batch.size > 0) yield [...batch.values()]
}

async function compareBatch(batch: readonly UserUpsert[], context: AdminContext): Promise<readonly UpsertResult[]> {
  const checked = await Promise.all(batch.map((user) => checkUpsert(user, context)))
  const outcomes = await context.storage.users.compare(validUsers(checked))
  return toResults(checked, outcomes, ({ user, outcome, isBlocked }) => {
    const result = resultOf(user, outcome)
    return isBlocked && result.outcome === 'unchanged' ? { ...result, outcome: 'updated' } : result
  })
}

const upsertBatch = (batch: readonly UserUpsert[], context: AdminContext): Promise<readonly UpsertResult[]> =>
  audit(
    {
      name: 'user.upserted',
      // The target of a batch is its first and its last user.
      target: { kind: 'user', id: [...new Set([batch.at(0)?.userId, batch.at(-1)?.userId])].join(' … ') },
      run: async () => {
        const results = await writeBatch(batch, context)
        return { result: results, after: loggedResults(results) }
      },
    },
    context,
  )

async function writeBatch(batch: readonly UserUpsert[], context: AdminContext): Promise<readonly UpsertResult[]> {
  const { storage, clock } = context
  const checked = await Promise.all(batch.map((user) => checkUpsert(user, context)))
  const guarded = await writeGuardedUsers(checked, context)
  const unguarded = checked.filter(({ upsert }) => !guarded.has(upsert.userId))
  const outcomes = await storage.users.upsert({ users: validUsers(unguarded), now: clock() })
  const blocked = new Set<string>()
  const written = toResults(unguarded, outcomes, ({ user, outcome, isBlocked }) => {
    if (isBlocked) blocked.add(user.userId)
    return resultOf(user, outcome)
  })
  const results = new Map([...guarded, ...written.map((result) => [result.userId, result] as const)])
  for (const id of blocked) results.set(id, await block(id, results.get(id), context))
  return checked.flatMap(({ upsert }) => results.get(upsert.userId) ?? [])
}

/** A user with their new claims, or the reason why the user cannot be written. */
type Checked =
  | { readonly upsert: UserUpsert; readonly user: StoredHostUser }
  | { readonly upsert: UserUpsert; readonly reason: AdminRefusalReason }

async function checkUpsert(upsert: UserUpsert, { customFields }: AdminContext): Promise<Checked> {
  // OIDC Core §2.
  if (!isChosenIdentifier(upsert.userId, 255)) return { upsert, reason: 'identifier_invalid' }
  try {
    const claims = await changedClaims({}, upsert, customFields)
    return { upsert, user: { userId: userId(upsert.userId), claims, active: upsert.active ?? true } }
  } catch (error) {
    // A user who cannot be written does not prevent writing the others.
    if (error instanceof AdminError) return { upsert, reason: error.reason }
    throw error
  }
}

const validUsers = (checked: readonly Checked[]): readonly StoredHostUser[] =>
  checked.flatMap((each) => ('user' in each ? [each.user] : []))

interface Outcome {
  readonly user: StoredHostUser
  readonly outcome: StoredOutcome
  /** Whether the stored user is active but the host says that the user is inactive. */
  readonly isBlocked: boolean
}

/** Returns the results of checked users. `outcomes` are the outcomes of the valid users, in order. */
function toResults(
  checked: readonly Checked[],
  outcomes: readonly StoredOutcome[],
  toResult: (outcome: Outcome) => UpsertResult,
): readonly UpsertResult[] {
  const remaining = outcomes.values()
  return checked.map((each) => {
    if ('reason' in each) return { userId: each.upsert.userId, outcome: 'refused', reason: each.reason }
    const { value: outcome } = remaining.next()
    if (outcome === undefined) throw new Error('Storage returned fewer outcomes than it was given users.')
    const isBlocked = 'active' in outcome && outcome.active && !each.user.active
    return toResult({ user: each.user, outcome, isBlocked })
  })
}

function resultOf({ userId }: StoredHostUser, { outcome }: StoredOutcome): UpsertResult {
  switch (outcome) {
    case 'provisioned':
      return { userId, outcome: 'refused', reason: 'user_provisioned' }
    case 'removed':
    case 'client':
      return { userId, outcome: 'refused', reason: 'identifier_taken' }
    default:
      return { userId, outcome }
  }
}

/**
 * Writes users who would no longer administer the service, one by one, unless one of them is the last administrator.
 */
async function writeGuardedUsers(
  checked: readonly Checked[],
  context: AdminContext,
): Promise<ReadonlyMap<string, UpsertResult>> {
  const results = new Map<string, UpsertResult>()
  if (context.lastAdministrators.administrators === undefined) return results
  for (const each of checked) {
    const current = 'user' in each ? await context.storage.users.find(each.user.userId) : undefined
    if (!('user' in each) || current === undefined || current.providerId !== undefined) continue
    const administered = await findLostAdministration(current, each.user.claims, context)
    if (!administered.service) continue
    results.set(current.userId, await writeGuarded(each.user, { current, administered }, context))
  }
  return results
}

interface GuardedUser {
  readonly current: UserRecord
  readonly administered: Awaited<ReturnType<typeof findLostAdministration>>
}

async function writeGuarded(
  user: StoredHostUser,
  { current, administered }: GuardedUser,
  context: AdminContext,
): Promise<UpsertResult> {
  const write = (claims: JsonObject) =>
    context.storage.users.upsert({ users: [{ ...user, claims }], now: context.clock() })
  const result = await resultOrRefusal(user.userId, async () => {
    const [outcome] = await applyUnlessLastAdministrator(
      {
        userId: user.userId,
        administered,
        apply: () => write(user.claims),
        undo: () => write(current.claims),
      },
      context,
    )
    return resultOf(user, outcome ?? { outcome: 'removed' })
  })
  return user.active || result.outcome === 'refused' ? result : block(user.userId, result, context)
}

const block = (id: string, result: UpsertResult | undefined, context: AdminContext): Promise<UpsertResult> =>
  resultOrRefusal(id, async () => {
    await deactivateUnlessLastAdministrator(id, context)
    return { userId: id, outcome: result?.outcome === 'created' ? 'created' : 'updated' }
  })

async function resultOrRefusal(id: string, work: () => Promise<UpsertResult>): Promise<UpsertResult> {
  try {
    return await work()
  } catch (error) {
    // A user who is the last administrator does not prevent writing the others.
    if (error instanceof AdminError) return { userId: id, outcome: 'refused', reason: error.reason }
    throw error
  }
}

/** Returns the identifiers of users by outcome. Unchanged users are only counted. */
function loggedResults(results: readonly UpsertResult[]): JsonObject {
  const idsWith = (outcome: UpsertResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).map(({ userId }) => userId)
  const refused = results.flatMap((result) =>
    result.outcome === 'refused' ? [{ userId: result.userId.slice(0, 255), reason: result.reason }] : [],
  )
  const unchanged = idsWith('unchanged').length
  return { created: idsWith('created'), updated: idsWith('updated'), unchanged, refused: refused.slice(0, 100) }
}
