import { elapsed, forgetOldest, readBounded } from '@mintmark/internal'

import { NotPublicError, pinnedFetch } from './pinned-fetch.ts'

/**
 * Sends all requests of the server to URLs that clients register. Protects the host's network and the server's
 * resources: only https, only public addresses, no redirects, and limits on time, size and parallel requests.
 */
export interface OutboundClient {
  request(request: OutboundRequest): Promise<OutboundOutcome>
}

export interface OutboundRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** In milliseconds, from the call to the end of the response. */
  readonly timeout: number
  /** A longer response fails with `too_large`. */
  readonly maxBytes: number
  /**
   * By default, the body is read as text. `ignored`: only the status matters, so a body that is too long, or does not
   * end in time, is not a failure. `bytes`: the body is returned as bytes.
   */
  readonly responseBody?: 'ignored' | 'bytes'
}

/** Limits of one process. */
export interface OutboundLimits {
  /** Further requests fail as `busy`. */
  readonly pending: number
  readonly pendingPerHost: number
  /**
   * After too many consecutive failures, including responses with a 5xx status, requests to a host fail as
   * `circuit_open`.
   */
  readonly breaker?: {
    readonly failures: number
    /** In milliseconds. Then one request is sent; if it fails too, the time starts again. */
    readonly openFor: number
    /**
     * With `url`, failures are counted for each URL, so that those who choose a path cannot stop requests to others.
     * @defaultValue `host`
     */
    readonly per?: 'host' | 'url'
  }
  /**
   * The time in milliseconds.
   * @defaultValue The time of a clock that is never set back.
   */
  readonly elapsed?: () => number
  /** The option `dangerouslyAllowOutbound`. */
  readonly allowedOrigins?: AllowedOrigins
}

/** Origins that may be requested although they have a port, an IP address or a name of a private network, or no TLS. */
export type AllowedOrigins = readonly string[]

type OutboundOutcome =
  | {
      readonly outcome: 'answered'
      readonly status: number
      readonly headers: Headers
      readonly body: string
      /** The body, with `responseBody: 'bytes'`; `body` is then empty. */
      readonly bytes?: Uint8Array<ArrayBuffer>
    }
  | { readonly outcome: 'failed'; readonly failure: OutboundFailure }

/**
 * - `not_allowed`: the URL is not https, has a port, credentials or a fragment, or its host is an IP address or a local
 *   name.
 * - `not_public`: the host name resolves to an address that is not globally reachable.
 * - `busy`: too many requests are pending, to this host or in total.
 * - `circuit_open`: too many requests to this host have failed in a row. No request was sent.
 * - `timeout`: no complete response in time.
 * - `too_large`: the response exceeds the limit.
 * - `unreachable`: DNS, connection or TLS failed.
 */
export type OutboundFailure =
  'not_allowed' | 'not_public' | 'busy' | 'circuit_open' | 'timeout' | 'too_large' | 'unreachable'

/** The limits for requests to documents that clients publish. */
export const documentLimits: OutboundLimits = { pending: 64, pendingPerHost: 8 }

/** A URL that fails ten times gets no requests for half a minute. Strangers choose URLs, so they do not stop a host. */
export const documentBreaker = { failures: 10, openFor: 30_000, per: 'url' } as const

/**
 * @param given the host's own `fetch`. By default, where Node's modules exist, a `fetch` that connects only to
 *   addresses that it has checked; otherwise the runtime's `fetch`, which must itself keep requests out of private
 *   networks, as workerd's does.
 */
export function createOutboundClient(
  given?: typeof globalThis.fetch,
  { allowedOrigins = [], ...limits }: OutboundLimits = documentLimits,
): OutboundClient {
  // Created for the first request: most servers send none, and need not load Node's modules for TLS and DNS when they start.
  let fetch = given
  const pending = new Map<string, number>()
  const breaker = createBreaker(limits)
  let total = 0

  return {
    async request(request) {
      if (!isOutboundUrl(request.url, allowedOrigins)) return failedOutcome('not_allowed')
      const { host } = new URL(request.url)
      const ofHost = pending.get(host) ?? 0
      if (total >= limits.pending || ofHost >= limits.pendingPerHost) return failedOutcome('busy')
      const target = limits.breaker?.per === 'url' ? request.url : host
      if (!breaker.admits(target)) return failedOutcome('circuit_open')

      total += 1
      pending.set(host, ofHost + 1)
      try {
        fetch ??= pinnedFetch({ allowedOrigins }) ?? globalThis.fetch
        const result = await send(request, fetch)
        breaker.record(target, isAnswer(result))
        return result
      } finally {
        total -= 1
        const left = (pending.get(host) ?? 1) - 1
        if (left === 0) pending.delete(host)
        else pending.set(host, left)
      }
    },
  }
}

