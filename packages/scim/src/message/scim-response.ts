import { noStore, type Header, type ServerResponse } from '@mintmark/core/http'
import type { JsonObject } from '@mintmark/storage-interface'

/** A SCIM answer (RFC 7644 §3.1, §3.8). Nobody keeps it: it is about people. */
export const scimResponse = (status: number, body: object, headers: readonly Header[] = []): ServerResponse => ({
  status,
  headers: [['Content-Type', 'application/scim+json'], ['X-Content-Type-Options', 'nosniff'], ...noStore, ...headers],
  body: JSON.stringify(body),
})

/** An answer without content. */
export const emptyResponse = (status: 204 | 304, headers: readonly Header[] = []): ServerResponse => ({
  status,
  headers: [...noStore, ...headers],
  body: undefined,
})

/** A resource as its own answer, with its version and address as headers (RFC 7644 §3.14). */
export function resourceResponse(status: 200 | 201, shown: JsonObject, { location, version }: ResourceHeaders): ServerResponse {
  const address: Header = [status === 201 ? 'Location' : 'Content-Location', location]
  return scimResponse(status, shown, [['ETag', version], address])
}

export interface ResourceHeaders {
  readonly location: string
  /** A weak entity tag. */
  readonly version: string
}
