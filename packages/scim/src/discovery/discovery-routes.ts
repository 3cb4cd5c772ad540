import { refusal } from '../error/refusal.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { renderResourceType, renderSchema } from '../schema/render-schema.ts'
import type { ScimCollection, ScimEndpoint, ScimRoutes } from '../server/scim-call.ts'
import { publishedList, publishedResource } from './published-endpoints.ts'
import { serviceProviderConfig } from './service-provider-config.ts'

/** What the server says about itself (RFC 7644 §4), made once, with schemas of the host's own; and what it does not offer. */
export function discoveryRoutes(
  resourceTypes: readonly ResourceType[],
  offered: { readonly passwords: boolean },
): ScimRoutes {
  const schemas = resourceTypes.flatMap(({ schema, extensions }) => [schema, ...extensions.map((each) => each.schema)])
  const distinct = [...new Map(schemas.map((schema) => [schema.id, schema])).values()]
  return {
    serviceproviderconfig: publishedResource(
      { endpoint: 'ServiceProviderConfig', resourceType: 'ServiceProviderConfig' },
      serviceProviderConfig(offered),
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

const notOffered: ScimEndpoint = async () => {
  // RFC 7644 §3.11, 501.
  throw refusal('me_not_offered')
}

const me: ScimCollection = {
  collection: { GET: notOffered, POST: notOffered, PUT: notOffered, PATCH: notOffered, DELETE: notOffered },
}
