import { jsonText, type JsonObject } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { listResponse } from '../list/list-response.ts'
import { readQuery } from '../message/read-query.ts'
import { scimResponse } from '../message/scim-response.ts'
import { nameKey } from '../schema/name-key.ts'
import type { ScimCall, ScimCollection, ScimEndpoint } from '../server/scim-call.ts'

/** What the server publishes about itself under one name, without its `meta`. */
export interface Published {
  /** `Schemas`, as the address has it. */
  readonly endpoint: string
  /** `Schema`, for `meta.resourceType`. */
  readonly resourceType: string
}

/** All of them as a list, in which paging, order and attributes mean nothing, and each by its id (RFC 7644 §4). */
export function publishedList(published: Published, resources: readonly PublishedResource[]): ScimCollection {
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
    // URNs do not differ by case (RFC 7644 §3.10), and no two types of resource are told apart by it.
    const found = byId.get(nameKey(call.id))
    // RFC 7644 §3.12, 404.
    if (found === undefined) throw refusal('resource_not_found')
    return scimResponse(200, shown(found, call))
  }
  return { collection: { GET: list }, member: { GET: read } }
}

/** One of a list. */
export interface PublishedResource {
  readonly id: string
  readonly content: JsonObject
}

/** A single resource without an id. */
export const publishedResource = (published: Published, resource: JsonObject): ScimCollection => ({
  collection: {
    GET: async (call) => {
      refuseFilter(call)
      return scimResponse(200, withMeta(resource, published, `${call.baseUrl}/${published.endpoint}`))
    },
  },
})

function refuseFilter({ request }: ScimCall): void {
  // RFC 7644 §4: 403, as an answer that looks filtered would be misread.
  if (readQuery(request).has('filter')) throw refusal('discovery_filtered')
}

const withMeta = (resource: JsonObject, { resourceType }: Published, location: string): JsonObject => ({
  ...resource,
  meta: { resourceType, location },
})
