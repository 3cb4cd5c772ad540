import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'

import { decodeJwt, type JWTPayload } from 'jose'

import { pinnedFetch } from '../../packages/core/src/outbound/pinned-fetch.ts'
import { selfSignedCertificate } from './certificates.ts'

/** A request that a receiver got. */
interface ReceivedLogout {
  readonly host: string
  readonly contentType: string | undefined
  readonly authorization: string | undefined
  readonly body: string
  readonly token: string
  readonly claims: JWTPayload
}

/** What a receiver does with a request after its body has been read. */
type LogoutBehaviour = (response: ServerResponse, request: IncomingMessage) => void

/** Servers of several clients, one host name each, over real TLS on one port of 127.0.0.1. */
export interface LogoutReceiver {
  /** Every logout token, in the order of arrival. */
  readonly received: readonly ReceivedLogout[]
  /** Trusts the receivers' certificates; the server uses it instead of its own outbound client. */
  readonly fetch: typeof globalThis.fetch
  /** Sets how a host responds to a request. By default it responds with 204. */
  setBehaviour(host: string, behaviour: LogoutBehaviour): void
  /** Resolves when at least `count` tokens have arrived. */
  waitForTokens(count: number): Promise<void>
  close(): Promise<void>
}

/** @param privateHosts host names that resolve to an address of a private network. */
export async function startLogoutReceiver(
  hosts: readonly string[],
  privateHosts: readonly string[] = [],
): Promise<LogoutReceiver> {
  const certificates = new Map(hosts.map((host) => [host, selfSignedCertificate(host)]))
  const contexts = new Map([...certificates].map(([host, each]) => [host, createSecureContext(each)]))
  const behaviours = new Map<string, LogoutBehaviour>()
  const received: ReceivedLogout[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const SNICallback = (
    host: string,
    done: (error: Error | null, context?: ReturnType<typeof createSecureContext>) => void,
  ) => done(null, contexts.get(host))

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const host = request.headers.host ?? ''
    const token = new URLSearchParams(body).get('logout_token') ?? ''
    received.push({
      host,
      contentType: request.headers['content-type'],
      authorization: request.headers.authorization,
      body,
      token,
      claims: claimsOf(token),
    })
    for (const { count, resolve } of waiting) if (received.length >= count) resolve()
    const behaviour = behaviours.get(host)
    if (behaviour === undefined) response.writeHead(204).end()
    else behaviour(response, request)
  }
  const listener = createServer({ SNICallback }, (request, response) => void receive(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const fetch = pinnedFetch({
    ca: [...certificates.values()].map(({ cert }) => cert).join(''),
    port,
    isAllowed: (address) => address === '127.0.0.1',
    resolve: (host) => Promise.resolve([privateHosts.includes(host) ? '10.0.0.1' : '127.0.0.1']),
  })
  if (fetch === undefined) throw new Error('pinnedFetch did not find the Node.js modules that it needs.')

  return {
    received,
    fetch,
    setBehaviour: (host, behaviour) => void behaviours.set(host, behaviour),
    waitForTokens: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve })
          }),
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}

/** Returns no claims for an encrypted token. */
const claimsOf = (token: string): JWTPayload => (token.split('.').length === 3 ? decodeJwt(token) : {})
