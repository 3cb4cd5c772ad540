import { groupId, untilSettled, type GroupRecord, type GroupState } from '@mintmark/storage-interface'
import { randomIdentifier } from '@mintmark/core/runtime'

import { refusal } from '../error/refusal.ts'
import { memberOf } from '../json/json-object.ts'
import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { parseResource } from '../resource/parse-resource.ts'
import type { ScimCall, ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, parseContextOf } from '../server/read-call.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { changedState, groupState } from './group-state.ts'
import { memberIds } from './member-ids.ts'
import { showGroup } from './show-group.ts'
import { changeGroup, settledGroup } from './write-group.ts'

/**
 * POST /Groups (RFC 7644 §3.3). The same `externalId` again, after an answer that got lost, is answered with the same group,
 * which becomes what the request says as with PUT: nobody stays in it of whom the identity provider does not know. Names of
 * groups are not unique.
 */
export const createGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.groupType)
    const reading = parseContextOf(call, deps.groupType)
    const { resource } = parseResource(readMessage(call.request), reading)
    noteTolerances(reading, call, deps.journal)
    const written = { state: groupState(resource, deps.groupType), memberIds: memberIds(memberOf(resource, 'members')) }
    const group = await createOrReplace(written, call, deps)
    return showGroup(group, { status: 201, projection, call }, deps)
  }

interface WrittenGroup {
  readonly state: GroupState
  readonly memberIds: readonly string[]
}

function createOrReplace(written: WrittenGroup, call: ScimCall, deps: GroupDependencies): Promise<GroupRecord> {
  const { externalId } = written.state
  return untilSettled(async () => {
    const { providerId } = call.caller.provider
    const group =
      externalId === undefined ? undefined : await deps.storage.groups.findByExternalId(providerId, externalId)
    return group === undefined ? insert(written, call, deps) : replace(group, written, { call, deps })
  })
}

/** Undefined when another request took the `externalId` meanwhile: then that group is meant. */
async function insert(
  { state, memberIds }: WrittenGroup,
  call: ScimCall,
  deps: GroupDependencies,
): Promise<GroupRecord | undefined> {
  const { providerId } = call.caller.provider
  const id = groupId(randomIdentifier(deps.random))
  const outcome = await deps.storage.groups.insert({ providerId, groupId: id, state, memberIds, createdAt: call.now })
  // RFC 7643 §4.2: a member is a resource of this provider.
  if (outcome.outcome === 'memberUnknown') throw refusal('member_unknown')
  if (outcome.outcome === 'taken') return undefined
  deps.journal.record(call.request, { type: 'group.created', providerId, groupId: id })
  return outcome.record
}

/** Undefined when another writer was faster. */
async function replace(
  group: GroupRecord,
  { state, memberIds }: WrittenGroup,
  context: { readonly call: ScimCall; readonly deps: GroupDependencies },
): Promise<GroupRecord | undefined> {
  const change = {
    version: group.version,
    state: changedState(group, state),
    members: { kind: 'replace', memberIds } as const,
  }
  const outcome = await changeGroup(group, change, context)
  return outcome.outcome === 'conflict' || outcome.outcome === 'absent' ? undefined : settledGroup(outcome)
}
