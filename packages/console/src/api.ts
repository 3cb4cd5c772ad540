import type { createAdminServer } from '@mintmark/admin'
import type { RequestHead, ServerRequest, ServerResponse } from '@mintmark/core/http'
import { parseJsonObject } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { ApiError } from './refusals.ts'
import { textOf } from './values.ts'

/** What the console needs of the administration API. */
export type AdminServer = ReturnType<typeof createAdminServer>

/** A request to the administration API. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/admin/v1`, which `at` creates. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: JsonObject
  /** The version that the administrator has seen, for `If-Match`; undefined for any. */
  readonly version?: string | undefined
}

/** The administration API, in the name of the administrator whose request the console answers. */
export interface Api {
  /** @throws ApiError if the API refuses the request. */
  readonly get: (path: string, query?: ApiCall['query']) => Promise<JsonObject>
  /** @throws ApiError if the API refuses the request. */
  readonly send: (call: ApiCall) => Promise<JsonObject>
  /** Returns the refusal instead of throwing it, for a page that shows it next to its form. */
  readonly attempt: (call: ApiCall) => Promise<JsonObject | ApiError>
}

/**
 * Calls the API in this process with the credentials of the browser's request. So the API authenticates and authorizes
 * each call, checks versions and writes its audit log as for any other caller.
 */
export function connectApi(admin: AdminServer, browser: RequestHead): Api {
  const attempt = async (call: ApiCall): Promise<JsonObject | ApiError> =>
    readResponse(await admin.handle(toRequest(call, admin.issuer, browser)))
  const send = async (call: ApiCall): Promise<JsonObject> => {
    const outcome = await attempt(call)
    if (outcome instanceof ApiError) throw outcome
    return outcome
  }
  return { attempt, send, get: (path, query) => send({ method: 'GET', path, ...(query && { query }) }) }
}

/** Builds a path, and encodes each value as one segment. */
export const at = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.map((part, index) => part + encodeURIComponent(values[index] ?? '')).join('')

function toRequest({ method, path, query = {}, body, version }: ApiCall, issuer: string, browser: RequestHead) {
  const url = new URL(`${issuer}/admin/v1${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  const headers = new Map([...browser.headers].filter(([name]) => !ownHeaders.has(name)))
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (version !== undefined) headers.set('if-match', `"${version}"`)
  const request: ServerRequest = {
    method,
    url,
    headers,
    repeatedHeaders: browser.repeatedHeaders,
    host: browser.host,
    signal: browser.signal,
    body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
  }
  return request
}

/** Headers about the body and the version, which differ between the browser's request and the call. */
const ownHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'if-match',
  'if-none-match',
])

function readResponse({ status, body }: ServerResponse): JsonObject | ApiError {
  const content = typeof body === 'string' ? (parseJsonObject(body) ?? {}) : {}
  if (status < 300) return content
  const { code, detail, pointer } = content
  return new ApiError({ status, code: textOf(code), detail: textOf(detail), pointer: textOf(pointer) || undefined })
}
