import type { RequestListener, ServerResponse } from 'node:http'

import { exportJWK, generateKeyPair } from 'jose'

import type { OauthSite, TargetSettings } from '../../site.ts'
import { issuer, redirectUri } from '../fixture.ts'
import type { Target } from '../serve-target.ts'
import { floorEndpoints, type FloorEndpoint, type FloorReply } from './floor-endpoints.ts'
import type { FloorStore } from './floor-store.ts'
import type { FloorKeys, FloorWork } from './floor-work.ts'
import type { PushedStore } from './pushed-and-proven.ts'

/** The scope that users grant to the client of a floor. */
export const floorScope = 'openid email offline_access api.read'

/** What distinguishes the floors of an authorization server. */
interface FloorParts {
  readonly store: FloorStore
  readonly pushed?: PushedStore
  /** The secrets whose digests the store contains. */
  readonly secrets: Pick<OauthSite, 'clientSecret' | 'cookies'>
  readonly createWork: (keys: FloorKeys) => FloorWork
}

/** Creates a floor. The identifier of its client is `client`. */
export async function floorTarget(
  { store, pushed, secrets, createWork }: FloorParts,
  { algorithm, accessTokens }: TargetSettings,
): Promise<Target> {
  const keys = await generateKeyPair(algorithm, { extractable: true })
  const work = createWork({ issuer, algorithm, ...keys })
  const endpoints = floorEndpoints({ store, pushed, work, issuer, accessTokens })
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
        keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k', use: 'sig', alg: algorithm }],
      }),
    ],
  ])

  return {
    listener: floorListener(endpoints, { documents, headers: work.headers }),
    site: {
      oauth: {
        paths: {
          token: '/token',
          authorize: '/auth',
          push: '/auth/push',
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

interface Answers {
  /** Constant documents, by URL. */
  readonly documents: ReadonlyMap<string, string>
  /** The headers of each response, besides the common ones. */
  readonly headers: FloorWork['headers']
}

function floorListener(
  endpoints: ReadonlyMap<string, FloorEndpoint>,
  { documents, headers }: Answers,
): RequestListener {
  const send = (response: ServerResponse, { status = 200, location, body = '' }: FloorReply): void => {
    const common = { ...headers, ...commonHeaders, 'Content-Length': Buffer.byteLength(body) }
    response.writeHead(status, location === undefined ? common : { ...common, Location: location })
    response.end(body)
  }
  return (request, response) => {
    const { url = '' } = request
    const document = documents.get(url)
    if (document !== undefined) return send(response, { body: document })
    const endpoint = endpoints.get(url.split('?', 1)[0] ?? '')
    if (endpoint === undefined) return send(response, { status: 404 })
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    const answer = async (): Promise<void> => send(response, await endpoint(request, body))
    request.on('end', () => void answer())
  }
}

const commonHeaders = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
