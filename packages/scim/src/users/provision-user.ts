import { randomIdentifier } from '@mintmark/internal'
import { type ProvisionedUserRecord, userId, type UserId } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { blockUnlessEnabled } from '../providers/block-unless-enabled.ts'
import { reportUnmappedRoles } from './user-claims.ts'
import type { UserBefore, UserDependencies } from './user-dependencies.ts'
import {
  authorizeChange,
  recordOfOutcome,
  type UserWriter,
  type WriteContext,
  type WrittenUser,
  activeSetByProvider,
} from './write-user.ts'

/**
 * Provisions a user who does not exist at the provider yet: links the existing user that the host's `link` hook
 * chooses, or creates one. A user is never linked because of the same e-mail address or userName.
 * @returns undefined when the provider already has a user with the `externalId`, when another request changed the
 * chosen user meanwhile, or when a sign-in would create a user who was removed. The caller then looks the user up.
 * @throws ScimError 409 — reasons `user_name_taken`, `external_id_taken`, `value_taken`; 404 — reason
 * `resource_not_found`; 403 — reasons `change_refused`, `deprovisioning_suspended`.
 */
export async function provisionUser(
  toWritten: (before: UserBefore) => WrittenUser,
  writer: UserWriter,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord | undefined> {
  const { link } = deps.hooks
  const id = userId(randomIdentifier(deps.random))
  const { providerId, verifiedDomains } = writer
  const written = toWritten({ source: { providerId, verifiedDomains, userId: id }, active: true, claims: {} })
  if (link === undefined) return insert({ id, written }, writer, deps)
  const { externalId } = written.state
  // The hook is not called for a user who is already linked, because it could choose another user.
  if (await isLinked(externalId, writer.providerId, deps)) return undefined
  const chosen = await link({ providerId: writer.providerId, externalId, resource: written.resource })
  return chosen === undefined ? insert({ id, written }, writer, deps) : adopt(chosen, toWritten, { writer, deps })
}

async function insert(
  { id, written: { state, password } }: { readonly id: UserId; readonly written: WrittenUser },
  writer: UserWriter,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord | undefined> {
  const { providerId, now, isSignIn, record } = writer
  const outcome = await deps.storage.provisionedUsers.insert({
    providerId,
    userId: id,
    state,
    createdAt: now,
    unlessRemoved: isSignIn,
  })
  if (outcome.outcome === 'removed') return undefined
  if (outcome.outcome === 'taken') {
    // RFC 7644 §3.3, 409 uniqueness: another user has the userName.
    if (outcome.key === 'userName') throw refuse('user_name_taken')
    // RFC 7643 §7 uniqueness: another user has a value that the host's schema makes unique.
    if (outcome.key === 'unique') throw refuse('value_taken')
    return undefined
  }
  record({ type: 'user.created', providerId, userId: id })
  await reportUnmappedRoles({ userId: id, before: undefined, after: state }, writer, deps.storage)
  if (outcome.record.active) await blockUnlessEnabled({ providerId, userId: id, now }, deps.storage)
  if (password !== undefined) await deps.hooks.password?.({ userId: id, password })
  return outcome.record
}

/** Links an existing user that the host chose. */
async function adopt(
  chosen: UserId,
  toWritten: (before: UserBefore) => WrittenUser,
  context: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { writer, deps } = context
  const { providerId, verifiedDomains, now, isSignIn, record } = writer
  const existing = await deps.storage.users.find(chosen)
  if (existing === undefined)
    throw new TypeError('The option link returned the identifier of a user that does not exist.')

  const written = toWritten({
    source: { providerId, verifiedDomains, userId: chosen },
    active: true,
    claims: existing.claims,
    hostUser: 'linked',
  })
  const deactivates = existing.active && !written.state.active
  // RFC 7644 §3.12, 403: linking changes a user, and a protected user keeps its claims and password.
  await authorizeChange(
    existing,
    { kind: deactivates ? 'deactivate' : 'update', claims: written.state.claims },
    context,
  )
  const state = {
    ...written.state,
    active: activeSetByProvider(existing) && written.state.active,
  }
  const outcome = await deps.storage.provisionedUsers.adopt({
    providerId,
    userId: chosen,
    version: existing.version,
    state,
    now,
    unlessRemoved: isSignIn,
  })
  if (outcome.outcome === 'conflict' || outcome.outcome === 'removed') return undefined
  // A concurrent request with the same externalId has linked the same user.
  if (outcome.outcome === 'absent' && (await isLinked(state.externalId, providerId, deps))) return undefined
  const user = recordOfOutcome(outcome)
  record({ type: 'user.linked', providerId, userId: chosen })
  await reportUnmappedRoles({ userId: chosen, before: undefined, after: state }, writer, deps.storage)
  if (user.active && !existing.active) await blockUnlessEnabled({ providerId, userId: chosen, now }, deps.storage)
  if (deactivates)
    record({
      type: 'user.deactivated',
      providerId,
      userId: chosen,
      revoked: await deps.listRevokedAccess(existing, now),
    })
  if (written.password !== undefined) await deps.hooks.password?.({ userId: chosen, password: written.password })
  return user
}

const isLinked = async (
  externalId: string | undefined,
  providerId: ProviderId,
  { storage }: UserDependencies,
): Promise<boolean> =>
  externalId !== undefined &&
  (await storage.provisionedUsers.findByExternalId(providerId, externalId, { without: 'groups' })) !== undefined
