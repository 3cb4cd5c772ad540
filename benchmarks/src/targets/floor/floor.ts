// The floors: the least that a workload can cost over bare node:http with jose. They check the minimum and handle no
// errors: a limit, not a server.
import { hash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import { exportJWK, generateKeyPair } from 'jose'

import { issuer, person, redirectUri } from '../fixture.ts'
import { serveTarget, targetSettings, type Target } from '../serve-target.ts'
import { floorEndpoints, type FloorEndpoint, type FloorReply } from './floor-endpoints.ts'
import type { FloorFixture, FloorStore } from './floor-store.ts'
import { memoryFloorStore } from './memory-store.ts'

const settings = targetSettings()
const secret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
const sessionSecret = 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c'

const floor = async (): Promise<Target> => {
  const keys = await generateKeyPair(settings.algorithm)
  const scope = 'openid email offline_access api.read'
  const fixture = {
    clientId: 'client',
    secretDigest: hash('sha256', secret, 'base64url'),
    sessionDigest: hash('sha256', sessionSecret, 'base64url'),
    user: { userId: person.userId, active: true, claims: { email: person.email } },
    grant: { grantId: 'grant', userId: person.userId, scope },
  }
  const store = settings.storage === 'memory' ? memoryFloorStore(fixture) : await onSql(fixture)
  const endpoints = floorEndpoints(store, { ...settings, issuer, ...keys })
  const documents = new Map([
    ['/metadata', JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`member_${index}`, `${issuer}/${'x'.repeat(40)}`])))],
    ['/jwks', JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k', use: 'sig', alg: settings.algorithm }] })],
  ])

  return {
    listener: floorListener(endpoints, documents),
    site: {
      oauth: {
        paths: { token: '/token', authorize: '/auth', introspection: '/introspection', userinfo: '/userinfo', metadata: '/metadata', jwks: '/jwks' },
        clientId: 'client',
        clientSecret: secret,
        redirectUri,
        scope,
        cookies: [`session=${sessionSecret}`],
        serviceParameters: { scope: 'api.read' },
      },
    },
  }
}

/** Only what the medium needs is loaded. */
async function onSql(fixture: FloorFixture): Promise<FloorStore> {
  const [{ sqlConnection }, { sqlFloorStore }] = await Promise.all([import('./sql-connection.ts'), import('./sql-store.ts')])
  return sqlFloorStore(sqlConnection(settings), fixture)
}

function floorListener(endpoints: ReadonlyMap<string, FloorEndpoint>, documents: ReadonlyMap<string, string>): RequestListener {
  return (request, response) => {
    const { url = '' } = request
    const document = documents.get(url)
    if (document !== undefined) return send(response, { body: document })
    const endpoint = endpoints.get(url.split('?', 1)[0] ?? '')
    if (endpoint === undefined) return send(response, { status: 404 })
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => void answer(endpoint, { request, response, body }))
  }
}

async function answer(
  endpoint: FloorEndpoint,
  { request, response, body }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: string },
): Promise<void> {
  send(response, await endpoint(request, body))
}

function send(response: ServerResponse, { status = 200, location, body = '' }: FloorReply): void {
  const common = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Content-Length': Buffer.byteLength(body) }
  response.writeHead(status, location === undefined ? common : { ...common, Location: location })
  response.end(body)
}

await serveTarget(await floor())
