import type { ServerResponse } from '@mintmark/core/http'
import type { JsonText } from '@mintmark/storage-interface'

import { textResponse } from '../message/scim-response.ts'

/** A page of resources. */
export interface ListedPage {
  /** Of all that match, on whichever page. */
  readonly total: number
  readonly resources: readonly JsonText[]
  /** From 1; undefined for a page that a cursor led to. */
  readonly startIndex?: number
  /** Undefined on the last page, and where pages are told by index. */
  readonly nextCursor?: string | undefined
}

/** A page as an answer (RFC 7644 §3.4.2, RFC 9865 §2). With nothing on it `Resources` is empty, and is there. */
export function listResponse({ total, resources, startIndex, nextCursor }: ListedPage): ServerResponse {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse']
  const page = JSON.stringify({ schemas, totalResults: total, startIndex, itemsPerPage: resources.length, nextCursor })
  // Not by `joinObjects`: a page has 100 kB, and what is cut out of a text is copied.
  return textResponse(200, `${page.slice(0, -1)},"Resources":[${resources.join(',')}]}`)
}
