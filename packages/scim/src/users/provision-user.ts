import { randomIdentifier } from '@mintmark/core/runtime'
import { type ProviderId, type ProvisionedUserRecord, userId, type UserId } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { UserDependencies } from './user-dependencies.ts'
import type { WrittenUser } from './user-state.ts'
import { type UserWriter, authorizeChange, recordOfOutcome, type WriteContext } from './write-user.ts'

/**
 * Begins the account of somebody whose `externalId`, if there is one, no account of the provider has: the one that the host says
 * was there before, or else a new one. Never one that has the same e-mail address or userName.
 * @returns undefined when there is such an account, or another writer was faster: look who has the `externalId`.
 * @throws ScimError 409 — reasons `user_name_taken`, `external_id_taken`; 404 — reason `resource_not_found`; 403 — reasons
 * `change_refused`, `deprovisioning_suspended`.
 */
export async function provisionUser(
  written: WrittenUser,
  writer: UserWriter,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord | undefined> {
  const { link } = deps.hooks
  if (link === undefined) return insert(written, writer, deps)
  const { externalId } = written.state
  // The host is asked about nobody who has an account already: it could choose another one.
  if (await isLinked(externalId, writer.providerId, deps)) return undefined
  const chosen = await link({ providerId: writer.providerId, externalId, resource: written.resource })
  return chosen === undefined ? insert(written, writer, deps) : adopt(chosen, written, { writer, deps })
}

async function insert(
  { state, password }: WrittenUser,
  { providerId, now, record }: UserWriter,
  deps: UserDependencies,
): Promise<ProvisionedUserRecord | undefined> {
  const id = userId(randomIdentifier(deps.random))
  const outcome = await deps.storage.provisionedUsers.insert({ providerId, userId: id, state, createdAt: now })
  if (outcome.outcome === 'taken') {
    // RFC 7644 §3.3, 409 uniqueness: the name belongs to somebody else.
    if (outcome.key === 'userName') throw refusal('user_name_taken')
    return undefined
  }
  record({ type: 'user.created', providerId, userId: id })
  if (password !== undefined) await deps.hooks.password?.({ userId: id, password })
  return outcome.record
}

/** An account that was there before any provider, chosen by the host. */
async function adopt(
  chosen: UserId,
  written: WrittenUser,
  context: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { writer, deps } = context
  const { providerId, now, record } = writer
  const account = await deps.storage.users.find(chosen)
  if (account === undefined) throw new TypeError('The link hook chose an account that is not there.')

  const ends = account.active && !written.state.active
  // RFC 7644 §3.12, 403: to link an account is to change it; a protected one keeps its claims and its password.
  await authorizeChange(account, ends ? 'deactivate' : 'update', context)
  const state = {
    ...written.state,
    active: account.active && written.state.active,
    claims: { ...account.claims, ...written.state.claims },
  }
  const outcome = await deps.storage.provisionedUsers.adopt({
    providerId,
    userId: chosen,
    version: account.version,
    state,
    now,
  })
  if (outcome.outcome === 'conflict') return undefined
  // Somebody with the same externalId was faster, and chose the same account.
  if (outcome.outcome === 'absent' && (await isLinked(state.externalId, providerId, deps))) return undefined
  const user = recordOfOutcome(outcome)
  record({ type: 'user.linked', providerId, userId: chosen })
  if (ends)
    record({
      type: 'user.deactivated',
      providerId,
      userId: chosen,
      revoked: await deps.listRevokedAccess(account, now),
    })
  if (written.password !== undefined) await deps.hooks.password?.({ userId: chosen, password: written.password })
  return user
}

const isLinked = async (
  externalId: string | undefined,
  providerId: ProviderId,
  { storage }: UserDependencies,
): Promise<boolean> =>
  externalId !== undefined && (await storage.provisionedUsers.findByExternalId(providerId, externalId)) !== undefined
