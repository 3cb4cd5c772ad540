import { createServer, request as httpsRequest, type Server, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'

import type { TestCertificate } from '@mintmark/testkit'

/** A TLS server whose address is known before it answers requests. */
export interface TlsListener {
  readonly origin: string
  readonly server: Server
}

/**
 * Listens on https://localhost with the versions and ciphers that RFC 9325 §4.2 recommends, as FAPI 2.0 requires.
 * @param port 0 selects a free port.
 */
export async function listen(
  port: number,
  { certificate, privateKey }: TestCertificate,
  options: ServerOptions = {},
): Promise<TlsListener> {
  const server = createServer({
    key: privateKey,
    cert: certificate,
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    ...options,
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, 'localhost', resolve))
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, server }
}

/** The cipher suites of TLS 1.3, and the TLS 1.2 cipher suites that have forward secrecy and authenticated encryption. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':')

/** Returns the options of a listener that requests client certificates. Mintmark decides which ones it accepts. */
export const requestCertificate = (authority: TestCertificate): ServerOptions => ({
  ca: authority.certificate,
  requestCert: true,
  rejectUnauthorized: false,
})

/**
 * Returns a `fetch` that trusts the authority of this example and presents the client certificate, if there is one. In
 * production, servers have certificates of an authority that Node trusts, and a dispatcher of undici presents the client's.
 */
export const fetchOverTls =
  (authority: TestCertificate, clientCertificate?: TestCertificate): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const body = Buffer.from(await request.arrayBuffer())
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(
        request.url,
        {
          method: request.method,
          headers: { ...Object.fromEntries(request.headers), 'content-length': body.length },
          ca: authority.certificate,
          ...(clientCertificate !== undefined && {
            cert: clientCertificate.certificate,
            key: clientCertificate.privateKey,
          }),
        },
        (reply) => {
          const chunks: Buffer[] = []
          reply.on('data', (chunk: Buffer) => chunks.push(chunk))
          reply.on('error', reject)
          reply.on('end', () => {
            const headers = new Headers()
            for (const [name, values = []] of Object.entries(reply.headersDistinct))
              for (const value of values) headers.append(name, value)
            // The constructor throws if a Response with a status such as 204 is given a body.
            const content = chunks.length === 0 ? null : Buffer.concat(chunks)
            resolve(new Response(content, { status: reply.statusCode ?? 502, headers }))
          })
        },
      )
      outgoing.on('error', reject).end(body)
    })
  }
