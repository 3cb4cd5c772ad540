import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import { exportJWK, generateKeyPair } from 'jose'

import type { OauthSite, TargetSettings } from '../../site.ts'
import { issuer, redirectUri } from '../fixture.ts'
import type { Target } from '../serve-target.ts'
import { floorEndpoints, type FloorEndpoint, type FloorReply } from './floor-endpoints.ts'
import type { FloorStore } from './floor-store.ts'

/** The scope that users grant to the client of a floor. */
export const floorScope = 'openid email offline_access api.read'

/**
 * Creates a floor with a store. The identifier of its client is `client`.
 * @param secrets the secrets whose digests the store contains.
 */
export async function floorTarget(
  store: FloorStore,
  secrets: Pick<OauthSite, 'clientSecret' | 'cookies'>,
  settings: TargetSettings,
): Promise<Target> {
  const keys = await generateKeyPair(settings.algorithm)
  const endpoints = floorEndpoints(store, { ...settings, issuer, ...keys })
  const documents = new Map([
    [
      '/metadata',
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: 30 }, (_, index) => [`member_${index}`, `${issuer}/${'x'.repeat(40)}`]),
        ),
      ),
    ],
    [
      '/jwks',
      JSON.stringify({
        keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k', use: 'sig', alg: settings.algorithm }],
      }),
    ],
  ])

  return {
    listener: floorListener(endpoints, documents),
    site: {
      oauth: {
        paths: {
          token: '/token',
          authorize: '/auth',
          introspection: '/introspection',
          userinfo: '/userinfo',
          metadata: '/metadata',
          jwks: '/jwks',
        },
        clientId: 'client',
        redirectUri,
        scope: floorScope,
        serviceParameters: { scope: 'api.read' },
        ...secrets,
      },
    },
  }
}

function floorListener(
  endpoints: ReadonlyMap<string, FloorEndpoint>,
  documents: ReadonlyMap<string, string>,
): RequestListener {
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
  {
    request,
    response,
    body,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: string },
): Promise<void> {
  send(response, await endpoint(request, body))
}

function send(response: ServerResponse, { status = 200, location, body = '' }: FloorReply): void {
  const common = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
  }
  response.writeHead(status, location === undefined ? common : { ...common, Location: location })
  response.end(body)
}
