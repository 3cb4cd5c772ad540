// One file, because all methods share how a user is found, parsed and shown.

import type { ServerResponse } from '@mintmark/core/http'
import { type Pieces, runInTurns, type Turns } from '@mintmark/internal'
import type { JsonObject, JsonValue, ProvisionedUserRecord, ScimStorage } from '@mintmark/storage-interface'
import { type JsonText, type ListQuery, untilSettled } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { listWithinMemory } from '../list/list-pages.ts'
import { searchEndpoints } from '../list/search-endpoints.ts'
import {
  attributesIn,
  comparableResource,
  includesAttribute,
  projectionOfWrite,
  requireActive,
  requireStatedActive,
} from '../resource/resource.ts'
import type { ListedType } from '../list/type-searches.ts'
import {
  emptyResponse,
  isNotModified,
  notModifiedResponse,
  readMessage,
  readProjection,
  readQuery,
  resourceResponse,
} from '../call/scim-message.ts'
import { applyAssignments } from '../patch/apply-patch.ts'
import { assignedAttributes, type Assignment } from '../patch/parse-patch.ts'
import { parseResourceInPieces } from '../resource/parse-resource.ts'
import { replaceResource } from '../resource/replace-resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import {
  createCallContext,
  createPatchParser,
  recordTolerances,
  type ScimCall,
  type ScimCollection,
  type ScimEndpoint,
} from '../call/scim-call.ts'
import { getMember, getText, isArray, isObject, sameValue } from '../values/json.ts'
import { provisionUser } from './provision-user.ts'
import { requireFreeKeys } from './require-free-keys.ts'
import { requireVersion, userLocation, type UserRenderCache, userVersion } from './render-cache.ts'
import type { UserBefore, UserDependencies, UserStateDependencies } from './user-dependencies.ts'
import {
  authorizeChange,
  chargeForGroups,
  createUserWriter,
  activeSetByProvider,
  findUser,
  groupReadOptions,
  hasUserName,
  userBeforeWrite,
  userState,
  type WriteContext,
  writeState,
  writeUser,
  type WrittenUser,
} from './write-user.ts'

/** Creates the routes below /Users. */
export function userRoutes(deps: UserDependencies): ScimCollection {
  const { list, search } = searchEndpoints([listedUsers(deps)], deps)
  return {
    collection: { GET: list, POST: createUser(deps) },
    member: { GET: readUser(deps), PUT: replaceUser(deps), PATCH: patchUser(deps), DELETE: removeUser(deps) },
    named: { '.search': { POST: search } },
  }
}

/**
 * POST /Users: creates a user (RFC 7644 §3.3). A request with the `externalId` and the userName of an existing user is
 * taken for a repetition after a lost response, and replaces the user.
 */
const createUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.userType)
    const resource = await readUserBody(call, deps)
    const readOptions = groupReadOptions(call.request, projection)
    const toWritten = (before: UserBefore) => userState(resource, before, deps)
    const externalId = getText(resource, 'externalId')
    const comparable = comparableResource(resource, deps.userType)
    const user = await createOrLink({ externalId, comparable, toWritten }, { call, readOptions }, deps)
    const shown = projectionOfWrite(projection, deps.userType, () => attributesIn(resource, deps.userType))
    return showUser(user, { status: 201, projection: shown, call }, deps)
  }

/** Reads the body of a POST or PUT. */
async function readUserBody(call: ScimCall, deps: UserDependencies): Promise<JsonObject> {
  const context = createCallContext(call, deps.userType)
  const body = await readMessage(call)
  const { resource } = await runInTurns(parseResourceInPieces(body, context), call.turns)
  requireStatedActive(body, resource)
  recordTolerances(context, call, deps.journal)
  return resource
}

function createOrLink(
  { externalId, comparable, toWritten }: NewUser,
  { call, readOptions }: { readonly call: ScimCall; readonly readOptions: Pick<ListQuery, 'without'> },
  deps: UserDependencies,
): Promise<ProvisionedUserRecord> {
  const { provisionedUsers } = deps.storage
  const writer = createUserWriter(call, deps.journal)

  // Most users are new, so the insert is tried before any read. It reports an existing `externalId`.
  return untilSettled(async () => {
    const { providerId } = writer
    const created = await deps.userQuota.createUnlessFull(providerId, () => provisionUser(toWritten, writer, deps))
    if (created !== undefined && created !== 'full') return created
    const existing =
      externalId === undefined
        ? undefined
        : await provisionedUsers.findByExternalId(providerId, externalId, readOptions)
    if (existing !== undefined) return answerRepeatedRequest(existing, toWritten, { writer, deps })
    if (created !== 'full') return undefined
    await requireFreeKeys(comparable, providerId, deps)
    // RFC 7644 §3.12, 403: a provider that has as many users as it may have can still repeat a request.
    throw refuse('resources_too_many')
  })
}

