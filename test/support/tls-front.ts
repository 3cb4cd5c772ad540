import { request, type RequestOptions } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { selfSignedCertificate } from './certificates.ts'

/** A TLS proxy in front of a server, as in production. */
export interface TlsFront {
  readonly origin: string
  /** The proxy's certificate in PEM, which clients must trust. */
  readonly certificate: string
  /** From now on, forwards requests to this port of 127.0.0.1. */
  forwardTo(port: number): void
  close(): Promise<void>
}

/** Starts the proxy on https://localhost. The server behind it uses `origin` as its issuer. */
export async function openTlsFront(): Promise<TlsFront> {
  const { key, cert } = selfSignedCertificate('localhost')
  const listener = createServer({ key, cert })
  await new Promise<void>((resolve) => listener.listen(0, 'localhost', resolve))

  return {
    origin: `https://localhost:${(listener.address() as AddressInfo).port}`,
    certificate: cert,
    forwardTo(port) {
      listener.on('request', (incoming, answer) => {
        const { method, url, headers } = incoming
        const target: RequestOptions = {
          host: '127.0.0.1',
          port,
          headers,
          ...(method && { method }),
          ...(url && { path: url }),
        }
        const onward = request(target, (reply) => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(answer)
        })
        onward.on('error', () => answer.destroy())
        incoming.pipe(onward)
      })
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}
