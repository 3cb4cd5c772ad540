import {
  epochSeconds,
  groupId,
  type JsonObject,
  jsonText,
  type JsonText,
  type ProviderId,
  providerId,
  userId,
} from '@mintmark/storage-interface'
import { type ListedUserRecord, type ProvisionedState } from '@mintmark/storage-interface/stores'

import { projectResource } from '../resource/project-resource.ts'
import type { Projection, RenderContext } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { scimRoot, tenantUrl } from '../server/scim-path.ts'
import { sameValue } from '../values/json.ts'
import { renderUser, serverAttributes, userLocation, withManagerReference } from './render-user.ts'

/**
 * Renders users, and decides which JSON text of a resource is stored.
 *
 * A list page shows up to 200 users, and parsing, projecting and serializing each resource costs more than reading it from storage.
 * So the stored text is already the one that responses show by default, and a cache key is stored beside it. A server that computes
 * the same key sends the text as it is and appends the server-assigned attributes; any other text is parsed and projected.
 */
export interface UserRenderCache {
  /** A user as the JSON text of a response (RFC 7644 §3.9). */
  readonly render: (user: ListedUserRecord, showing: RenderContext) => JsonText
  /** The columns to store for a resource: its text and the cache key of the text. */
  readonly toStored: (resource: JsonObject, provider: ProviderId) => StoredResource
}

type StoredResource = Pick<ProvisionedState, 'resource' | 'resourceForm'>

/** Creates the cache of one server. Its key covers everything that the text depends on besides the resource. */
export function createUserRenderCache(
  { defaultProjection }: Pick<ResourceType, 'defaultProjection'>,
  issuer: string,
): UserRenderCache {
  const key = checksum(JSON.stringify([textVersion, defaultProjection, [...excludedAttributes], scimRoot(issuer)]))
  const appended = appendedProjection(defaultProjection)

  return {
    render(user, { projection, baseUrl }) {
      const isCached = user.resourceForm === key && projection === defaultProjection
      if (!isCached) return jsonText(projectResource(renderUser(user, baseUrl), projection))
      const attributes = serverAttributes(user, baseUrl)
      return joinObjects(
        user.resource,
        appended === 'all' ? attributes : jsonText(projectResource(JSON.parse(attributes) as JsonObject, appended)),
      )
    },
    toStored(resource, provider) {
      const baseUrl = tenantUrl(issuer, provider)
      const complete = withManagerReference(resource, (user) => userLocation(user, baseUrl))
      const shown = projectResource(complete, defaultProjection)
      // A resource with attributes that responses leave out by default is stored complete and without a key.
      return sameValue(complete, shown)
        ? { resource: jsonText(shown), resourceForm: key }
        : { resource: jsonText(resource), resourceForm: undefined }
    },
  }
}

/** The resource that the provider wrote: without `manager.$ref`, which `toStored` adds for responses. */
export const readStoredResource = ({ resource }: StoredResource): JsonObject =>
  withManagerReference(JSON.parse(resource) as JsonObject, () => undefined)

/**
 * Whether a stored resource equals one that is about to be written. Two texts with the same key list the same members in the same
 * order, so they are equal only when the text is; all others are compared as values.
 */
export function isSameResource(
  stored: StoredResource,
  written: { readonly state: StoredResource; readonly resource: JsonObject },
): boolean {
  const { resource, resourceForm } = written.state
  if (stored.resource === resource) return true
  const haveSameKey = resourceForm !== undefined && stored.resourceForm === resourceForm
  return !haveSameKey && sameValue(readStoredResource(stored), written.resource)
}

/** Attributes that are not part of the stored resource: in columns of their own, assigned by the server, or never stored. */
export const excludedAttributes: ReadonlySet<string> = new Set([
  'id',
  'externalId',
  'active',
  'groups',
  'meta',
  'password',
])

/** Which server-assigned attributes are appended: `all` when the host's schema shows every one of them, in our order. */
function appendedProjection({ attributes }: Projection): Projection | 'all' {
  const shown = { attributes: attributes.filter(({ name }) => excludedAttributes.has(name)), extensions: [] }
  const complete = serverAttributes(sampleUser, '')
  return jsonText(projectResource(JSON.parse(complete) as JsonObject, shown)) === complete ? 'all' : shown
}

/** A user that has every server-assigned attribute. */
const sampleUser: ListedUserRecord = {
  userId: userId('1'),
  providerId: providerId('p'),
  externalId: 'x',
  adopted: false,
  active: true,
  generation: 0,
  version: 1,
  createdAt: epochSeconds(0),
  updatedAt: epochSeconds(0),
  resource: jsonText({}),
  resourceForm: undefined,
  groups: [{ groupId: groupId('g'), displayName: 'G' }],
}

/** Incremented by a release that renders the same resource to another text, so that older rows are parsed again. */
const textVersion = 1

/** One object from the texts of two non-empty objects without common members and without surrounding white space. */
const joinObjects = (one: JsonText, other: JsonText): JsonText => `${one.slice(0, -1)},${other.slice(1)}` as JsonText

/**
 * FNV-1a, 64 bits, for non-adversarial input. Slow, so only for values computed once. Stored cache keys depend on it, so it must
 * not change.
 */
function checksum(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(36)
}
