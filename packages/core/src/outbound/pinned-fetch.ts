import { nodeBuiltin } from '@mintmark/internal'

import { isPublicAddress } from './public-address.ts'

/** The host name resolves to an address in a network that is not public. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError'
}

/** All members except `allowedOrigins` are for tests only, because the network of a test is never public. */
export interface PinnedFetchOptions {
  /** Origins whose addresses and ports are not checked, and which need not use TLS. */
  readonly allowedOrigins?: readonly string[]
  readonly isAllowed?: ((address: string) => boolean) | undefined
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  readonly nameServers?: readonly string[]
  readonly ca?: string
  readonly port?: number
}

/**
 * Creates a `fetch` that resolves a host name once, checks every address, and connects to one of these addresses. A
 * `fetch` that resolved the name again could get another address from a hostile name server (DNS rebinding). It does
 * not follow redirects, send cookies or decode content encodings.
 * @returns `undefined` where Node's modules are missing.
 */
export function pinnedFetch(options: PinnedFetchOptions = {}): typeof globalThis.fetch | undefined {
  const http = nodeBuiltin('node:http') as NodeHttps | undefined
  const https = nodeBuiltin('node:https') as NodeHttps | undefined
  const dns = nodeBuiltin('node:dns/promises') as NodeDns | undefined
  const stream = nodeBuiltin('node:stream') as NodeStream | undefined
  if (http === undefined || https === undefined || dns === undefined || stream === undefined) return undefined

  const { isAllowed = isPublicAddress, ca, port = 443, allowedOrigins = [] } = options
  const resolve = options.resolve ?? lookUp(dns, options.nameServers)
  const agent = new https.Agent({ keepAlive: true, maxSockets: 8, maxFreeSockets: 16, ...(ca !== undefined && { ca }) })
  const plainAgent = new http.Agent({ keepAlive: true, maxSockets: 8, maxFreeSockets: 16 })

  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const { hostname, pathname, search } = url
    const isAllowedOrigin = allowedOrigins.includes(url.origin)
    const addresses =
      (isAllowedOrigin ? literalAddresses(hostname) : undefined) ?? (await resolve(hostname, init.signal ?? undefined))
    if (!isAllowedOrigin && (addresses.length === 0 || !addresses.every((address) => isAllowed(address))))
      throw new NotPublicError('The host name resolves to an address that is not public.')

    const headers = Object.fromEntries(new Headers(init.headers))
    const isPlain = isAllowedOrigin && url.protocol === 'http:'
    const target = {
      port: isAllowedOrigin ? Number(url.port) || (isPlain ? 80 : 443) : port,
      path: pathname + search,
      headers: { ...headers, host: isAllowedOrigin ? url.host : hostname },
      // RFC 6066 §3: a server name must not be an IP address.
      ...(isPlain || literalAddresses(hostname) !== undefined ? {} : { servername: hostname }),
      agent: isPlain ? plainAgent : agent,
    }
    const request = { ...target, method: init.method ?? 'GET', signal: init.signal ?? undefined }
    const body = typeof init.body === 'string' ? init.body : undefined
    return connectToFirst(addresses.slice(0, maxAddresses), (host, isLast) =>
      sendTo(
        isPlain ? http : https,
        { ...request, host },
        { body, connectTimeout: isLast ? undefined : connectTimeout },
      ),
    ).then((incoming) => toResponse(incoming, stream))
  }
}

/**
 * Returns the addresses of `localhost` or of an IP address, which need no name server; `undefined` for other host
 * names.
 */
function literalAddresses(hostname: string): readonly string[] | undefined {
  if (hostname === 'localhost') return ['127.0.0.1', '::1']
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  return /^[\d.]+$/.test(hostname) ? [hostname] : undefined
}

/**
 * Asks the name servers. `dns.lookup` would occupy a thread of Node's pool until it gives up, long after the request
 * has timed out: four slow name servers would block all file and hash operations of the process. Does not read
 * `/etc/hosts`.
 */
