// This file contains every write of a user, because all take the same steps: find the user, compute the new state,
// authorize the change, and store it with a compare-and-swap.

import type { Journal } from '@mintmark/internal'
import {
  type EpochSeconds,
  type JsonObject,
  type ProvisionedUserRecord,
  type ScimStorage,
  type UserRecord,
  userId,
} from '@mintmark/storage-interface'
import {
  type ListQuery,
  type ProviderId,
  type ProvisionedState,
  type ProvisionOutcome,
  type SameResourceState,
  untilSettled,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import { hasPreconditions } from '../call/scim-message.ts'
import { blockUnlessEnabled } from '../providers/block-unless-enabled.ts'
import { comparableResource, includesAttribute } from '../resource/resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ScimCall } from '../call/scim-call.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { getMember, getText, toObject, withMembers } from '../values/json.ts'
import { excludedAttributes, isSameResource, readStoredResource, requireVersion } from './render-cache.ts'
import { claimsAfter, reportUnmappedRoles } from './user-claims.ts'
import type { ProposedChange, UserBefore, UserDependencies, UserStateDependencies } from './user-dependencies.ts'

/**
 * Changes a user in one compare-and-swap (RFC 7644 §3.5). After a conflict the change is applied again to the new
 * state, unless the request names a version.
 * @param change computes the new resource from the current one; when it throws, nothing is written.
 * @throws ScimError 404 — reason `resource_not_found`; 412 — reason `version_mismatch`; 413 — reasons
 * `operations_too_many`, `resource_too_large`; the reasons of `writeState`; and whatever `change` throws.
 */
export function writeUser(
  call: ScimCall,
  { projection, change }: UserChange,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord> {
  const writer = createUserWriter(call, deps.journal)
  return untilSettled(async () => {
    const user = await findUser(call, projection, deps)
    chargeForGroups(call, user)
    await requireVersion(call, user)
    const resource = readStoredResource(user)
    const changed = await change(userDocument(user, resource), user)
    const before = userBeforeWrite(user, writer)
    const written =
      keepsResource(resource, changed) &&
      deps.renderCache.isCurrent(user) &&
      user.externalId === getText(changed, 'externalId')
        ? accountState(changed, { user, resource, before }, deps)
        : userState(changed, before, deps)
    return writeState(user, written, { writer, deps })
  })
}

/** Whether a change keeps every stored attribute. It compares identities, because a change copies only what it changes. */
function keepsResource(resource: JsonObject, after: JsonObject): boolean {
  let kept = 0
  for (const name of Object.keys(after)) {
    if (excludedAttributes.has(name)) continue
    if (getMember(resource, name) !== after[name]) return false
    kept += 1
  }
  return kept === Object.keys(resource).length
}

/** How a request changes a user. */
interface UserChange {
  /** The attributes that the response shows. */
  readonly projection: Projection
  readonly change: (document: JsonObject, user: ProvisionedUserRecord) => JsonObject | Promise<JsonObject>
}

/**
 * Finds the user of a request. The groups are left out when neither the response nor a precondition needs them.
 * @param projection the attributes that the response shows; undefined when it has no body.
 * @throws ScimError 404 — reason `resource_not_found`, including for a user of another provider (RFC 7644 §6).
 */
export async function findUser(
  { caller, id, request }: Pick<ScimCall, 'caller' | 'id' | 'request'>,
  projection: Projection | undefined,
  { storage }: { readonly storage: ScimStorage },
): Promise<ProvisionedUserRecord> {
  const { providerId } = caller.provider
  const options = groupReadOptions(request, projection)
  // OIDC Core §2: a `sub` has at most 255 characters, so no user has a longer id.
  const user = id.length > 255 ? undefined : await storage.provisionedUsers.find(providerId, userId(id), options)
  if (user === undefined) throw refuse('resource_not_found')
  return user
}

/**
 * Returns the options for reading a user. They leave out the groups unless the response shows them, or a precondition
 * compares the version, which covers them.
 */
export const groupReadOptions = (
  request: ScimCall['request'],
  projection: Projection | undefined,
): Pick<ListQuery, 'without'> =>
  hasPreconditions(request) || (projection !== undefined && includesAttribute('groups', projection))
    ? {}
    : { without: 'groups' }

/**
 * Charges the work budget of a request for the groups of a user who is about to be written. Each operation of a Bulk
 * request may read thousands of groups.
 * @throws ScimError 413 (RFC 9110 §15.5.14) — reason `operations_too_many`.
 */
export function chargeForGroups({ work }: Pick<ScimCall, 'work'>, { groups = [] }: ProvisionedUserRecord): void {
  const units = groups.reduce((sum, { displayName }) => sum + workPerGroup + displayName.length / charactersPerWork, 0)
  // RFC 9110 §15.5.14: a request that reads or writes too many members of groups gets the same error.
  if (!work.spend(units)) throw refuse('operations_too_many')
}

/** The work of reading a group. The unit is the work of reading one value (see `ScimLimits.work`). */
const workPerGroup = 4

/** Reading this many characters of names takes as long as reading one value. */
const charactersPerWork = 40

/**
 * Writes the state of a user that was read before, and records the event. A password is not part of the resource: a new
 * password alone changes neither version nor date.
 * @returns undefined when the user was changed or removed since it was read.
 * @throws ScimError 403 — the reasons of `authorizeChange`; 409 — reasons `user_name_taken`, `external_id_taken`,
 * `value_taken`.
 */
export async function writeState(
  user: ProvisionedUserRecord,
  written: WrittenUser<WrittenState>,
  context: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { state, password } = written
  const isSameState = isUnchanged(user, written)
  if (isSameState && password === undefined) return user
  // RFC 7644 §3.12, 403: if a provider could change the identifiers of a blocked user, it could then use the old ones
  // to create the user a second time, without the host's block.
  if (user.blockedAt !== undefined && changesIdentifiers(user, state, context.deps)) throw refuse('change_refused')
  await authorizeChange(user, { kind: changeKind(user, state), claims: state.claims }, context)

  const after = isSameState ? user : await swapState(user, state, context)
  if (after !== undefined && password !== undefined)
    await context.deps.hooks.password?.({ userId: user.userId, password })
  return after
}

async function swapState(
  user: ProvisionedUserRecord,
  state: WrittenState,
  { writer, deps }: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { providerId, now, record } = writer
  const { userId, version } = user
  // The write does not change the groups, and there may be thousands.
  const change = { providerId, userId, version, state, now, without: 'groups' } as const
  const outcome = await deps.storage.provisionedUsers.compareAndSwap(change)
  if (outcome.outcome === 'conflict' || outcome.outcome === 'absent') return undefined
  const after = { ...recordOfOutcome(outcome), groups: user.groups }
  // Storage blocks a user who gets the identifiers of a removed user whom the host had blocked.
  const kind = changeKind(user, after)
  if (kind === 'deactivate') {
    record({ type: 'user.deactivated', providerId, userId, revoked: await deps.listRevokedAccess(user, now) })
  } else {
    record({ type: kind === 'reactivate' ? 'user.reactivated' : 'user.changed', providerId, userId })
    if (kind === 'reactivate') await blockUnlessEnabled({ providerId, userId, now }, deps.storage)
  }
  await reportUnmappedRoles({ userId, before: user, after }, writer, deps.storage)
  return after
}

/**
 * Returns the written user or throws the refusal of an outcome.
 * @throws ScimError 404 — reason `resource_not_found`; 409 — reasons `user_name_taken`, `external_id_taken`,
 * `value_taken`.
 */
export function recordOfOutcome(
  outcome: Exclude<ProvisionOutcome, { readonly outcome: 'conflict' }>,
): ProvisionedUserRecord {
  switch (outcome.outcome) {
    case 'swapped':
      return outcome.record
    case 'absent':
      // RFC 7644 §3.12, 404: it was removed since it was read.
      throw refuse('resource_not_found')
    case 'taken':
      if (outcome.key === 'unique') throw refuse('value_taken')
      throw refuse(outcome.key === 'externalId' ? 'external_id_taken' : 'user_name_taken')
    default:
      return outcome satisfies never
  }
}

function changeKind(
  user: ProvisionedUserRecord,
  state: Pick<ProvisionedState, 'active'>,
): 'update' | 'deactivate' | 'reactivate' {
  // Only the host can lift a block.
  const active = state.active && user.blockedAt === undefined
  if (user.active === active) return 'update'
  return active ? 'reactivate' : 'deactivate'
}

/** Returns whether a write changes nothing. It then keeps version and date (RFC 7644 §3.5.2.1). */
const isUnchanged = (user: ProvisionedUserRecord, written: WrittenUser<WrittenState>): boolean =>
  activeSetByProvider(user) === written.state.active &&
  user.externalId === written.state.externalId &&
  isSameResource(user, written)

const changesIdentifiers = (
  user: ProvisionedUserRecord,
  state: WrittenState,
  { userType }: UserStateDependencies,
): boolean =>
  state.comparable !== 'unchanged' && (user.externalId !== state.externalId || !hasUserName(user, state, userType))

/** Returns whether a user has the userName of a state, compared as the schema defines it. */
export const hasUserName = (
  user: ProvisionedUserRecord,
  { comparable }: Pick<ProvisionedState, 'comparable'>,
  userType: ResourceType,
): boolean => comparableResource(readStoredResource(user), userType)['userName'] === comparable['userName']

/** Returns `active` as the provider has set it. The value stays the same while the host blocks the user. */
export const activeSetByProvider = ({ active, activeAfterBlock }: UserRecord): boolean => activeAfterBlock ?? active

/**
 * The request or sign-in through which a provider writes a user. Each request needs its own object, because the
 * deprovisioning limit counts at most one deprovisioning for each object.
 */
export interface UserWriter {
  readonly providerId: ProviderId
  readonly verifiedDomains: readonly string[]
  readonly now: EpochSeconds
  /** Whether this is a sign-in. A sign-in does not recreate a user whom the provider has removed. */
  readonly isSignIn: boolean
  /** Records an event. */
  readonly record: (occurrence: ScimOccurrence) => void
}

/** Creates the writer of a request. */
export const createUserWriter = ({ caller, request, now }: ScimCall, journal: Journal<ScimOccurrence>): UserWriter => ({
  providerId: caller.provider.providerId,
  verifiedDomains: caller.provider.verifiedDomains,
  now,
  isSignIn: false,
  record: (occurrence) => journal.record(request, occurrence),
})

/** The context of a write. */
export interface WriteContext {
  readonly writer: UserWriter
  readonly deps: UserDependencies
}

/**
 * Authorizes a change. The host may protect the user. A deactivation or removal counts towards the deprovisioning
 * limit, but a retry by the same writer is not counted again.
 * @throws ScimError 403 — reasons `change_refused`, `deprovisioning_suspended`.
 */
export async function authorizeChange(
  user: UserRecord,
  { kind, claims }: Pick<ProposedChange, 'kind' | 'claims'>,
  { writer, deps }: WriteContext,
): Promise<void> {
  const { providerId, now, record } = writer
  const isAllowed = (await deps.hooks.mayChange?.({ providerId, userId: user.userId, kind, claims })) ?? true
  // RFC 7644 §3.12, 403: the host protects this user.
  if (!isAllowed) throw refuse('change_refused')

  if (kind !== 'deactivate' && kind !== 'remove') return
  const recordSuspension = (count: number): void => record({ type: 'deprovisioning.suspended', providerId, count })
  await deps.deprovisioningLimiter?.admit({ providerId, user, attempt: writer, now, onSuspended: recordSuspension })
}

type WrittenState = ProvisionedState | SameResourceState

/** A user as a provider wrote it: the state to store, and a password. */
export interface WrittenUser<State extends WrittenState = ProvisionedState> {
  readonly state: State
  /** The resource of `state`, as an object. */
  readonly resource: JsonObject
  /** For the host's `password` hook; it is not stored. */
  readonly password: string | undefined
}

/**
 * Returns the columns to store for a resource.
 * @param document the resource, with names spelled as in the schema.
 * @param before the user before the write. Its `active` is used for a document without `active`; its claims that do not
 * derive from SCIM stay.
 */
export function userState(
  document: JsonObject,
  before: UserBefore,
  { userType, renderCache, claims }: UserStateDependencies,
): WrittenUser {
  const active = getMember(document, 'active')
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  const state: ProvisionedState = {
    // RFC 7644 §3.5.1 lets the server choose the value of an omitted attribute: omitting `active` never reactivates a user.
    active: typeof active === 'boolean' ? active : before.active,
    externalId: getText(document, 'externalId'),
    ...renderCache.toStored(resource, before.source.providerId),
    comparable: comparableResource(resource, userType),
    claims: claimsAfter(resource, before, claims),
  }
  return { state, resource, password: getText(document, 'password') }
}

/**
 * Returns the columns to store for a document that changes neither the resource nor the `externalId`. Most changes only set
 * `active`.
 */
function accountState(
  document: JsonObject,
  { user: { externalId, resource: text, renderKey }, resource, before }: StoredUser,
  { claims }: UserStateDependencies,
): WrittenUser<SameResourceState> {
  const active = getMember(document, 'active')
  const state: SameResourceState = {
    active: typeof active === 'boolean' ? active : before.active,
    externalId,
    resource: text,
    renderKey,
    comparable: 'unchanged',
    claims: claimsAfter(resource, before, claims),
  }
  return { state, resource, password: getText(document, 'password') }
}

/** A user before a write, with the stored resource as an object. */
interface StoredUser {
  readonly user: ProvisionedUserRecord
  readonly resource: JsonObject
  readonly before: UserBefore
}

/** Returns a user of a provider as it is before the next write. */
export const userBeforeWrite = (
  user: ProvisionedUserRecord,
  { providerId, verifiedDomains }: Pick<UserWriter, 'providerId' | 'verifiedDomains'>,
): UserBefore => ({
  source: { providerId, verifiedDomains, userId: user.userId },
  active: activeSetByProvider(user),
  claims: user.claims,
  hostUser: user.adopted ? readStoredResource(user) : undefined,
})

/**
 * Returns the resource to which PUT and PATCH apply their changes. It contains the `id`, because Okta repeats it in a
 * PATCH.
 */
export const userDocument = (user: ProvisionedUserRecord, resource = readStoredResource(user)): JsonObject =>
  withMembers(resource, { id: user.userId, externalId: user.externalId, active: activeSetByProvider(user) })