interface NewUser {
  readonly externalId: string | undefined
  /** The user in the form in which users are compared. */
  readonly comparable: JsonObject
  readonly toWritten: (before: UserBefore) => WrittenUser
}

/**
 * Answers a request that was repeated after a lost response. It must not reactivate a user who was deactivated since.
 * @throws ScimError 409 — reason `external_id_taken` — when the user with the `externalId` has another userName.
 */
function answerRepeatedRequest(
  user: ProvisionedUserRecord,
  toWritten: (before: UserBefore) => WrittenUser,
  context: WriteContext,
): Promise<ProvisionedUserRecord | undefined> {
  const { state, ...written } = toWritten(userBeforeWrite(user, context.writer))
  // RFC 7644 §3.3, 409 uniqueness: it is another user, whom the request must not overwrite.
  if (!hasUserName(user, state, context.deps.userType)) throw refuse('external_id_taken')
  return writeState(
    user,
    { ...written, state: { ...state, active: activeSetByProvider(user) && state.active } },
    context,
  )
}

/** GET /Users/{id}: reads a user (RFC 7644 §3.4.1). */
const readUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.userType)
    const user = await findUser(call, projection, deps)
    const version = await runInTurns(userVersion(user), call.turns)
    if (version !== undefined && isNotModified(call.request, version))
      return notModifiedResponse({ location: userLocation(user.userId, call.baseUrl), version })
    return showUser(user, { status: 200, projection, call, version }, deps)
  }

/** PUT /Users/{id} (RFC 7644 §3.5.1): clears omitted attributes. It never creates a user. */
const replaceUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.userType)
    const resource = await readUserBody(call, deps)
    const user = await writeUser(
      call,
      { projection, change: (document) => replaceResource(document, resource, deps.userType).resource },
      deps,
    )
    const shown = projectionOfWrite(projection, deps.userType, () => attributesIn(resource, deps.userType))
    return showUser(user, { status: 200, projection: shown, call }, deps)
  }

/**
 * PATCH /Users/{id} (RFC 7644 §3.5.2): applies all operations or none, in one write. With `active: false`, the same write revokes
 * everything issued to the user.
 */
const patchUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = readProjection(readQuery(call.request), deps.userType)
    const parse = createPatchParser(call, await readMessage(call), deps.userType)
    const user = await writeUser(
      call,
      {
        projection,
        async change(document, user) {
          const { assignments, context } = await parse()
          const changes = assignments.some(writesReadOnly)
            ? withoutRepeated(assignments, await shownByDefault(user, call, deps))
            : assignments
          const { resource } = await runInTurns(applyAssignments(document, changes, context), call.turns)
          recordTolerances(context, call, deps.journal)
          return requireActive(resource)
        },
      },
      deps,
    )
    const { assignments } = await parse()
    const shown = projectionOfWrite(projection, deps.userType, () => assignedAttributes(assignments))
    return showUser(user, { status: 200, projection: shown, call }, deps)
  }

/** Returns the user as a GET shows it. Reads the groups if they were left out. */
async function shownByDefault(
  user: ProvisionedUserRecord,
  call: ScimCall,
  deps: UserDependencies,
): Promise<JsonObject> {
  const { renderCache, userType } = deps
  const projection = userType.defaultProjection
  let { groups } = user
  if (groups === undefined) {
    const found = await findUser(call, projection, deps)
    chargeForGroups(call, found)
    groups = found.groups
  }
  const rendering = renderCache.render({ ...user, groups }, { projection, baseUrl: call.baseUrl })
  return JSON.parse(await rendered(rendering, call.turns)) as JsonObject
}

/**
 * Drops assignments that repeat the current value of `groups` or `meta`. A client that reads a user, changes it, and
 * sends the whole user as the value of one operation does not change a read-only attribute (RFC 7644 §3.5.2).
 */
