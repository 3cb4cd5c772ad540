import { readBounded } from '@mintmark/internal'
import { elapsed } from '@mintmark/internal'

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
  /** `ignored`: the status is the answer. A body that is too long, or does not end in time, is no failure. `bytes`: it is not text. */
  readonly responseBody?: 'ignored' | 'bytes'
}

/** Limits of one process. */
export interface OutboundLimits {
  /** Further requests fail as `busy`. */
  readonly pending: number
  readonly pendingPerHost: number
  /** After so many failures in a row, counting responses with a 5xx status, requests to a host fail as `circuit_open` for a time. */
  readonly breaker?: {
    readonly failures: number
    /** In milliseconds. Then one request decides whether it starts anew. */
    readonly openFor: number
  }
  /**
   * The time in milliseconds.
   * @defaultValue That of a clock which is never set back.
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
      /** With `responseBody: 'bytes'`. */
      readonly bytes?: Uint8Array<ArrayBuffer>
    }
  | { readonly outcome: 'failed'; readonly failure: OutboundFailure }

/**
 * - `not_allowed`: the URL is not https, has a port, credentials or a fragment, or its host is an IP address or a local name.
 * - `not_public`: the host name resolves to an address that is not globally reachable.
 * - `busy`: too many requests to this host, or at all, are pending.
 * - `circuit_open`: too many requests to this host have failed in a row. No request was sent.
 * - `timeout`: no complete response in time.
 * - `too_large`: the response exceeds the limit.
 * - `unreachable`: DNS, connection or TLS failed.
 */
export type OutboundFailure =
  'not_allowed' | 'not_public' | 'busy' | 'circuit_open' | 'timeout' | 'too_large' | 'unreachable'

/** For documents that clients publish. */
export const documentLimits: OutboundLimits = { pending: 64, pendingPerHost: 8 }

/**
 * @param given the host's own fetch. By default, where Node's modules exist, a fetch that connects only to addresses that it
 * has checked; otherwise the runtime's, which has to keep requests out of private networks by itself, as workerd does.
 */
export function createOutboundClient(
  given?: typeof globalThis.fetch,
  { allowedOrigins = [], ...limits }: OutboundLimits = documentLimits,
): OutboundClient {
  const fetch = given ?? pinnedFetch({ allowedOrigins }) ?? globalThis.fetch
  const pending = new Map<string, number>()
  const breaker = createBreaker(limits)
  let total = 0

  return {
    async request(request) {
      if (!isOutboundUrl(request.url, allowedOrigins)) return failed('not_allowed')
      const { host } = new URL(request.url)
      const ofHost = pending.get(host) ?? 0
      if (total >= limits.pending || ofHost >= limits.pendingPerHost) return failed('busy')
      if (!breaker.admits(host)) return failed('circuit_open')

      total += 1
      pending.set(host, ofHost + 1)
      try {
        const result = await send(request, fetch)
        breaker.record(host, result.outcome === 'answered' && result.status < 500)
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

/** Stops requests to a host that does not answer. */
interface Breaker {
  /** Whether a request may be sent. After a pause it admits one, whose result decides. */
  admits(host: string): boolean
  record(host: string, isSuccess: boolean): void
}

function createBreaker({ breaker, elapsed: now = elapsed }: OutboundLimits): Breaker {
  if (breaker === undefined) return { admits: () => true, record: () => {} }
  const failing = new Map<string, { readonly failures: number; readonly since: number }>()

  return {
    admits(host) {
      const state = failing.get(host)
      if (state === undefined || state.failures < breaker.failures) return true
      const age = now() - state.since
      if (age >= 0 && age < breaker.openFor) return false
      failing.set(host, { ...state, since: now() })
      return true
    },
    record(host, isSuccess) {
      if (isSuccess) failing.delete(host)
      else failing.set(host, { failures: (failing.get(host)?.failures ?? 0) + 1, since: now() })
    },
  }
}

/**
 * Whether a URL can be requested; registration rejects others. It is https and has a host name with a dot that is neither an
 * IP address nor a local name, the default port, and no credentials or fragment. The name may still resolve to a private
 * address, which the request checks. Only the absence of credentials and fragment is demanded of allowed origins.
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
    const { status, headers: received } = response
    const answered = { outcome: 'answered', status, headers: received } as const
    if (responseBody === 'ignored') return { ...answered, body: await skipBody(response, maxBytes) }
    if (responseBody === 'bytes') {
      const bytes = await readBytes(response, maxBytes)
      return bytes === undefined ? failed('too_large') : { ...answered, body: '', bytes }
    }
    const text = await readBounded(response, maxBytes)
    return text === undefined ? failed('too_large') : { ...answered, body: text }
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

/** Reads a short body all the same, so that the connection can be used again. */
async function skipBody(response: Response, maxBytes: number): Promise<''> {
  try {
    await readBounded(response, maxBytes)
  } catch {
    // The status has arrived, and the connection is closed.
  }
  return ''
}

const failed = (failure: OutboundFailure): OutboundOutcome => ({ outcome: 'failed', failure })
