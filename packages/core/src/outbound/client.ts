import { NotPublicError, pinnedFetch } from './pinned-fetch.ts'

/**
 * Sends every request that the server makes by itself, to URLs that clients register. It protects the host's network and
 * its own resources: only https, only public addresses, no redirects, and limits on time, size and parallel requests.
 */
export interface OutboundClient {
  request(request: OutboundRequest): Promise<OutboundOutcome>
}

export interface OutboundRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** In milliseconds, from the call to the end of the response. */
  readonly timeout: number
  /** A longer response is dropped. */
  readonly maxBytes: number
}

type OutboundOutcome =
  | { readonly outcome: 'answered'; readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly outcome: 'failed'; readonly failure: OutboundFailure }

/**
 * - `not_allowed`: the URL is not https, has a port, credentials or a fragment, or its host is an IP address or a local name.
 * - `not_public`: the host name resolves to an address that is not globally reachable.
 * - `busy`: too many requests to this host, or at all, are pending.
 * - `timeout`: no complete response in time.
 * - `too_large`: the response exceeds the limit.
 * - `unreachable`: DNS, connection or TLS failed.
 */
type OutboundFailure = 'not_allowed' | 'not_public' | 'busy' | 'timeout' | 'too_large' | 'unreachable'

/** Limits of one process. Further requests fail as `busy`. */
const maxPending = 64
const maxPendingPerHost = 8

/**
 * @param fetch the host's own. By default, where Node's modules exist, a fetch that connects only to addresses that it has
 * checked; otherwise the runtime's, which has to keep requests out of private networks by itself, as workerd does.
 */
export function createOutboundClient(
  fetch: typeof globalThis.fetch = pinnedFetch() ?? globalThis.fetch,
): OutboundClient {
  const pending = new Map<string, number>()
  let total = 0

  return {
    async request(request) {
      if (!isOutboundUrl(request.url)) return failed('not_allowed')
      const { host } = new URL(request.url)
      const ofHost = pending.get(host) ?? 0
      if (total >= maxPending || ofHost >= maxPendingPerHost) return failed('busy')

      total += 1
      pending.set(host, ofHost + 1)
      try {
        return await send(request, fetch)
      } finally {
        total -= 1
        const left = (pending.get(host) ?? 1) - 1
        if (left === 0) pending.delete(host)
        else pending.set(host, left)
      }
    },
  }
}

/**
 * Whether a URL can be requested; registration rejects others. It is https and has a host name with a dot that is neither an
 * IP address nor a local name, the default port, and no credentials or fragment. The name may still resolve to a private
 * address, which the request checks.
 */
export function isOutboundUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password, port, hash } = new URL(url)
  const isNamed =
    /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(hostname) && !/\.(?:localhost|local|internal)$/.test(hostname)
  return protocol === 'https:' && isNamed && username === '' && password === '' && port === '' && hash === ''
}

async function send(
  { url, method = 'GET', headers, body, timeout, maxBytes }: OutboundRequest,
  fetch: typeof globalThis.fetch,
): Promise<OutboundOutcome> {
  const signal = AbortSignal.timeout(timeout)
  try {
    // A redirect is a response like any other: following it would leave the checked address.
    const pending = fetch(url, {
      method,
      redirect: 'manual',
      signal,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
    })
    // A lookup of a name cannot be aborted, and its name server belongs to the client.
    const response = await Promise.race([pending, aborted(signal)])
    const text = await readBounded(response, maxBytes)
    if (text === undefined) return failed('too_large')
    return { outcome: 'answered', status: response.status, headers: response.headers, body: text }
  } catch (error) {
    // A request that fails has an outcome: nothing above this module catches errors of the network.
    if (signal.aborted) return failed('timeout')
    return failed(error instanceof NotPublicError ? 'not_public' : 'unreachable')
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The time is over.', { cause: signal.reason })))
  })

/** @returns `undefined` if there is more; the rest is not read. */
async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const failed = (failure: OutboundFailure): OutboundOutcome => ({ outcome: 'failed', failure })
