import { request as httpsRequest, createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'

import { peerCertificate, toNodeListener } from '@mintmark/adapter-node'
import { createAuthorizationServer, createStoredKeys, registerClient } from '@mintmark/core'
import { createResourceServer, protectExpress, protectFetch } from '@mintmark/resource-server'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { certificateHeader, commonName, issueCertificate, type TestCertificate } from '../support/certificates.ts'

const authority = issueCertificate({ subject: [commonName('Test CA')], isAuthority: true })
const ofServer = issueCertificate({ subject: [commonName('localhost')], issuer: authority, dns: ['localhost'] })
const ofClient = issueCertificate({ subject: [commonName('client')], issuer: authority, dns: ['client.app.test'] })
const selfMade = issueCertificate({ subject: [commonName('client')], dns: ['client.app.test'] })

const tls = {
  key: ofServer.keyPem,
  cert: ofServer.pem,
  ca: authority.pem,
  requestCert: true,
  rejectUnauthorized: false,
}
const issuer = 'https://as.test'
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
const server = createAuthorizationServer({
  issuer,
  storage,
  keys,
  signedIn: () => Promise.resolve(undefined),
  scopes: { 'api.read': 'Read' },
  mutualTls: { certificate: peerCertificate, aliasOrigin: 'https://mtls.as.test' },
})
const guard = protectExpress(
  createResourceServer({
    issuer,
    audience: issuer,
    mutualTls: { certificate: 'tls_socket' },
    fetch: (url) => answerFor(new Request(url).url),
  }),
)

let authorizationServer: Server
let api: Server
beforeAll(async () => {
  authorizationServer = createServer(tls, toNodeListener(server))
  api = createServer(tls, (request, response) => {
    void guard.requireAnyToken()(request, response, () => response.end('admitted'))
  })
  for (const each of [authorizationServer, api])
    await new Promise<void>((resolve) => void each.listen(0, '127.0.0.1', resolve))
  const client = { grantTypes: ['client_credentials'], scopes: ['api.read'] }
  await registerClient(
    {
      ...client,
      clientId: 'named',
      clientName: 'Named',
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'client.app.test',
      tlsClientCertificateBoundAccessTokens: true,
    },
    { storage, keys },
  )
})
afterAll(() => {
  authorizationServer.close()
  api.close()
})

interface Answer {
  readonly status: number
  readonly body: string
}

interface Call {
  readonly certificate?: TestCertificate
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

function call(to: Server, { certificate, path = '/', headers = {}, body }: Call): Promise<Answer> {
  const { port } = to.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ca: authority.pem,
        agent: false,
        ...(certificate !== undefined && { key: certificate.keyPem, cert: certificate.pem }),
      },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: text }))
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

/** The public documents of the server, for the API. */
async function answerFor(url: string): Promise<Response> {
  const { status, body } = await call(authorizationServer, { path: new URL(url).pathname })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

const askForToken = (certificate?: TestCertificate): Promise<Answer> =>
  call(authorizationServer, {
    ...(certificate !== undefined && { certificate }),
    path: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'client_id=named&grant_type=client_credentials&scope=api.read',
  })

const tokenOf = async (): Promise<string> => {
  const { body } = await askForToken(ofClient)
  const parsed: unknown = JSON.parse(body)
  return typeof parsed === 'object' && parsed !== null && 'access_token' in parsed ? String(parsed.access_token) : body
}

describe('over TLS sockets of Node', () => {
  it('a client authenticates by a certificate of a trusted authority only (RFC 8705 §2.1)', async () => {
    expect((await askForToken(ofClient)).status).toBe(200)
    expect((await askForToken(selfMade)).status).toBe(401)
    expect((await askForToken()).status).toBe(401)
  })

  it('an API admits a bound token only with its certificate (RFC 8705 §3)', async () => {
    const headers = { authorization: `Bearer ${await tokenOf()}` }

    expect(await call(api, { headers, certificate: ofClient })).toEqual({ status: 200, body: 'admitted' })
    expect((await call(api, { headers, certificate: selfMade })).status).toBe(401)
    expect((await call(api, { headers })).status).toBe(401)
  })
})

it('oauth4webapi authenticates at the alias of the token endpoint (RFC 8705 §5)', async () => {
  const requested: string[] = []
  const overTls = async (url: string, init: { readonly body?: unknown; readonly headers: Record<string, string> }) => {
    requested.push(url)
    const body = init.body instanceof URLSearchParams ? init.body.toString() : undefined
    const { pathname: path } = new URL(url)
    const answer = await call(authorizationServer, {
      path,
      headers: init.headers,
      certificate: ofClient,
      ...(body !== undefined && { body }),
    })
    return new Response(answer.body, { status: answer.status, headers: { 'content-type': 'application/json' } })
  }
  const options = { [oauth.customFetch]: overTls }
  const url = new URL(issuer)
  const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options))
  const client: oauth.Client = { client_id: 'named', use_mtls_endpoint_aliases: true }

  const response = await oauth.clientCredentialsGrantRequest(
    as,
    client,
    oauth.TlsClientAuth(),
    { scope: 'api.read' },
    options,
  )
  const tokens = await oauth.processClientCredentialsResponse(as, client, response)

  expect(tokens.token_type).toBe('bearer')
  expect(requested.at(-1)).toBe('https://mtls.as.test/token')
})

describe('an API behind a proxy', () => {
  const options = { issuer, audience: issuer, fetch: (url: URL | RequestInfo) => answerFor(new Request(url).url) }
  const formats = {
    'client-cert': certificateHeader(ofClient),
    nginx: { 'ssl-client-cert': encodeURIComponent(ofClient.pem) },
    envoy: {
      'x-forwarded-client-cert': `By=spiffe://x;Hash=00;Cert="${encodeURIComponent(ofClient.pem)}";Subject="CN=client";URI=`,
    },
  } as const

  it.each(['client-cert', 'nginx', 'envoy'] as const)(
    'reads the certificate in the format %s (RFC 9440 §2)',
    async (format) => {
      const reasons: string[] = []
      const protectedApi = createResourceServer({
        ...options,
        mutualTls: { certificate: { format, trust: 'this_proxy_sets_and_strips_it' } },
        onRefusal: ({ reason }) => void reasons.push(reason),
      })
      const handler = protectFetch(protectedApi).requireAnyToken(() => new Response('admitted'))
      const authorization = `Bearer ${await tokenOf()}`
      const send = (headers: Record<string, string>): Promise<Response> =>
        handler(new Request('http://10.0.0.1/', { headers: { authorization, ...headers } }))
      const twice = Object.fromEntries(
        Object.entries(formats[format]).map(([name, value]) => [name, `${value}, ${value}`]),
      )

      expect((await send(formats[format])).status).toBe(200)
      expect((await send(twice)).status).toBe(401)
      expect((await send({})).status).toBe(401)
      expect(reasons).toEqual(['token_bound', 'token_bound'])
    },
  )

  it('does not start unless the option trust says that the proxy sets and strips the header (RFC 9440 §4)', () => {
    const certificate = { format: 'nginx' } as {
      readonly format: 'nginx'
      readonly trust: 'this_proxy_sets_and_strips_it'
    }
    expect(() => createResourceServer({ ...options, mutualTls: { certificate } })).toThrow(/trust/)
  })
})