/** Whether the host is healthy. A response that is too large is an answer: whoever chooses the path chooses its size. */
const isAnswer = (result: OutboundOutcome): boolean =>
  result.outcome === 'answered' ? result.status < 500 : result.failure === 'too_large'

/** Strangers name the hosts, so their number is limited. */
const maximumFailingHosts = 1000

/** Stops requests to a host after repeated failures. */
interface Breaker {
  /** Whether a request may be sent. After a pause, admits one request; its result decides whether more are admitted. */
  admits(host: string): boolean
  record(host: string, isSuccess: boolean): void
}

function createBreaker({ breaker, elapsed: now = elapsed }: OutboundLimits): Breaker {
  if (breaker === undefined) return { admits: () => true, record: () => {} }
  const failing = new Map<string, { readonly failures: number; readonly since: number }>()
  const note = (host: string, failures: number): void => {
    // Deleted first, so that the host which failed longest ago is forgotten first.
    failing.delete(host)
    failing.set(host, { failures, since: now() })
    forgetOldest(failing, maximumFailingHosts)
  }

  return {
    admits(host) {
      const state = failing.get(host)
      if (state === undefined || state.failures < breaker.failures) return true
      const age = now() - state.since
      if (age >= 0 && age < breaker.openFor) return false
      note(host, state.failures)
      return true
    },
    record(host, isSuccess) {
      if (isSuccess) failing.delete(host)
      else note(host, (failing.get(host)?.failures ?? 0) + 1)
    },
  }
}

/**
 * Whether a URL can be requested; registration rejects others. It is https and has a host name with a dot that is
 * neither an IP address nor a local name, the default port, and no credentials or fragment. The name may still resolve
 * to a private address, which is checked when the request is sent. A URL of an allowed origin must only be without
 * credentials and fragment.
 */
export function isOutboundUrl(url: string, allowedOrigins: AllowedOrigins = []): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password, port, hash, origin } = new URL(url)
  if (allowedOrigins.includes(origin)) return username === '' && password === '' && hash === ''
  const isNamed =
    /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(hostname) && !/\.(?:localhost|local|internal)$/.test(hostname)
  return protocol === 'https:' && isNamed && username === '' && password === '' && port === '' && hash === ''
}

async function send(
  { url, method = 'GET', headers, body, timeout, maxBytes, responseBody }: OutboundRequest,
  fetch: typeof globalThis.fetch,
): Promise<OutboundOutcome> {
  const signal = AbortSignal.timeout(timeout)
  try {
    // Does not follow redirects, because they lead to addresses that were not checked.
    const pending = fetch(url, {
      method,
      redirect: 'manual',
      signal,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
    })
    // Does not wait for `fetch` after the timeout: it may be unable to abort a name lookup, and the client's name
    // server may be hostile.
    const response = await Promise.race([pending, rejectOnAbort(signal)])
    const { status, headers: received } = response
    const answered = { outcome: 'answered', status, headers: received } as const
    if (responseBody === 'ignored') return { ...answered, body: await drainBody(response, maxBytes) }
    if (responseBody === 'bytes') {
      const bytes = await readBytes(response, maxBytes)
      return bytes === undefined ? failedOutcome('too_large') : { ...answered, body: '', bytes }
    }
    const text = await readBounded(response, maxBytes)
    return text === undefined ? failedOutcome('too_large') : { ...answered, body: text }
  } catch (error) {
    // Turns network errors into outcomes, so that no caller has to catch them.
    if (signal.aborted) return failedOutcome('timeout')
    return failedOutcome(error instanceof NotPublicError ? 'not_public' : 'unreachable')
  }
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The request has timed out.', { cause: signal.reason })))
  })

/** Reads the body as bytes; `undefined` when it is too long. */
async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const collector = {
    decode(chunk?: Uint8Array<ArrayBuffer>) {
      if (chunk !== undefined) chunks.push(chunk)
      return ''
    },
  }
  const read = await readBounded(response, maxBytes, collector)
  return read === undefined ? undefined : new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Reads and discards a short body, so that the connection can be used again. */
async function drainBody(response: Response, maxBytes: number): Promise<''> {
  try {
    await readBounded(response, maxBytes)
  } catch {
    // The status has already arrived, so a body that cannot be read is not a failure.
  }
  return ''
}

const failedOutcome = (failure: OutboundFailure): OutboundOutcome => ({ outcome: 'failed', failure })
