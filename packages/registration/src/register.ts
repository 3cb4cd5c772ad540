import type { ClientRegistration, KeyRing, RateLimiter } from '@mintmark/core'
import { type ClientRules, type OpenRegistration, type OutboundClient, prepareClient } from '@mintmark/core/internal'
import {
  type Clock,
  decodeBody,
  digestSecret,
  hasMediaType,
  isStorable,
  isTooDeep,
  json,
  type Journal,
  noStore,
  parseJsonObject,
  type Random,
  randomSecret,
  repeatsMember,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import {
  type AdminStorage,
  type ClientRecord,
  type EpochSeconds,
  type JsonObject,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import {
  type InitialAccessTokenRecord,
  type SecretDigest,
  initialAccessTokenId,
} from '@mintmark/storage-interface/stores'

import { readMetadata, renderMetadata } from './metadata.ts'
import { limitRegistration, permitChanges, type RegistrationPolicy } from './policy.ts'
import { refuse, type RegistrationOccurrence } from './refusals.ts'
import { type TrustedStatements, type VerifiedStatement, verifyStatement } from './software-statement.ts'

/** The dependencies of the endpoints. */
export interface Dependencies {
  /** The issuer of the authorization server. */
  readonly issuer: string
  /** The URL of the registration endpoint. */
  readonly endpoint: string
  readonly dangerouslyAllowOutbound: readonly string[] | undefined
  /** Sends the requests of all registrations, so that its limits apply to them together. */
  readonly outbound: OutboundClient
  readonly storage: OAuthStorage & Pick<AdminStorage, 'initialAccessTokens'>
  readonly keys?: Pick<KeyRing, 'algorithms'>
  readonly clientRules: ClientRules | undefined
  /** `undefined` when every registration needs a permission. */
  readonly openRegistration: OpenRegistration | undefined
  readonly clock: Clock
  readonly random: Random
  readonly softwareStatements: readonly TrustedStatements[]
  readonly limit: RateLimiter
  readonly journal: Journal<RegistrationOccurrence>
}

/**
 * Who registers: the holder of an initial access token, or somebody whose software statement has yet to be read or who
 * has no permission.
 */
export type Holder = { readonly token: InitialAccessTokenRecord; readonly digest: SecretDigest } | undefined

/** Verifies the initial access token before the body is read (RFC 7591 §3). */
export async function authenticateHolder(request: RequestHead, deps: Dependencies): Promise<Holder> {
  const header = request.headers.get('authorization')
  if (header === undefined || header === '') {
    if (deps.softwareStatements.length > 0 || deps.openRegistration !== undefined) return undefined
    throw refuse('token_missing')
  }
  const [, tokenId = '', secret = ''] = /^bearer +([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,128}) *$/i.exec(header) ?? []
  // RFC 6750 §2: a request has one token.
  if (secret === '' || request.repeatedHeaders.has('authorization')) throw refuse('token_invalid')
  const [token, digest] = await Promise.all([
    deps.storage.initialAccessTokens.find(initialAccessTokenId(tokenId)),
    digestSecret(secret),
  ])
  const isUsable = token?.digest === digest && token.revokedAt === undefined && deps.clock() < token.expiresAt
  if (!isUsable) throw refuse('token_invalid')
  if (token.remaining < 1) throw refuse('token_exhausted')
  return { token, digest }
}

/** Registers a client (RFC 7591 §3.1). The token is spent and the client is stored only after all checks. */
export async function register(request: ServerRequest, holder: Holder, deps: Dependencies): Promise<ServerResponse> {
  const now = deps.clock()
  const body = readBody(request)
  const statement = body['software_statement']
  // RFC 7591 §3.1.1: a server that trusts no issuer ignores statements; the client then needs another permission.
  const verified =
    statement === undefined || deps.softwareStatements.length === 0
      ? undefined
      : await verifyStatement(statement, now, deps)
  const policy: RegistrationPolicy | undefined = holder?.token ?? verified?.issuer
  if (policy === undefined) return registerOpenly(request, body, deps)

  const metadata = limitRegistration(readMetadata({ ...body, ...verified?.claims }), policy)
  const registrationToken = randomSecret(deps.random)
  const statementIssuer = verified?.issuer.issuer
  const selfManagement = await permitChanges(policy, {
    registrationToken,
    statement: verified && { issuer: verified.issuer.issuer, members: Object.keys(verified.claims) },
  })
  await limitAttempts({ holder, statement: verified, metadata }, now, deps)
  const insert = await prepareClient(metadata, { origin: 'registration', selfManagement }, deps)
  if (holder !== undefined) await spendToken(holder, now, deps)
  const registered = await insert()
  const { clientId } = registered.client
  deps.journal.record(request, {
    type: 'client.registered',
    clientId,
    tokenId: holder?.token.tokenId,
    statementIssuer,
  })
  return json(201, registrationResponse({ ...registered, registrationToken, statement }, deps), noStore)
}

/**
 * Registers a public client without a permission (RFC 7591 Appendix A.1.1). Nothing is stored, so nothing is limited: a
 * limit that strangers share would let each of them lock out the others. What a client requests beyond the server's
 * settings is replaced, and the response shows what is left (§3.2.1).
 */
async function registerOpenly(request: ServerRequest, body: JsonObject, deps: Dependencies): Promise<ServerResponse> {
  if (deps.openRegistration === undefined) throw refuse('token_missing')
  const { clientName, redirectUris = [], grantTypes = ['authorization_code'], ...other } = readMetadata(body)
  // RFC 7591 §3.2.2: such a client would try to authenticate. One that wants a secret gets none, and the answer says so.
  if (!isPublicOrSecret(other.tokenEndpointAuthMethod))
    throw refuse('metadata_invalid', {
      description: 'token_endpoint_auth_method must be none: only public clients can register without a token.',
    })
  const registered = await deps.openRegistration.register({ clientName, redirectUris, grantTypes }, deps.clock())
  const { client } = registered
  deps.journal.record(request, {
    type: 'client.registered',
    clientId: client.clientId,
    tokenId: undefined,
    statementIssuer: undefined,
  })
  // Any port of a loopback address is accepted. Some clients look for the one that they have sent.
  const answer = { client_id: client.clientId, ...renderMetadata(client), redirect_uris: registered.redirectUris }
  return json(201, answer, noStore)
}

const isPublicOrSecret = (method = 'none'): boolean => method === 'none' || method.startsWith('client_secret')

/**
 * Reads client metadata from a body.
 * @throws RegistrationError media_type | body_malformed.
 */
export function readBody(request: ServerRequest): JsonObject {
  if (!hasMediaType(request, ['application/json'])) throw refuse('media_type')
  const text = decodeBody(request.body)
  const body = text === undefined || isTooDeep(text) ? undefined : parseJsonObject(text)
  // RFC 8259 §4: the meaning of a repeated member differs between parsers. Not every store can keep U+0000.
  if (body === undefined || text === undefined || repeatsMember(text) || !isStorable(body))
    throw refuse('body_malformed')
  return body
}

/**
 * Counts an attempt before anything is fetched for it: refused attempts do not spend an initial access token, so they
 * could otherwise send any number of requests (RFC 7591 §5).
 */
async function limitAttempts(
  attempt: {
    readonly holder: Holder
    readonly statement: VerifiedStatement | undefined
    readonly metadata: Pick<ClientRegistration, 'sectorIdentifierUri'>
  },
  now: EpochSeconds,
  { limit }: Dependencies,
): Promise<void> {
  const { holder, statement, metadata } = attempt
  if (holder !== undefined && metadata.sectorIdentifierUri === undefined) return
  // Statements are often public, because each copy of an application contains one. Whoever has one uses up only its limit.
  const software = JSON.stringify([statement?.issuer.issuer, statement?.claims['software_id']])
  const key = holder === undefined ? `statement ${software}` : `token ${holder.token.tokenId}`
  const decision = await limit.consume(key, now)
  if (!decision.allowed) throw refuse('too_many_requests', { retryAfter: decision.retryAfter })
}

async function spendToken(
  { token, digest }: NonNullable<Holder>,
  now: EpochSeconds,
  { storage }: Dependencies,
): Promise<void> {
  const { outcome } = await storage.initialAccessTokens.spend(token.tokenId, digest, now)
  // The token was revoked, or used up by other registrations, since the request was authenticated.
  if (outcome === 'absent') throw refuse('token_invalid')
  if (outcome === 'exhausted') throw refuse('token_exhausted')
}

/**
 * Builds the response about a registration (RFC 7591 §3.2.1, RFC 7592 §3). `client_secret_expires_at` 0 means never.
 */
export const registrationResponse = (
  {
    client,
    clientSecret,
    registrationToken,
    statement,
  }: {
    readonly client: ClientRecord
    /** A new secret, if one was created. */
    readonly clientSecret: string | undefined
    readonly registrationToken: string
    readonly statement?: unknown
  },
  { endpoint }: Dependencies,
): JsonObject => ({
  client_id: client.clientId,
  client_id_issued_at: client.createdAt,
  ...(clientSecret !== undefined && { client_secret: clientSecret, client_secret_expires_at: 0 }),
  registration_access_token: registrationToken,
  registration_client_uri: `${endpoint}/${client.clientId}`,
  ...renderMetadata(client),
  ...(typeof statement === 'string' && { software_statement: statement }),
})