const lookUp =
  (dns: NodeDns, nameServers?: readonly string[]) =>
  async (hostname: string, signal: AbortSignal | undefined): Promise<readonly string[]> => {
    const resolver = new dns.Resolver({ timeout: 1000, tries: 2 })
    if (nameServers !== undefined) resolver.setServers(nameServers)
    const cancel = (): void => resolver.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const [failure] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      if (addresses.length === 0) throw new Error('The host name has no address.', { cause: failure })
      return addresses
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

/** Further addresses of a host are not tried. */
const maxAddresses = 4

/** In milliseconds: how long a connection may take before the next address is tried. */
const connectTimeout = 500

/**
 * Sends the request to the first address that accepts a connection. Tries the next address only if no connection was
 * made, because otherwise the request may have been sent.
 */
async function connectToFirst(
  addresses: readonly string[],
  attempt: (address: string, isLast: boolean) => Promise<IncomingMessage>,
): Promise<IncomingMessage> {
  const [address = '', ...others] = addresses
  try {
    return await attempt(address, others.length === 0)
  } catch (error) {
    if (others.length === 0 || !(error instanceof NoConnectionError)) throw error
    return connectToFirst(others, attempt)
  }
}

class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError'
}

function sendTo(
  https: NodeHttps,
  options: RequestOptions,
  {
    body,
    connectTimeout: timeLimit,
  }: { readonly body: string | undefined; readonly connectTimeout: number | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isConnected = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const markConnected = (): void => {
      isConnected = true
      clearTimeout(timer)
    }
    const outgoing = https.request(options, resolve)
    if (timeLimit !== undefined)
      timer = setTimeout(() => outgoing.destroy(new Error(`No connection within ${timeLimit} ms.`)), timeLimit)
    outgoing.on('socket', (socket) => {
      // A socket that is reused is already connected.
      if (socket.connecting) socket.once('connect', markConnected)
      else markConnected()
    })
    // Without a listener, Node.js drops a response that switches protocols, and reports neither a response nor an
    // error.
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('The response switches to another protocol.'))
    })
    outgoing.on('error', (error) => {
      clearTimeout(timer)
      const isFinal = isConnected || options.signal?.aborted === true
      reject(isFinal ? error : new NoConnectionError('The address does not answer.', { cause: error }))
    })
    outgoing.end(body)
  })
}

function toResponse(incoming: IncomingMessage, { Readable }: NodeStream): Response {
  const status = incoming.statusCode ?? 0
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, one)
  const hasBody = status !== 204 && status !== 205 && status !== 304
  if (!hasBody) incoming.resume()
  return new Response(hasBody ? Readable.toWeb(incoming) : null, { status, headers })
}

/** The parts of Node's modules that this file uses. */
interface NodeHttps {
  readonly Agent: new (options: object) => object
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): OutgoingRequest
}

interface RequestOptions {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly method: string
  readonly servername?: string
  readonly headers: Readonly<Record<string, string>>
  readonly agent: object
  readonly signal: AbortSignal | undefined
}

interface OutgoingRequest {
  on(event: 'socket', listener: (socket: NodeSocket) => void): void
  on(event: 'error', listener: (error: Error) => void): void
  on(event: 'upgrade', listener: (response: IncomingMessage, socket: NodeSocket) => void): void
  end(body: string | undefined): void
  destroy(error: Error): void
}

interface NodeSocket {
  readonly connecting: boolean
  once(event: 'connect', listener: () => void): void
  destroy(): void
}

interface IncomingMessage {
  readonly statusCode?: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  resume(): void
}

interface NodeDns {
  readonly Resolver: new (options: { readonly timeout: number; readonly tries: number }) => {
    resolve4(hostname: string): Promise<readonly string[]>
    resolve6(hostname: string): Promise<readonly string[]>
    setServers(servers: readonly string[]): void
    cancel(): void
  }
}

interface NodeStream {
  readonly Readable: { toWeb(stream: IncomingMessage): ReadableStream<Uint8Array> }
}
