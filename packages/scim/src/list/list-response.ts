import type { ServerResponse } from '@mintmark/core/http'
import type { JsonObject } from '@mintmark/storage-interface'

import { scimResponse } from '../message/scim-response.ts'

/** A page of resources. */
export interface ListedPage {
  /** Of all that match, on whichever page. */
  readonly total: number
  readonly resources: readonly JsonObject[]
  /** From 1; undefined for a page that a cursor led to. */
  readonly startIndex?: number
  /** Undefined on the last page, and where pages are told by index. */
  readonly nextCursor?: string | undefined
}

/** A page as an answer (RFC 7644 §3.4.2, RFC 9865 §2). With nothing on it `Resources` is empty, and is there. */
export const listResponse = ({ total, resources, startIndex, nextCursor }: ListedPage): ServerResponse =>
  scimResponse(200, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    nextCursor,
    Resources: resources,
  })
