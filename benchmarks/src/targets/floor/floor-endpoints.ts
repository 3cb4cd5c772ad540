import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import { jwtVerify, SignJWT, type CryptoKey, type JWTPayload } from 'jose'

import type { TargetSettings } from '../../site.ts'
import type { FloorStatus, FloorStore } from './floor-store.ts'

interface FloorDependencies extends TargetSettings {
  readonly issuer: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

/** A response; the default status is 200. */
export interface FloorReply {
  readonly status?: number
  readonly location?: string
  readonly body?: string
}

export type FloorEndpoint = (request: IncomingMessage, body: string) => Promise<FloorReply> | FloorReply

/** Creates the endpoints, by path. */
export function floorEndpoints(store: FloorStore, deps: FloorDependencies): ReadonlyMap<string, FloorEndpoint> {
  return new Map<string, FloorEndpoint>([
    ['/auth', (request) => authorize(request, store)],
    ['/token', (request, body) => token(request, body, { store, deps })],
    ['/introspection', (request, body) => introspect(request, body, { store, deps })],
    ['/userinfo', (request) => userinfo(request, { store, deps })],
  ])
}

interface Floor {
  readonly store: FloorStore
  readonly deps: FloorDependencies
}

async function authorize(request: IncomingMessage, store: FloorStore): Promise<FloorReply> {
  const query = new URLSearchParams((request.url ?? '').split('?')[1])
  const userId = (await store.session(digest((request.headers.cookie ?? '').slice('session='.length)))) ?? ''
  const clientId = query.get('client_id') ?? ''
  await store.user(userId)
  await store.clientSecret(clientId)
  const grant = await store.consent(userId, clientId)
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

async function token(request: IncomingMessage, body: string, { store, deps }: Floor): Promise<FloorReply> {
  const form = new URLSearchParams(body)
  const client = await authenticate(request, store)
  if (client === undefined) return { status: 401 }
  const grantType = form.get('grant_type')
  if (grantType === 'client_credentials') {
    const scope = form.get('scope') ?? ''
    return json({
      access_token: await accessToken({ sub: client, scope }, deps),
      token_type: 'Bearer',
      expires_in: 600,
      scope,
    })
  }
  return grantType === 'refresh_token' ? refresh(form, client, { store, deps }) : redeem(form, client, { store, deps })
}

async function redeem(form: URLSearchParams, client: string, { store, deps }: Floor): Promise<FloorReply> {
  const code = await store.consumeCode(digest(form.get('code') ?? ''))
  if (code?.redirectUri !== form.get('redirect_uri') || code?.challenge !== digest(form.get('code_verifier') ?? ''))
    return { status: 400 }
  const grantStatus = await store.grantStatus(code.grantId)
  const handle = secret()
  const refreshToken = `${handle}${secret()}`
  await store.insertFamily({
    familyId: code.familyId,
    grantId: code.grantId,
    handleDigest: digest(handle),
    currentDigest: digest(refreshToken),
    expiresAt: seconds() + 7_776_000,
  })
  return tokens({ grantStatus, client, familyId: code.familyId, nonce: code.nonce, refreshToken }, deps)
}

async function refresh(form: URLSearchParams, client: string, { store, deps }: Floor): Promise<FloorReply> {
  const presented = form.get('refresh_token') ?? ''
  const handle = presented.slice(0, 43)
  const grantStatus = await store.familyByHandle(digest(handle))
  const refreshToken = `${handle}${secret()}`
  if (!(await store.rotate(digest(handle), digest(presented), digest(refreshToken)))) return { status: 400 }
  return tokens({ grantStatus, client, familyId: 'family', nonce: undefined, refreshToken }, deps)
}

interface Issue {
  readonly grantStatus: FloorStatus | undefined
  readonly client: string
  readonly familyId: string
  readonly nonce: string | undefined
  readonly refreshToken: string
}

async function tokens(
  { grantStatus, client, familyId, nonce, refreshToken }: Issue,
  deps: FloorDependencies,
): Promise<FloorReply> {
  const { user, grant } = grantStatus ?? {}
  const access =
    deps.accessTokens === 'jwt'
      ? await accessToken({ sub: user?.userId, scope: grant?.scope, family: familyId }, deps)
      : familyId
  const atHash = hash('sha256', access, 'buffer').subarray(0, 16).toString('base64url')
  const claims = { ...user?.claims, sub: user?.userId, aud: client, auth_time: seconds(), at_hash: atHash, nonce }
  const idToken = await sign('JWT', claims, deps)
  return json({
    access_token: access,
    token_type: 'Bearer',
    expires_in: 600,
    refresh_token: refreshToken,
    id_token: idToken,
    scope: grant?.scope,
  })
}

async function introspect(request: IncomingMessage, body: string, { store, deps }: Floor): Promise<FloorReply> {
  const form = new URLSearchParams(body)
  if ((await authenticate(request, store)) === undefined) return { status: 401 }
  const activeToken = await findActiveToken(form.get('token') ?? '', { store, deps })
  return json(
    activeToken === undefined ? { active: false } : { active: true, ...activeToken.payload, token_type: 'Bearer' },
  )
}

async function userinfo(request: IncomingMessage, floor: Floor): Promise<FloorReply> {
  const activeToken = await findActiveToken((request.headers.authorization ?? '').slice('Bearer '.length), floor)
  return activeToken === undefined
    ? { status: 401 }
    : json({ sub: activeToken.grantStatus.user.userId, ...activeToken.grantStatus.user.claims })
}

interface ActiveToken {
  readonly payload: JWTPayload
  readonly grantStatus: FloorStatus
}

/** Finds an active token: verifies a JWT and looks up its family, or looks up an opaque token. */
async function findActiveToken(presented: string, { store, deps }: Floor): Promise<ActiveToken | undefined> {
  if (deps.accessTokens === 'opaque') {
    digest(presented)
    const grantStatus = await store.familyById(presented)
    return (
      grantStatus && {
        payload: { sub: grantStatus.user.userId, scope: grantStatus.grant.scope, iss: deps.issuer, exp: seconds() },
        grantStatus,
      }
    )
  }
  const { payload } = await jwtVerify(presented, deps.publicKey, { issuer: deps.issuer, typ: 'at+jwt' })
  const grantStatus = await store.familyOfToken(payload['family'] as string, payload.jti ?? '')
  return grantStatus && { payload, grantStatus }
}

async function authenticate(request: IncomingMessage, store: FloorStore): Promise<string | undefined> {
  const pair = Buffer.from((request.headers.authorization ?? '').slice('Basic '.length), 'base64').toString()
  const colon = pair.indexOf(':')
  const clientId = decodeURIComponent(pair.slice(0, colon))
  const stored = Buffer.from((await store.clientSecret(clientId)) ?? '')
  const presented = Buffer.from(digest(decodeURIComponent(pair.slice(colon + 1))))
  return stored.length === presented.length && timingSafeEqual(stored, presented) ? clientId : undefined
}

type FloorClaims = Readonly<Record<string, unknown>>

const accessToken = async (claims: FloorClaims, deps: FloorDependencies): Promise<string> =>
  sign('at+jwt', { ...claims, aud: deps.issuer, jti: randomBytes(16).toString('base64url'), client_id: 'client' }, deps)

const sign = async (
  typ: string,
  claims: FloorClaims,
  { algorithm, issuer, privateKey }: FloorDependencies,
): Promise<string> =>
  new SignJWT({ ...claims, iss: issuer, iat: seconds(), exp: seconds() + 86_400 })
    .setProtectedHeader({ alg: algorithm, typ, kid: 'k' })
    .sign(privateKey)

const json = (value: object): FloorReply => ({ body: JSON.stringify(value) })

const digest = (text: string): string => hash('sha256', text, 'base64url')

const secret = (): string => randomBytes(32).toString('base64url')

const seconds = (): number => Math.floor(Date.now() / 1000)
