import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

import { peerCertificate, toNodeListener } from '@mintmark/adapter-node'
import type { AuthorizationServer, AuthorizationServerOptions } from '@mintmark/core'

/** Reads the certificates of Node's own TLS server, for createAuthorizationServer({ mutualTls, … }). */
export const mutualTls: AuthorizationServerOptions['mutualTls'] = { certificate: peerCertificate }

/** Requests a certificate from every client. Mintmark decides which certificates it accepts. */
export const serve = (server: AuthorizationServer) =>
  createServer(
    {
      key: readFileSync('server.key'),
      cert: readFileSync('server.crt'),
      // The authorities that issue certificates to clients with tls_client_auth.
      ca: readFileSync('client-authorities.crt'),
      requestCert: true,
      rejectUnauthorized: false,
    },
    toNodeListener(server),
  ).listen(443)
