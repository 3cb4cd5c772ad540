import { randomIdentifier, runInTurns } from '@mintmark/internal'
import { groupId, type JsonObject } from '@mintmark/storage-interface'
import { type GroupRecord, type GroupState, untilSettled } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { checkPreconditions } from '../call/scim-message.ts'
import { replaceResourceInPieces } from '../resource/replace-resource.ts'
import type { ServedType } from '../custom/resource-endpoints.ts'
import { type PatchParser, recordTolerances, type ScimCall } from '../call/scim-call.ts'
import { getMember } from '../values/json.ts'
import { includesMemberType, loadAllMembers, planGroupPatch, readMemberIds } from './members.ts'
import { groupVersion, listedGroups, showGroup } from './render-group.ts'
import {
  findGroup,
  type GroupDependencies,
  groupDocument,
  groupState,
  memberElements,
  requireFreeName,
  requireRoomForMembers,
  writeGroup,
} from './write-group.ts'

/** Describes how groups are found, written and shown (RFC 7643 §4.2). */
export const servedGroups = (deps: GroupDependencies): ServedType<GroupRecord> => ({
  listed: listedGroups(deps),
  idOf: (group) => group.groupId,
  versionOf: groupVersion,
  find: (call) => findGroup(call, deps),
  show: (group, renderContext) => showGroup(group, renderContext, deps),
  writes: {
    create: (document, call) => createGroup(document, call, deps),
    replace: (document, call) => replaceGroup(document, call, deps),
    patch: (parse, call) => patchGroup(parse, call, deps),
    remove: (call) => removeGroup(call, deps),
    // A request that removes one of ten thousand members must not read all of them for its response.
    patchAnswer: 'noContent',
  },
})

/** POST /Groups (RFC 7644 §3.3): creates a group. Group names are not unique, unless the host requires it. */
async function createGroup(document: JsonObject, call: ScimCall, deps: GroupDependencies): Promise<GroupRecord> {
  const { providerId } = call.caller.provider
  const state = groupState(document, deps)
  return deps.groupQuota.create(
    providerId,
    async () => {
      const memberIds = await runInTurns(readMemberIds(getMember(document, 'members')), call.turns)
      await requireFreeName(state.displayName, call, deps)
      return insert({ state, memberIds }, call, deps)
    },
    async () => {
      const { externalId } = state
      const existing =
        externalId === undefined ? undefined : await deps.storage.groups.findByExternalId(providerId, externalId)
      // RFC 7644 §3.3, 409 uniqueness.
      if (existing !== undefined) throw refuse('external_id_taken')
      await requireFreeName(state.displayName, call, deps)
    },
  )
}

interface WrittenGroup {
  readonly state: GroupState
  readonly memberIds: readonly string[]
}

/**
 * Inserts a new group. @throws ScimError 409 — reason `external_id_taken`; 400 — reasons `member_unknown`,
 * `members_too_many`, `memberships_too_many`.
 */
async function insert(
  { state, memberIds }: WrittenGroup,
  call: ScimCall,
  deps: GroupDependencies,
): Promise<GroupRecord> {
  const { providerId } = call.caller.provider
  const id = groupId(randomIdentifier(deps.random))
  await requireRoomForMembers({ providerId, groupId: id }, { kind: 'replace', memberIds }, deps)
  const outcome = await deps.storage.groups.insert({ providerId, groupId: id, state, memberIds, createdAt: call.now })
  // RFC 7643 §4.2: a member is a resource of this provider.
  if (outcome.outcome === 'memberUnknown')
    throw refuse('member_unknown', { attribute: 'members', value: outcome.memberId })
  // RFC 7644 §3.3, 409 uniqueness: a directory that creates a group without members must not empty another one.
  if (outcome.outcome === 'taken') throw refuse('external_id_taken')
  deps.journal.record(call.request, { type: 'group.created', providerId, groupId: id })
  return outcome.record
}

/** PUT /Groups/{id} (RFC 7644 §3.5.1): clears omitted attributes, including members. */
async function replaceGroup(replacement: JsonObject, call: ScimCall, deps: GroupDependencies): Promise<GroupRecord> {
  const { turns } = call
  const sentMembers = getMember(replacement, 'members')
  const members = { kind: 'replace', memberIds: await runInTurns(readMemberIds(sentMembers), turns) } as const
  // RFC 7643 §4.2: the type of an existing member cannot change. Without types, the members need not be read.
  const hasTypes = await runInTurns(includesMemberType(sentMembers), turns)
  return writeGroup(
    call,
    async (current) => {
      const present = hasTypes ? await loadAllMembers(current, deps) : []
      const before = groupDocument(current, await runInTurns(memberElements(present), turns))
      const { resource } = await runInTurns(replaceResourceInPieces(before, replacement, deps.groupType), turns)
      return { document: resource, members, readAt: undefined }
    },
    deps,
  )
}

/** PATCH /Groups/{id} (RFC 7644 §3.5.2): applies all operations or none, in one write. */
const patchGroup = (parse: PatchParser, call: ScimCall, deps: GroupDependencies): Promise<GroupRecord> =>
  writeGroup(
    call,
    async (current) => {
      const { assignments, context } = await parse()
      const write = await planGroupPatch(current, assignments, { context, storage: deps.storage, turns: call.turns })
      recordTolerances(context, call, deps.journal)
      return write
    },
    deps,
  )

/** DELETE /Groups/{id} (RFC 7644 §3.6): removes the group and its memberships, not its members. */
const removeGroup = (call: ScimCall, deps: GroupDependencies): Promise<unknown> =>
  untilSettled(async () => {
    const { caller, now, request } = call
    const { providerId } = caller.provider
    const group = await findGroup(call, deps)
    const { groupId } = group
    checkPreconditions(request, groupVersion(group))

    // Without If-Match any version is removed, so that concurrent membership changes do not delay it.
    const version = request.headers.has('if-match') ? group.version : undefined
    const { outcome } = await deps.storage.groups.remove({ providerId, groupId, version, now })
    if (outcome === 'conflict') return undefined
    // RFC 7644 §3.6: of concurrent DELETE requests, one succeeds.
    if (outcome === 'absent') throw refuse('resource_not_found')
    deps.journal.record(request, { type: 'group.removed', providerId, groupId })
    return outcome
  })
