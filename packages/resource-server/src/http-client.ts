import { readBounded } from '@mintmark/internal'

/** A request to the authorization server, with limits for the response. */
export interface BoundedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as a form by POST. Without a form, the request is a GET. */
  readonly form?: Readonly<Record<string, string>>
  /** In milliseconds, for the whole response. */
  readonly timeout: number
  /** In bytes. */
  readonly limit: number
  /** Cancels the request. */
  readonly signal?: AbortSignal
}

/**
 * Fetches the body of a 200 response, within the limits of time and size. Does not follow redirects, which could lead away
 * from the trusted URL.
 * @throws Error when the status is not 200, the body is too long or is not UTF-8, or the request fails or takes too long.
 */
export const fetchBounded = async (request: BoundedRequest, fetch: typeof globalThis.fetch): Promise<string> =>
  (await fetchCached(request, fetch)).text

/** Like `fetchBounded`, but also returns for how many seconds a cache had stored the response (RFC 9111 §5.1). */
export async function fetchCached(
  request: BoundedRequest,
  fetch: typeof globalThis.fetch,
): Promise<{ readonly text: string; readonly age: number }> {
  const { url, headers, form } = request
  const timeout = AbortSignal.timeout(request.timeout)
  const response = await fetch(url, {
    // 'manual' because Cloudflare Workers do not have 'error': a redirect is then a response other than 200.
    redirect: 'manual',
    headers,
    signal: request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]),
    ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
  }).catch((cause: unknown) => {
    throw new Error(`${url} did not answer.`, { cause })
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url} answered with the status ${response.status} instead of 200.`)
  }
  const text = await readBounded(response, request.limit, new TextDecoder('utf-8', { fatal: true }))
  if (text === undefined) throw new Error(`The response of ${url} is longer than ${request.limit} bytes.`)
  return { text, age: ageOf(response) }
}

/** Uses the first of several values, and ignores a value that is not a number of seconds (RFC 9111 §5.1). */
const ageOf = ({ headers }: Response): number => Number(/^\s*(\d+)\s*(?:,|$)/.exec(headers.get('age') ?? '')?.[1] ?? 0)

/** A JSON object whose members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** @returns `undefined` for a string that is not JSON, or is a JSON value other than an object. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    // JSON.parse throws for a string that is not JSON.
    return undefined
  }
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
