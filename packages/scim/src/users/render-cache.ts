// One file, because the stored text, its cache key and the text of a response must agree.

import { type Pieces, runAtOnce, runInTurns, utf8Length } from '@mintmark/internal'
import { epochSeconds, groupId, type JsonObject, type ProvisionedUserRecord, userId } from '@mintmark/storage-interface'
import {
  type GroupReference,
  type JsonText,
  type ListedUserRecord,
  type ProviderId,
  type ProvisionedState,
  jsonText,
} from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { checkPreconditions, hasPreconditions } from '../call/scim-message.ts'
import { includesAttribute, projectResource, renderMeta } from '../resource/resource.ts'
import type { Projection, RenderContext } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { enterpriseUserSchema } from '../schema/user-schema.ts'
import type { ScimCall } from '../call/scim-call.ts'
import { scimRoot, tenantUrl } from '../values/scim-path.ts'
import { defaultLimits, type ScimLimits } from '../limits/scim-limits.ts'
import { getMember, isObject, sameValue, withMember } from '../values/json.ts'

/**
 * Renders users, and decides which JSON text of a resource is stored.
 *
 * A list page shows up to 200 users, and parsing, projecting and serializing each resource costs more than reading it
 * from storage. So the stored text is already the text that responses show by default, and a cache key is stored with
 * it. A server that computes the same key sends the text unchanged and appends the server-assigned attributes. It
 * parses and projects any other text.
 */
export interface UserRenderCache {
  /**
   * A user as the JSON text of a response (RFC 7644 §3.9), or the work that renders it. A generator for each user of a page would
   * take as long as the rest.
   */
  readonly render: (user: ListedUserRecord, renderContext: ShownUser) => JsonText | Pieces<JsonText>
  /** The columns to store for a resource: its text and the cache key of the text. */
  readonly toStored: (resource: JsonObject, provider: ProviderId) => StoredResource
  /** Whether this server would store the same text for the resource. */
  readonly isCurrent: (stored: Pick<StoredResource, 'renderKey'>) => boolean
}

/** How a user is shown. */
interface ShownUser extends Pick<RenderContext, 'projection' | 'baseUrl'> {
  /** The entity tag, if it is known already. */
  readonly version?: string | undefined
}

type StoredResource = Pick<ProvisionedState, 'resource' | 'renderKey'>

/** Creates the cache of one server. Its key covers everything that the text depends on besides the resource. */
export function createUserRenderCache(
  { defaultProjection }: Pick<ResourceType, 'defaultProjection'>,
  issuer: string,
  { resourceBytes }: Pick<ScimLimits, 'resourceBytes'> = defaultLimits,
): UserRenderCache {
  const key = checksum(JSON.stringify([textVersion, defaultProjection, [...excludedAttributes], scimRoot(issuer)]))
  const appended = appendedProjection(defaultProjection)

  const appendTo = (stored: JsonText, attributes: JsonText): JsonText =>
    joinObjects(
      stored,
      appended === 'all' ? attributes : jsonText(projectResource(JSON.parse(attributes) as JsonObject, appended)),
    )

  function* renderInPieces(user: ListedUserRecord, { projection, baseUrl, version }: ShownUser): Pieces<JsonText> {
    const tag = version ?? (yield* userVersion(user))
    // A user may be in thousands of groups.
    const shown = includesAttribute('groups', projection) ? user : { ...user, groups: undefined }
    const groups = yield* renderGroups(shown, baseUrl)
    const attributes = serverAttributes(shown, { baseUrl, version: tag, groups })
    if (isCached(user, projection)) return appendTo(user.resource, attributes)
    return jsonText(projectResource(renderUser(shown, attributes, baseUrl), projection))
  }

  const isCached = ({ renderKey }: ListedUserRecord, projection: Projection): boolean =>
    renderKey === key && projection === defaultProjection

  return {
    render(user, shown) {
      if (isInGroups(user) || !isCached(user, shown.projection)) return renderInPieces(user, shown)
      const { baseUrl, version = versionWithoutGroups(user) } = shown
      return appendTo(user.resource, serverAttributes(user, { baseUrl, version, groups: '' }))
    },
    isCurrent: ({ renderKey }) => renderKey === key,
    toStored(resource, provider) {
      const baseUrl = tenantUrl(issuer, provider)
      const complete = withManagerReference(resource, (user) => userLocation(user, baseUrl))
      const shown = projectResource(complete, defaultProjection)
      // A resource with attributes that responses leave out by default is stored complete and without a key.
      const isShown = sameValue(complete, shown)
      const text = jsonText(isShown ? shown : resource)
      // RFC 9110 §15.5.14: a page shows up to 200 users, and a search reads thousands.
      if (utf8Length(text) > resourceBytes) throw refuse('resource_too_large')
      return { resource: text, renderKey: isShown ? key : undefined }
    },
  }
}

