import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import type { JWTPayload } from 'jose'

import { digest } from './digest.ts'
import type { FloorStatus, FloorStore } from './floor-store.ts'
import type { FloorWork } from './floor-work.ts'
import { proveKey, type PushedStore } from './pushed-and-proven.ts'

/** What the endpoints of a floor need. */
export interface Floor {
  readonly store: FloorStore
  readonly work: FloorWork
  readonly issuer: string
  readonly accessTokens: 'jwt' | 'opaque'
  /** For pushed requests and DPoP proofs; absent if the floor supports neither. */
  readonly pushed?: PushedStore | undefined
}

/** A response; the default status is 200. */
export interface FloorReply {
  readonly status?: number
  readonly location?: string
  readonly body?: string
}

export type FloorEndpoint = (request: IncomingMessage, body: string) => Promise<FloorReply> | FloorReply

/** Creates the endpoints, by path. */
export function floorEndpoints(floor: Floor): ReadonlyMap<string, FloorEndpoint> {
  return new Map<string, FloorEndpoint>([
    ['/auth', (request) => authorize(request, floor)],
    ['/auth/push', (request, body) => push(request, body, floor)],
    ['/token', (request, body) => token(request, body, floor)],
    ['/introspection', (request, body) => introspect(request, body, floor)],
    ['/userinfo', (request) => userinfo(request, floor)],
  ])
}

async function authorize(request: IncomingMessage, { store, pushed }: Floor): Promise<FloorReply> {
  const sent = new URLSearchParams((request.url ?? '').split('?')[1])
  const requestUri = sent.get('request_uri')
  const query = requestUri === null ? sent : new URLSearchParams(await pushed?.consumePushed(digest(requestUri)))
  const session = await store.session(digest((request.headers.cookie ?? '').slice('session='.length)))
  const userId = session?.userId ?? ''
  const clientId = query.get('client_id') ?? ''
  await store.user(userId)
  await store.clientSecret(clientId)
  const grant = await store.consent(userId, clientId)
  if (session !== undefined) await store.join?.(session, clientId)
  const code = secret()
  await store.insertCode(digest(code), {
    grantId: grant?.grantId ?? '',
    familyId: randomBytes(16).toString('base64url'),
    redirectUri: query.get('redirect_uri') ?? '',
    challenge: query.get('code_challenge') ?? '',
    nonce: query.get('nonce') ?? '',
    expiresAt: seconds() + 60,
  })
  return { status: 303, location: `${query.get('redirect_uri') ?? ''}?code=${code}&state=${query.get('state') ?? ''}` }
}

async function push(request: IncomingMessage, body: string, floor: Floor): Promise<FloorReply> {
  const client = await authenticate(request, floor)
  const form = new URLSearchParams(body)
  if (client === undefined || form.get('client_id') !== client || form.get('redirect_uri') === null)
    return { status: 401 }
  const requestUri = `urn:ietf:params:oauth:request_uri:${secret()}`
  await floor.pushed?.insertPushed(digest(requestUri), body, seconds() + 60)
  return { status: 201, body: JSON.stringify({ request_uri: requestUri, expires_in: 60 }) }
}

async function token(request: IncomingMessage, body: string, floor: Floor): Promise<FloorReply> {
  const form = new URLSearchParams(body)
  const clientId = await authenticate(request, floor)
  if (clientId === undefined) return { status: 401 }
  const proof = request.headers['dpop']
  const thumbprint =
    typeof proof === 'string' && floor.pushed !== undefined
      ? await proveKey(proof, `${floor.issuer}/token`, floor.pushed)
      : undefined
  const client = { clientId, thumbprint }
  const grantType = form.get('grant_type')
  if (grantType === 'client_credentials') {
    const scope = form.get('scope') ?? ''
    return json({
      access_token: await accessToken({ client, scope }, floor),
      token_type: tokenType(client),
      expires_in: 600,
      scope,
    })
  }
  return grantType === 'refresh_token' ? refresh(form, client, floor) : redeem(form, client, floor)
}

/** The client of a token request. */
interface TokenClient {
  readonly clientId: string
  /** Of the key that it has proven to possess. */
  readonly thumbprint: string | undefined
}

const tokenType = ({ thumbprint }: TokenClient): string => (thumbprint === undefined ? 'Bearer' : 'DPoP')

async function redeem(form: URLSearchParams, client: TokenClient, floor: Floor): Promise<FloorReply> {
  const { store, work } = floor
  const code = await store.consumeCode(digest(form.get('code') ?? ''))
  if (code?.redirectUri !== form.get('redirect_uri') || code?.challenge !== digest(form.get('code_verifier') ?? ''))
    return { status: 400 }
  const status = await store.grantStatus(code.grantId)
  if (status === undefined) return { status: 400 }
  const { token: refreshToken, handleDigest, currentDigest } = work.createRefreshToken()
  await store.insertFamily({
    familyId: code.familyId,
    grantId: code.grantId,
    handleDigest,
    currentDigest,
    expiresAt: seconds() + 7_776_000,
  })
  return tokens({ status, client, familyId: code.familyId, nonce: code.nonce, refreshToken }, floor)
}

