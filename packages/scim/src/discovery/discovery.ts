import { type JsonObject } from '@mintmark/storage-interface'
import { jsonText } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { listResponse } from '../list/search-endpoints.ts'
import type { PageLimits } from '../list/search-request.ts'
import { readQuery, scimResponse } from '../call/scim-message.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import type { MessageLimits } from '../limits/scim-limits.ts'
import type { ScimCall, ScimCollection, ScimEndpoint, ScimRoutes } from '../call/scim-call.ts'
import { nameKey } from '../values/text.ts'

/**
 * Creates the routes of discovery (RFC 7644 §4), whose content is rendered once with the schemas of the host, and of
 * `/Me`, which is not supported.
 */
export function discoveryRoutes(
  resourceTypes: readonly ResourceType[],
  features: {
    readonly passwords: boolean
    readonly limits: MessageLimits
    readonly pageLimits: PageLimits
  },
): ScimRoutes {
  const schemas = resourceTypes.flatMap(({ schema, extensions }) => [schema, ...extensions.map((each) => each.schema)])
  const distinct = [...new Map(schemas.map((schema) => [schema.id, schema])).values()]
  return {
    serviceproviderconfig: publishedResource(
      { endpoint: 'ServiceProviderConfig', resourceType: 'ServiceProviderConfig' },
      serviceProviderConfig(features),
    ),
    schemas: publishedList(
      { endpoint: 'Schemas', resourceType: 'Schema' },
      distinct.map((schema) => ({ id: schema.id, content: renderSchema(schema) })),
    ),
    resourcetypes: publishedList(
      { endpoint: 'ResourceTypes', resourceType: 'ResourceType' },
      resourceTypes.map((type) => ({ id: type.name, content: renderResourceType(type) })),
    ),
    me,
  }
}

const refuseMe: ScimEndpoint = async () => {
  throw refuse('me_not_offered')
}

const me: ScimCollection = {
  collection: { GET: refuseMe, POST: refuseMe, PUT: refuseMe, PATCH: refuseMe, DELETE: refuseMe },
}

/** A discovery collection, without `meta`. */
interface Published {
  /** `Schemas`, as in the URL. */
  readonly endpoint: string
  /** `Schema`, for `meta.resourceType`. */
  readonly resourceType: string
}

/**
 * Serves all resources as a list that ignores paging, sorting and attributes, and each resource by its id (RFC 7644
 * §4).
 */
function publishedList(published: Published, resources: readonly PublishedResource[]): ScimCollection {
  const byId = new Map(resources.map((resource) => [nameKey(resource.id), resource]))
  const shown = ({ id, content }: PublishedResource, { baseUrl }: ScimCall): JsonObject =>
    withMeta(content, published, `${baseUrl}/${published.endpoint}/${id}`)

  const list: ScimEndpoint = async (call) => {
    refuseFilter(call)
    return listResponse({
      total: resources.length,
      startIndex: 1,
      resources: resources.map((resource) => jsonText(shown(resource, call))),
    })
  }
  const read: ScimEndpoint = async (call) => {
    refuseFilter(call)
    // URNs are case-insensitive (RFC 7644 §3.10), and no two resource types differ only by case.
    const found = byId.get(nameKey(call.id))
    if (found === undefined) throw refuse('resource_not_found')
    return scimResponse(200, shown(found, call))
  }
  return { collection: { GET: list }, member: { GET: read } }
}

/** A resource of a list. */
interface PublishedResource {
  readonly id: string
  readonly content: JsonObject
}

/** Serves a single resource without an id. */
const publishedResource = (published: Published, resource: JsonObject): ScimCollection => ({
  collection: {
    GET: async (call) => {
      refuseFilter(call)
      return scimResponse(200, withMeta(resource, published, `${call.baseUrl}/${published.endpoint}`))
    },
  },
})

function refuseFilter({ request }: ScimCall): void {
  // RFC 7644 §4: 403, because a client would take an unfiltered response for a filtered one.
  if (readQuery(request).has('filter')) throw refuse('discovery_filtered')
}

const withMeta = (resource: JsonObject, { resourceType }: Published, location: string): JsonObject => ({
  ...resource,
  meta: { resourceType, location },
})

/**
 * Returns the content of `/ServiceProviderConfig` (RFC 7643 §5, RFC 9865 §4), without `meta`.
 * @param features the features that depend on the host: whether it accepts passwords, and its limits.
 */
const serviceProviderConfig = ({
  passwords,
  limits,
  pageLimits,
}: {
  readonly passwords: boolean
  readonly limits: MessageLimits
  readonly pageLimits: PageLimits
}): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  // RFC 7643 §5 has no members for other features that are not supported. Strict clients, such as scim2-models, refuse
  // extensions here.
  documentationUri: 'https://github.com/mintmark/mintmark/blob/main/docs/reference/limits.md',
  patch: { supported: true },
  bulk: { supported: true, maxOperations: limits.bulkOperations, maxPayloadSize: limits.payloadBytes },
  filter: { supported: true, maxResults: pageLimits.maxCount },
  changePassword: { supported: passwords },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: pageLimits.defaultCount,
    maxPageSize: pageLimits.maxCount,
    cursorTimeout: pageLimits.cursorLifetime,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description:
        'The secret token of this identity provider, or an access token with the scope scim, as a Bearer token in the Authorization header.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
})

/** Renders a schema for `/Schemas` (RFC 7643 §7), without `meta`. It contains no nulls, because Entra reads it. */
export const renderSchema = ({ id, name, description, attributes }: Schema): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes: attributes.map(renderAttribute),
})

/**
 * Renders a resource type for `/ResourceTypes` (RFC 7643 §6), without `meta`. Its id is its name, because CyberArk
 * requests it by name.
 */
export const renderResourceType = ({ name, endpoint, description, schema, extensions }: ResourceType): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  schemaExtensions: extensions.map((extension) => ({ schema: extension.schema.id, required: extension.required })),
})

function renderAttribute(attribute: Attribute): JsonObject {
  const { name, type, multiValued, description, required, caseExact, mutability, returned, uniqueness } = attribute
  const { canonicalValues, referenceTypes, subAttributes } = attribute
  return {
    name,
    type,
    multiValued,
    description,
    required,
    // RFC 7643 §2.2 with erratum 6004: `caseExact` and `uniqueness` apply to simple types only.
    ...(type === 'complex' ? {} : { caseExact, uniqueness }),
    mutability,
    returned,
    ...(canonicalValues.length === 0 ? {} : { canonicalValues }),
    ...(referenceTypes.length === 0 ? {} : { referenceTypes }),
    ...(subAttributes.length === 0 ? {} : { subAttributes: subAttributes.map(renderAttribute) }),
  }
}
