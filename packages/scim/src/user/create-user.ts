import { userId, untilSettled, type ProvisionedUserRecord, type UserId } from '@mintmark/storage-interface'
import { randomIdentifier } from '@mintmark/core/runtime'

import { refusal } from '../error/refusal.ts'
import { sameValue } from '../json/same-value.ts'
import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { parseResource } from '../resource/parse-resource.ts'
import type { ScimCall, ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, readingOf } from '../server/read-call.ts'
import { showUser } from './show-user.ts'
import type { UserDependencies } from './user-dependencies.ts'
import { userState, type WrittenUser } from './user-state.ts'
import { replaceState, settled } from './write-user.ts'

/**
 * POST /Users: creates an account, or links the one that has the `externalId` (RFC 7644 §3.3). The same request again, after
 * an answer that got lost, is answered with the same account.
 */
export const createUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.userType)
    const reading = readingOf(call, deps.userType)
    const { resource } = parseResource(readMessage(call.request), reading)
    noteTolerances(reading, call, deps.journal)
    const user = await createOrLink(userState(resource, { active: true, claims: {} }, deps), call, deps)
    return showUser(user, { status: 201, projection, userType: deps.userType }, call)
  }

function createOrLink(written: WrittenUser, call: ScimCall, deps: UserDependencies): Promise<ProvisionedUserRecord> {
  const { provisionedUsers } = deps.storage
  const { providerId } = call.caller.provider
  const { state } = written

  return untilSettled(async () => {
    const linked = state.externalId === undefined ? undefined : await provisionedUsers.findByExternalId(providerId, state.externalId)
    if (linked !== undefined) return relink(linked, written, { call, deps })
    const chosen = await deps.hooks.link?.({ providerId, externalId: state.externalId, resource: state.resource })
    if (chosen !== undefined) return adopt(chosen, written, { call, deps })
    return insert(written, call, deps)
  })
}

/** Undefined when another request took the `externalId` meanwhile: then that account is linked. */
async function insert({ state, password }: WrittenUser, call: ScimCall, deps: UserDependencies): Promise<ProvisionedUserRecord | undefined> {
  const { providerId } = call.caller.provider
  const id = userId(randomIdentifier(deps.random))
  const outcome = await deps.storage.provisionedUsers.insert({ providerId, userId: id, state, createdAt: call.now })
  if (outcome.outcome === 'taken') {
    // RFC 7644 §3.3, 409 uniqueness: the name belongs to somebody else.
    if (outcome.key === 'userName') throw refusal('user_name_taken')
    return undefined
  }
  if (password !== undefined) await deps.hooks.password?.({ userId: id, password })
  deps.journal.record(call.request, { type: 'account.created', providerId, userId: id })
  return outcome.record
}

interface LinkContext {
  readonly call: ScimCall
  readonly deps: UserDependencies
}

/** The account is there: it becomes what the request says. A repeated request must not bring back who was deactivated since. */
async function relink(
  user: ProvisionedUserRecord,
  written: WrittenUser,
  { call, deps }: LinkContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { state } = userState(
    { ...written.state.resource, ...(written.state.externalId === undefined ? {} : { externalId: written.state.externalId }) },
    { active: user.active && written.state.active, claims: user.claims },
    deps,
  )
  if (user.active === state.active && sameValue(user.resource, state.resource)) return user

  const outcome = await replaceState({ user, state, password: written.password }, call, deps)
  return outcome.outcome === 'conflict' ? undefined : settled(outcome)
}

/** An account that was there before any provider, chosen by the host. */
async function adopt(chosen: UserId, written: WrittenUser, { call, deps }: LinkContext): Promise<ProvisionedUserRecord | undefined> {
  const { providerId } = call.caller.provider
  const account = await deps.storage.users.find(chosen)
  if (account === undefined) throw new TypeError('The link hook chose an account that is not there.')

  const state = {
    ...written.state,
    active: account.active && written.state.active,
    claims: { ...account.claims, ...written.state.claims },
  }
  const outcome = await deps.storage.provisionedUsers.adopt({ providerId, userId: chosen, version: account.version, state, now: call.now })
  if (outcome.outcome === 'conflict') return undefined
  const user = settled(outcome)
  deps.journal.record(call.request, { type: 'account.linked', providerId, userId: chosen })
  return user
}
