/** A request to the authorization server, and what its answer may cost. */
export interface BoundedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as a form by POST; without it the request is a GET. */
  readonly form?: Readonly<Record<string, string>>
  /** In milliseconds, for the whole answer. */
  readonly timeout: number
  /** In bytes. */
  readonly limit: number
  /** Gives up when it aborts. */
  readonly signal?: AbortSignal
}

/**
 * The text of a 200 answer, within the time and the size. Redirects are not followed: an address is configuration.
 * @throws Error of whatever kind when there is no such answer.
 */
export async function fetchBounded(request: BoundedRequest, fetch: typeof globalThis.fetch): Promise<string> {
  const { url, headers, form } = request
  const timeout = AbortSignal.timeout(request.timeout)
  const response = await fetch(url, {
    // 'manual' and not 'error', which Cloudflare Workers do not have: a redirect is an answer other than 200.
    redirect: 'manual',
    headers,
    signal: request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]),
    ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url} answered ${response.status}.`)
  }
  return readText(response, request)
}

async function readText(response: Response, { url, limit }: BoundedRequest): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > limit) throw new Error(`${url} answered more than ${limit} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