const withoutRepeated = (assignments: readonly Assignment[], current: JsonObject): readonly Assignment[] =>
  assignments.filter(
    (assignment) =>
      !writesReadOnly(assignment) ||
      !isRepetition(assignment.value, getMember(current, assignment.target.attribute.name)),
  )

const writesReadOnly = ({ op, target, value }: Assignment): boolean =>
  target.attribute.mutability === 'readOnly' &&
  target.extension === undefined &&
  target.subAttribute === undefined &&
  op !== 'remove' &&
  (isArray(value) || isObject(value))

/**
 * Returns whether a value repeats the current one. The values of a list may be in any order, and need only their ids.
 */
function isRepetition(value: JsonValue | undefined, current: JsonValue | undefined): boolean {
  if (!isArray(value) || !isArray(current)) return sameValue(value, current)
  const ids = idsOf(current)
  return value.length === current.length && [...idsOf(value)].every((id) => ids.has(id))
}

const idsOf = (list: readonly JsonValue[]): ReadonlySet<string | undefined> =>
  new Set(list.map((element) => (isObject(element) ? getText(element, 'value') : undefined)))

/**
 * DELETE /Users/{id} (RFC 7644 §3.6): removes the user and revokes everything issued to it. A user that existed before it was
 * linked is deactivated and unlinked instead.
 */
const removeUser =
  (deps: UserDependencies): ScimEndpoint =>
  (call) => {
    const writer = createUserWriter(call, deps.journal)
    return untilSettled(async () => {
      const { providerId, now, record } = writer
      const { provisionedUsers } = deps.storage
      const user = await findUser(call, undefined, deps)
      chargeForGroups(call, user)
      const { userId, adopted, version } = user
      await requireVersion(call, user)
      await authorizeChange(user, { kind: 'remove', claims: undefined }, { writer, deps })

      const revoked = await deps.listRevokedAccess(user, now)
      const removal = { providerId, userId, version, now }
      const { outcome } = adopted ? await provisionedUsers.release(removal) : await provisionedUsers.remove(removal)
      if (outcome === 'conflict') return undefined
      // RFC 7644 §3.6: of concurrent DELETE requests, one succeeds.
      if (outcome === 'absent') throw refuse('resource_not_found')
      record({ type: adopted ? 'user.released' : 'user.removed', providerId, userId, revoked })
      return emptyResponse()
    })
  }

interface Shown {
  readonly status: 200 | 201
  readonly projection: Projection
  readonly call: ScimCall
  /** The entity tag, if it is known already. */
  readonly version?: string | undefined
}

/** Responds with a user (RFC 7644 §3.9). */
async function showUser(
  user: ProvisionedUserRecord,
  { status, projection, call: { baseUrl, turns, waitForRoom }, version: knownVersion }: Shown,
  { renderCache }: UserStateDependencies,
): Promise<ServerResponse> {
  // Both the groups as they were read and their JSON are in memory.
  if (includesAttribute('groups', projection)) await waitForRoom(2 * groupsSize(user))
  const version = knownVersion ?? (await runInTurns(userVersion(user), turns))
  const text = await rendered(renderCache.render(user, { projection, baseUrl, version }), turns)
  return resourceResponse(status, text, { location: userLocation(user.userId, baseUrl), version })
}

/** Does the rest of the work, if there is any. */
const rendered = (user: JsonText | Pieces<JsonText>, turns: Turns): JsonText | Promise<JsonText> =>
  typeof user === 'string' ? user : runInTurns(user, turns)

const groupsSize = ({ groups = [] }: ProvisionedUserRecord): number =>
  groups.reduce((sum, { displayName }) => sum + displayName.length + groupBytes, 0)

/** The bytes of a group in a response, in addition to its name. */
const groupBytes = 200

interface ListedUsersDependencies {
  readonly storage: ScimStorage
  readonly userType: ResourceType
  readonly renderCache: UserRenderCache
}

/** Lists the users of a provider, with one read per page. */
export const listedUsers = ({ storage, userType, renderCache }: ListedUsersDependencies): ListedType => ({
  resourceType: userType,
  locationOf: userLocation,
  async list(query, renderContext) {
    const shown = includesAttribute('groups', renderContext.projection)
      ? query
      : { ...query, without: 'groups' as const }
    const outcome = await listWithinMemory(shown, (page) => storage.provisionedUsers.list(page), renderContext)
    if (outcome.outcome === 'tooMany') return outcome
    return { ...outcome, records: outcome.records.map((user) => renderCache.render(user, renderContext)) }
  },
})
