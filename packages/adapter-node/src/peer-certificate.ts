import { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'

import type { ServerRequest } from '@mintmark/core/http'

/**
 * Returns the certificate that a client presented to Node's own TLS server (RFC 8705 §2), for the option `mutualTls`. The
 * TLS server needs `requestCert: true` and `rejectUnauthorized: false`; its option `ca` decides which chains are verified.
 * @returns `undefined` without a certificate, or for a connection without TLS.
 */
export function peerCertificate(
  request: ServerRequest,
): { readonly der: Uint8Array; readonly chain: 'verified' | 'unverified' } | undefined {
  if (!(request.host instanceof IncomingMessage)) return undefined
  const { socket } = request.host
  if (!(socket instanceof TLSSocket)) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return undefined
  return { der: new Uint8Array(certificate.raw), chain: socket.authorized ? 'verified' : 'unverified' }
}
