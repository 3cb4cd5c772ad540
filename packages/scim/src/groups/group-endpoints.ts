import { randomIdentifier } from '@mintmark/internal'
import { groupId } from '@mintmark/storage-interface'
import { type GroupRecord, type GroupState, untilSettled } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'
import { searchEndpoints } from '../list/search-endpoints.ts'
import {
  checkPreconditions,
  emptyResponse,
  isNotModified,
  notModifiedResponse,
  readMessage,
  readProjection,
  readQuery,
  scimContent,
} from '../message/scim-message.ts'
import { parseResource } from '../resource/parse-resource.ts'
import { replaceResource } from '../resource/replace-resource.ts'
import {
  createCallContext,
  createPatchParser,
  recordTolerances,
  type ScimCall,
  type ScimCollection,
  type ScimEndpoint,
} from '../server/scim-call.ts'
import { getMember } from '../values/json.ts'
import { includesMemberType, loadAllMembers, planGroupPatch, readMemberIds } from './members.ts'
import { groupLocation, groupVersion, listedGroups, showGroup } from './render-group.ts'
import {
  changedState,
  changeGroup,
  findGroup,
  type GroupDependencies,
  groupDocument,
  groupOfOutcome,
  groupState,
  requireFreeName,
  writeGroup,
} from './write-group.ts'

/** The routes below /Groups. */
export function groupRoutes(deps: GroupDependencies): ScimCollection {
  const { list, search } = searchEndpoints([listedGroups(deps)], deps)
  return {
    collection: { GET: list, POST: createGroup(deps) },
    member: { GET: readGroup(deps), PUT: replaceGroup(deps), PATCH: patchGroup(deps), DELETE: removeGroup(deps) },
    named: { '.search': { POST: search } },
  }
}

/**
 * POST /Groups (RFC 7644 §3.3). A repeated request with the same `externalId`, after a lost response, replaces the existing group
 * as PUT does, so that it has no members unknown to the identity provider. Group names are not unique.
 */
const createGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.groupType)
    const parseContext = createCallContext(call, deps.groupType)
    const { resource } = parseResource(await readMessage(call.request, call.turns), parseContext)
    recordTolerances(parseContext, call, deps.journal)
    const written = {
      state: groupState(resource, deps.groupType),
      memberIds: readMemberIds(getMember(resource, 'members')),
    }
    await requireFreeName(written.state.displayName, call, deps)
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

/** Undefined when another request has created a group with the `externalId` meanwhile; that group is replaced instead. */
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

/** Undefined when another request changed it meanwhile. */
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
  return outcome.outcome === 'conflict' || outcome.outcome === 'absent' ? undefined : groupOfOutcome(outcome)
}

/** GET /Groups/{id} (RFC 7644 §3.4.1). */
const readGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.groupType)
    const group = await findGroup(call, deps)
    const version = groupVersion(group)
    if (isNotModified(call.request, version))
      return notModifiedResponse({ location: groupLocation(group.groupId, call.baseUrl), version })
    return showGroup(group, { status: 200, projection, call }, deps)
  }

/** PUT /Groups/{id} (RFC 7644 §3.5.1): clears omitted attributes, including members. It never creates a group. */
const replaceGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.groupType)
    const parseContext = createCallContext(call, deps.groupType)
    const { resource } = parseResource(await readMessage(call.request, call.turns), parseContext)
    recordTolerances(parseContext, call, deps.journal)
    const given = getMember(resource, 'members')
    const members = { kind: 'replace', memberIds: readMemberIds(given) } as const
    const group = await writeGroup(
      call,
      async (current) => {
        // RFC 7643 §4.2: the type of an existing member cannot change. Without types, the members need not be read.
        const present = includesMemberType(given) ? await loadAllMembers(current, deps) : []
        const document = replaceResource(groupDocument(current, present), resource, deps.groupType).resource
        return { document, members, readAt: undefined }
      },
      deps,
    )
    return showGroup(group, { status: 200, projection, call }, deps)
  }

/**
 * PATCH /Groups/{id} (RFC 7644 §3.5.2): applies all operations or none, in one write. The response is 204, so that removing one
 * of ten thousand members does not read all of them. With `attributes` or `excludedAttributes` it is 200 and shows the group.
 * SCIM-SDK's client expects a content type in every response that is not of a DELETE (seen in 1.30.0).
 */
const patchGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.groupType)
    const parse = createPatchParser(call, await readMessage(call.request, call.turns), deps.groupType)
    const group = await writeGroup(
      call,
      async (current) => {
        const { assignments, context } = await parse()
        const write = await planGroupPatch(current, assignments, { context, storage: deps.storage, turns: call.turns })
        recordTolerances(context, call, deps.journal)
        return write
      },
      deps,
    )
    if (projection === deps.groupType.defaultProjection)
      return emptyResponse([scimContent, ['ETag', groupVersion(group)]])
    return showGroup(group, { status: 200, projection, call }, deps)
  }

/** DELETE /Groups/{id} (RFC 7644 §3.6): removes the group and its memberships, not its members. */
const removeGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  (call) =>
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
      if (outcome === 'absent') throw refusal('resource_not_found')
      deps.journal.record(request, { type: 'group.removed', providerId, groupId })
      return emptyResponse()
    })