async function refresh(form: URLSearchParams, client: TokenClient, floor: Floor): Promise<FloorReply> {
  const { store, work } = floor
  const { handleDigest, presentedDigest, successor } = work.replaceRefreshToken(form.get('refresh_token') ?? '')
  const status = await store.familyByHandle(handleDigest)
  if (status === undefined || !(await store.rotate(handleDigest, presentedDigest, successor.currentDigest)))
    return { status: 400 }
  return tokens({ status, client, familyId: 'family', nonce: undefined, refreshToken: successor.token }, floor)
}

interface Issue {
  readonly status: FloorStatus
  readonly client: TokenClient
  readonly familyId: string
  readonly nonce: string | undefined
  readonly refreshToken: string
}

async function tokens({ status, client, familyId, nonce, refreshToken }: Issue, floor: Floor): Promise<FloorReply> {
  const { user, grant } = status
  const { userId } = user
  const access =
    floor.accessTokens === 'jwt'
      ? await accessToken({ client, scope: grant.scope, user: { userId, grantId: grant.grantId, familyId } }, floor)
      : familyId
  const atHash = hash('sha256', access, 'buffer').subarray(0, 16).toString('base64url')
  const claims = { ...user.claims, sub: userId, aud: client.clientId, auth_time: seconds(), at_hash: atHash, nonce }
  return json({
    access_token: access,
    token_type: tokenType(client),
    expires_in: 600,
    refresh_token: refreshToken,
    id_token: await floor.work.sign('JWT', claims),
    scope: grant.scope,
  })
}

async function introspect(request: IncomingMessage, body: string, floor: Floor): Promise<FloorReply> {
  const form = new URLSearchParams(body)
  if ((await authenticate(request, floor)) === undefined) return { status: 401 }
  const activeToken = await findActiveToken(form.get('token') ?? '', floor)
  return json(
    activeToken === undefined ? { active: false } : { active: true, ...activeToken.payload, token_type: 'Bearer' },
  )
}

async function userinfo(request: IncomingMessage, floor: Floor): Promise<FloorReply> {
  const activeToken = await findActiveToken((request.headers.authorization ?? '').slice('Bearer '.length), floor)
  return activeToken === undefined
    ? { status: 401 }
    : json({ sub: activeToken.status.user.userId, ...activeToken.status.user.claims })
}

interface ActiveToken {
  readonly payload: JWTPayload
  readonly status: FloorStatus
}

/** Finds an active token: verifies a JWT and looks up its family, or looks up an opaque token. */
async function findActiveToken(presented: string, floor: Floor): Promise<ActiveToken | undefined> {
  const { store, work, issuer } = floor
  if (floor.accessTokens === 'opaque') {
    digest(presented)
    const status = await store.familyById(presented)
    return (
      status && {
        payload: { sub: status.user.userId, scope: status.grant.scope, iss: issuer, exp: seconds() },
        status,
      }
    )
  }
  const payload = await work.verify(presented)
  const status = await store.familyOfToken(payload['family'] as string, payload.jti ?? '')
  return status && { payload, status }
}

async function authenticate(request: IncomingMessage, { store }: Floor): Promise<string | undefined> {
  const pair = Buffer.from((request.headers.authorization ?? '').slice('Basic '.length), 'base64').toString()
  const colon = pair.indexOf(':')
  const clientId = decodeURIComponent(pair.slice(0, colon))
  const stored = Buffer.from((await store.clientSecret(clientId)) ?? '')
  const presented = Buffer.from(digest(decodeURIComponent(pair.slice(colon + 1))))
  return stored.length === presented.length && timingSafeEqual(stored, presented) ? clientId : undefined
}

interface AccessTokenSubject {
  readonly client: TokenClient
  readonly scope: string
  /** Absent for a token of the client itself. */
  readonly user?: { readonly userId: string; readonly grantId: string; readonly familyId: string }
}

async function accessToken({ client, scope, user }: AccessTokenSubject, { work, issuer }: Floor): Promise<string> {
  const { clientId, thumbprint } = client
  return work.sign('at+jwt', {
    sub: user?.userId ?? clientId,
    aud: issuer,
    jti: randomBytes(16).toString('base64url'),
    client_id: clientId,
    scope,
    ...(thumbprint !== undefined && { cnf: { jkt: thumbprint } }),
    ...work.dependenciesOf({ clientId, user }),
  })
}

const json = (value: object): FloorReply => ({ body: JSON.stringify(value) })

const secret = (): string => randomBytes(32).toString('base64url')

const seconds = (): number => Math.floor(Date.now() / 1000)