/** Returns the resource that the provider wrote, without `manager.$ref`, which `toStored` adds for responses. */
export const readStoredResource = ({ resource }: StoredResource): JsonObject =>
  withManagerReference(JSON.parse(resource) as JsonObject, () => undefined)

/**
 * Returns whether a stored resource equals one that is about to be written. Texts with the same key list their members
 * in the same order, so such resources are equal only if their texts are equal. Other resources are compared as values.
 */
export function isSameResource(
  stored: StoredResource,
  written: { readonly state: StoredResource; readonly resource: JsonObject },
): boolean {
  const { resource, renderKey } = written.state
  if (stored.resource === resource) return true
  const haveSameKey = renderKey !== undefined && stored.renderKey === renderKey
  return !haveSameKey && sameValue(readStoredResource(stored), written.resource)
}

/**
 * Attributes that are not part of the stored resource: they have separate columns, are assigned by the server, or are
 * never stored.
 */
export const excludedAttributes: ReadonlySet<string> = new Set([
  'id',
  'externalId',
  'active',
  'groups',
  'meta',
  'password',
])

/**
 * Returns which server-assigned attributes are appended: `all` when the host's schema shows all of them, in the order
 * of `serverAttributes`.
 */
function appendedProjection({ attributes }: Projection): Projection | 'all' {
  const shown = { attributes: attributes.filter(({ name }) => excludedAttributes.has(name)), extensions: [] }
  const groups = runAtOnce(renderGroups(sampleUser, ''))
  const complete = serverAttributes(sampleUser, { baseUrl: '', version: undefined, groups })
  return jsonText(projectResource(JSON.parse(complete) as JsonObject, shown)) === complete ? 'all' : shown
}

/** A user that has every server-assigned attribute. */
const sampleUser: ListedUserRecord = {
  userId: userId('1'),
  externalId: 'x',
  active: true,
  version: 1,
  createdAt: epochSeconds(0),
  updatedAt: epochSeconds(0),
  resource: jsonText({}),
  renderKey: undefined,
  groups: [{ groupId: groupId('g'), displayName: 'G' }],
}

/** Incremented by a release that renders the same resource to another text, so that older rows are parsed again. */
const textVersion = 1

/**
 * Joins the texts of two non-empty objects, without common members and without surrounding white space, to one object.
 */
const joinObjects = (one: JsonText, other: JsonText): JsonText => `${one.slice(0, -1)},${other.slice(1)}` as JsonText

/**
 * Computes FNV-1a, 64 bits, for non-adversarial input. It is slow, so it is not computed for stored users. Stored cache
 * keys depend on it, so it must not change.
 */
export function checksum(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(36)
}

/** Renders the complete SCIM resource of a user (RFC 7643 §4.1), before a projection. */
const renderUser = (user: ListedUserRecord, attributes: JsonText, baseUrl: string): JsonObject => ({
  ...withManagerReference(JSON.parse(user.resource) as JsonObject, (userId) => userLocation(userId, baseUrl)),
  ...(JSON.parse(attributes) as JsonObject),
})

/**
 * Renders the attributes that are not part of the stored resource: `id`, `externalId`, `active`, `groups` and `meta`
 * (RFC 7643 §3.1, §4.1). Renders them as JSON text, because building an object and serializing it takes twice as long
 * and a page has up to 200 users.
 */
function serverAttributes(
  user: ListedUserRecord,
  {
    baseUrl,
    version,
    groups,
  }: { readonly baseUrl: string; readonly version: string | undefined; readonly groups: string },
): JsonText {
  const { userId, externalId, active } = user
  const external = externalId === undefined ? '' : `"externalId":${JSON.stringify(externalId)},`
  const meta = renderMeta({
    resourceType: 'User',
    record: user,
    location: userLocation(userId, baseUrl),
    version,
  })
  return `{"id":${JSON.stringify(userId)},${external}"active":${active},${groups}"meta":${meta}}` as JsonText
}

