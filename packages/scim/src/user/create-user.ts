import { untilSettled, type ProvisionedUserRecord } from '@mintmark/storage-interface'

import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { parseResource } from '../resource/parse-resource.ts'
import type { ScimCall, ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, parseContextOf } from '../server/read-call.ts'
import { writerOf } from './account-writer.ts'
import type { WriteContext } from './admit-change.ts'
import { beginAccount } from './begin-account.ts'
import { showUser } from './show-user.ts'
import type { UserDependencies } from './user-dependencies.ts'
import { userState, type WrittenUser } from './user-state.ts'
import { replaceState } from './write-user.ts'

/**
 * POST /Users: creates an account, or links the one that has the `externalId` (RFC 7644 §3.3). The same request again, after
 * an answer that got lost, is answered with the same account.
 */
export const createUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.userType)
    const reading = parseContextOf(call, deps.userType)
    const { resource } = parseResource(readMessage(call.request), reading)
    noteTolerances(reading, call, deps.journal)
    const { providerId } = call.caller.provider
    const user = await createOrLink(userState(resource, { providerId, active: true, claims: {} }, deps), call, deps)
    return showUser(user, { status: 201, projection, call }, deps)
  }

function createOrLink(written: WrittenUser, call: ScimCall, deps: UserDependencies): Promise<ProvisionedUserRecord> {
  const { provisionedUsers } = deps.storage
  const { providerId } = call.caller.provider
  const { state } = written
  const writer = writerOf(call, deps.journal)

  // Most are new: that an account has the `externalId` is told by the insert, and nothing is read before it.
  return untilSettled(async () => {
    const begun = await beginAccount(written, writer, deps)
    if (begun !== undefined || state.externalId === undefined) return begun
    const linked = await provisionedUsers.findByExternalId(providerId, state.externalId)
    return linked && relink(linked, written, { writer, deps })
  })
}

/** The account is there: it becomes what the request says. A repeated request must not bring back who was deactivated since. */
async function relink(
  user: ProvisionedUserRecord,
  written: WrittenUser,
  context: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { externalId, active } = written.state
  const { state, resource } = userState(
    { ...written.resource, ...(externalId === undefined ? {} : { externalId }) },
    { ...user, active: user.active && active },
    context.deps,
  )
  return replaceState(user, { state, resource, password: written.password }, context)
}
