import { type Header, noStore, type ServerResponse } from '@mintmark/core/http'
import type { JsonText } from '@mintmark/storage-interface'

/** A SCIM response (RFC 7644 §3.1, §3.8). It is not cached, because it contains personal data. */
export const scimResponse = (status: number, body: object, headers?: readonly Header[]): ServerResponse =>
  textResponse(status, JSON.stringify(body), headers)

/** A SCIM response whose body is already JSON text. */
export const textResponse = (status: number, body: string, headers: readonly Header[] = []): ServerResponse => ({
  status,
  headers: [['Content-Type', 'application/scim+json'], ['X-Content-Type-Options', 'nosniff'], ...noStore, ...headers],
  body,
})

/** A response without content. */
export const emptyResponse = (headers: readonly Header[] = []): ServerResponse => withoutContent(204, headers)

const withoutContent = (status: 204 | 304, headers: readonly Header[]): ServerResponse => ({
  status,
  headers: [...noStore, ...headers],
  body: undefined,
})

/** A response with one resource, with its version and location as headers (RFC 7644 §3.14). */
export function resourceResponse(
  status: 200 | 201,
  shown: JsonText,
  { location, version }: ResourceHeaders,
): ServerResponse {
  const address: Header = [status === 201 ? 'Location' : 'Content-Location', location]
  return textResponse(status, shown, [['ETag', version], address])
}

/** A 304 response, with the headers of the full response (RFC 9110 §15.4.5). */
export const notModifiedResponse = ({ location, version }: ResourceHeaders): ServerResponse =>
  withoutContent(304, [
    ['ETag', version],
    ['Content-Location', location],
  ])

interface ResourceHeaders {
  readonly location: string
  /** A weak entity tag. */
  readonly version: string
}