const isInGroups = ({ groups = [] }: Pick<ListedUserRecord, 'groups'>): boolean => groups.length > 0

/** Renders the member `groups` with a comma after it; an empty string without groups. */
function* renderGroups({ groups = [] }: Pick<ListedUserRecord, 'groups'>, baseUrl: string): Pieces<string> {
  if (groups.length === 0) return ''
  const texts: JsonText[] = []
  for (const group of groups) {
    texts.push(groupText(group, baseUrl))
    if (texts.length % groupsInPiece === 0) yield
  }
  return `"groups":[${texts.join(',')}],`
}

/** Returns the URL of a user. */
export const userLocation = (userId: string, baseUrl: string): string =>
  `${baseUrl}/Users/${encodeURIComponent(userId)}`

/**
 * Computes the entity tag of a user (RFC 7644 §3.14). Groups are part of the resource but not of the user's row, so the
 * tag also covers their ids and names: it changes exactly when the resource does. Returns undefined without the groups,
 * because the tag is then unknown (RFC 7643 §3.1 makes it optional).
 */
export function* userVersion({
  version,
  groups,
}: Pick<ProvisionedUserRecord, 'version' | 'groups'>): Pieces<string | undefined> {
  if (groups === undefined || groups.length === 0) return versionWithoutGroups({ version, groups })
  let hash = fnvBasis
  for (const [index, { groupId, displayName }] of groups.entries()) {
    hash = fnv32(`${index === 0 ? '' : '\n'}${groupId} ${displayName}`, hash)
    if (index % groupsInPiece === 0) yield
  }
  return `W/"${version}.${(hash >>> 0).toString(36)}"`
}

/** Returns the entity tag of a user without groups; undefined if the groups are not known. */
const versionWithoutGroups = ({
  version,
  groups,
}: Pick<ProvisionedUserRecord, 'version' | 'groups'>): string | undefined =>
  groups === undefined ? undefined : `W/"${version}"`

/**
 * Checks the preconditions of a write. The version is computed only for a request with preconditions, because it covers
 * all groups.
 * @throws ScimError 412 — reason `version_mismatch`.
 */
export async function requireVersion(
  { request, turns }: Pick<ScimCall, 'request' | 'turns'>,
  user: ProvisionedUserRecord,
): Promise<void> {
  if (!hasPreconditions(request)) return
  const version = await runInTurns(userVersion(user), turns)
  // RFC 9110 §13.1.1: an unknown version matches no tag.
  if (version === undefined) throw refuse('version_mismatch')
  checkPreconditions(request, version)
}

/** A group has a name of up to 1,024 characters. */
const groupsInPiece = 50

/**
 * Sets `manager.$ref` to the URL of the manager (RFC 7643 §4.3). Only the server assigns it.
 * @param locate returns the URL of a user; undefined removes the reference.
 */
function withManagerReference(resource: JsonObject, locate: (userId: string) => string | undefined): JsonObject {
  const enterprise = getMember(resource, enterpriseUserSchema.id)
  const manager = isObject(enterprise) ? getMember(enterprise, 'manager') : undefined
  const value = isObject(manager) ? getMember(manager, 'value') : undefined
  if (!isObject(enterprise) || !isObject(manager) || typeof value !== 'string') return resource
  const reference = withMember(manager, '$ref', locate(value))
  return withMember(resource, enterpriseUserSchema.id, withMember(enterprise, 'manager', reference))
}

const groupText = ({ groupId, displayName }: GroupReference, baseUrl: string): JsonText =>
  jsonText({
    value: groupId,
    $ref: `${baseUrl}/Groups/${encodeURIComponent(groupId)}`,
    display: displayName,
    type: 'direct',
  })

/**
 * Computes FNV-1a, 32 bits. Clients keep these tags, so the algorithm must not change. The hash distinguishes lists; it
 * does not hide their content.
 */
function fnv32(text: string, basis: number): number {
  let hash = basis
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

const fnvBasis = 0x811c9dc5
