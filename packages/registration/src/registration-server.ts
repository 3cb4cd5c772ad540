import { ClientMetadataError, createMemoryRateLimiter, type KeyRing, type RateLimiter } from '@mintmark/core'
import { parseIssuer, prepareClient, type RegisteredClient } from '@mintmark/core/internal'
import {
  aFunction,
  anObject,
  anything,
  aText,
  checkOptions,
  type Clock,
  createJournal,
  createService,
  decodeBody,
  digestSecret,
  hasMediaType,
  type HttpService,
  isStorable,
  isTooDeep,
  json,
  type Journal,
  noStore,
  parseJsonObject,
  type Random,
  randomIdentifier,
  repeatsMember,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
  systemClock,
  systemRandom,
  withHeaders,
} from '@mintmark/internal'
import {
  type AdminStorage,
  type EpochSeconds,
  initialAccessTokenId,
  type JsonObject,
  type OAuthStorage,
  StorageUnavailableError,
} from '@mintmark/storage-interface'
import type { InitialAccessTokenRecord, SecretDigest } from '@mintmark/storage-interface/stores'

import { readMetadata, renderMetadata } from './metadata.ts'
import { limitRegistration, type RegistrationPolicy } from './policy.ts'
import { type RegistrationEvent, type RegistrationOccurrence, RegistrationError } from './refusals.ts'
import { type TrustedStatements, verifyStatement } from './software-statement.ts'

export type { TrustedStatements } from './software-statement.ts'

/** The options of `createRegistrationServer`. Two are required. */
export interface RegistrationServerOptions {
  /** The issuer of the authorization server. */
  readonly issuer: string
  /** The storage of the authorization server. Administrators create the initial access tokens in it. */
  readonly storage: OAuthStorage & Pick<AdminStorage, 'initialAccessTokens'>
  /**
   * The server's key ring. With it, a client cannot be registered with an algorithm that the server does not sign with.
   * @defaultValue None. A client may then be registered with an algorithm that the server does not sign with, and gets
   *   no ID token.
   */
  readonly keys?: Pick<KeyRing, 'algorithms'>
  /**
   * The issuers whose software statements register clients without an initial access token (RFC 7591 §2.3).
   * @defaultValue None. Every registration needs an initial access token.
   */
  readonly softwareStatements?: readonly TrustedStatements[]
  /**
   * Counts registrations by the issuer of the software statement. Initial access tokens have a number of their own.
   * @defaultValue 60 an hour, in this process. Software is released less often.
   */
  readonly statementLimit?: RateLimiter
  /**
   * Receives what was registered and what was refused.
   * @defaultValue Nothing is recorded. The admin API lists the clients, with their origin.
   */
  readonly onEvent?: (event: RegistrationEvent) => void | Promise<void>
  readonly clock?: Clock
  readonly random?: Random
}

/** Dynamic client registration over HTTP, for an adapter to serve. */
export interface RegistrationServer extends HttpService {
  readonly issuer: string
  /** The registration endpoint: give it to `discovery.registrationEndpoint` of the authorization server. */
  readonly endpoint: string
}

/**
 * Creates the registration endpoint, `{issuer}/register` (RFC 7591 §3). Nobody registers a client without an
 * administrator's permission: an initial access token, or a software statement of a trusted issuer.
 * @throws TypeError when an option is unknown or has the wrong type.
 */
export function createRegistrationServer(options: RegistrationServerOptions): RegistrationServer {
  checkOptions('createRegistrationServer', options, {
    issuer: aText,
    storage: anObject,
    keys: anything,
    softwareStatements: anything,
    statementLimit: anObject,
    onEvent: aFunction,
    clock: aFunction,
    random: aFunction,
  })
  parseIssuer(options.issuer)
  if (options.storage.initialAccessTokens === undefined)
    throw new TypeError('createRegistrationServer needs a storage with `initialAccessTokens`.')
  const endpoint = `${options.issuer}/register`
  const { origin, pathname } = new URL(endpoint)
  const deps = registrationDependencies(options)
  const methods = new Map([['POST', (request: ServerRequest, caller: Holder) => register(request, caller, deps)]])

  return {
    issuer: options.issuer,
    endpoint,
    ...createService<Holder, undefined>({
      origin,
      bodyLimit: 65_536,
      tooLarge: () => render(new RegistrationError('message_too_large')),
      serves: (path) => path === pathname,
      find: () => ({ methods, details: undefined }),
      authenticate: (request) => authenticateHolder(request, deps),
      notFound: ({ request }) => refuse(new RegistrationError('method_not_allowed'), request, deps),
      methodNotAllowed: (names, { request }) =>
        withHeaders(refuse(new RegistrationError('method_not_allowed'), request, deps), [['Allow', names.join(', ')]]),
      renderError: (error, { request }) => refuse(toRegistrationError(error), request, deps),
    }),
  }
}

interface Dependencies extends Pick<RegistrationServerOptions, 'storage' | 'keys'> {
  readonly clock: Clock
  readonly random: Random
  readonly softwareStatements: readonly TrustedStatements[]
  readonly statementLimit: RateLimiter
  readonly journal: Journal<RegistrationOccurrence>
}

function registrationDependencies(options: RegistrationServerOptions): Dependencies {
  const { storage, keys, clock = systemClock, random = systemRandom, onEvent = () => undefined } = options
  return {
    storage,
    ...(keys === undefined ? {} : { keys }),
    clock,
    random,
    softwareStatements: options.softwareStatements ?? [],
    statementLimit: options.statementLimit ?? createMemoryRateLimiter({ points: 60, window: 3600 }),
    journal: createJournal<RegistrationOccurrence, EpochSeconds>(onEvent, {
      clock,
      newIdentifier: () => randomIdentifier(random),
    }),
  }
}

/** Who registers: the holder of an initial access token, or somebody whose software statement has yet to be read. */
type Holder = { readonly token: InitialAccessTokenRecord; readonly digest: SecretDigest } | undefined

/** Decides before the body is read (RFC 7591 §3). */
async function authenticateHolder(request: RequestHead, deps: Dependencies): Promise<Holder> {
  const header = request.headers.get('authorization')
  if (header === undefined || header === '') {
    if (deps.softwareStatements.length > 0) return undefined
    throw new RegistrationError('token_missing')
  }
  const [, tokenId = '', secret = ''] = /^bearer +([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,128}) *$/i.exec(header) ?? []
  // RFC 6750 §2: a request has one token.
  if (secret === '' || request.repeatedHeaders.has('authorization')) throw new RegistrationError('token_invalid')
  const [token, digest] = await Promise.all([
    deps.storage.initialAccessTokens.find(initialAccessTokenId(tokenId)),
    digestSecret(secret),
  ])
  const isUsable = token?.digest === digest && token.revokedAt === undefined && deps.clock() < token.expiresAt
  if (!isUsable) throw new RegistrationError('token_invalid')
  if (token.remaining < 1) throw new RegistrationError('token_exhausted')
  return { token, digest }
}

/** Nothing is spent or stored before everything has been checked. */
async function register(request: ServerRequest, holder: Holder, deps: Dependencies): Promise<ServerResponse> {
  const now = deps.clock()
  const body = readBody(request)
  const statement = body['software_statement']
  // RFC 7591 §3.1.1: a server that trusts no issuer ignores statements, but then somebody else's permission is needed.
  const verified =
    statement === undefined || (holder !== undefined && deps.softwareStatements.length === 0)
      ? undefined
      : await verifyStatement(statement, deps.softwareStatements, now)
  const policy: RegistrationPolicy | undefined = holder?.token ?? verified?.issuer
  if (policy === undefined) throw new RegistrationError('token_missing')

  const metadata = limitRegistration(readMetadata({ ...body, ...verified?.claims }), policy)
  const insert = await prepareClient(metadata, 'registration', deps)
  await spend({ holder, statementIssuer: verified?.issuer }, now, deps)
  const registered = await insert()
  deps.journal.record(request, {
    type: 'client.registered',
    clientId: registered.client.clientId,
    tokenId: holder?.token.tokenId,
    statementIssuer: verified?.issuer.issuer,
  })
  return json(201, response(registered, statement), noStore)
}

function readBody(request: ServerRequest): JsonObject {
  // RFC 7591 §3.1.
  if (!hasMediaType(request, ['application/json'])) throw new RegistrationError('media_type')
  const text = decodeBody(request.body)
  const body = text === undefined || isTooDeep(text) ? undefined : parseJsonObject(text)
  // RFC 8259 §4: the meaning of a repeated member differs between parsers. Not every store reads U+0000 back.
  if (body === undefined || text === undefined || repeatsMember(text) || !isStorable(body))
    throw new RegistrationError('body_malformed')
  return body
}

async function spend(
  { holder, statementIssuer }: { readonly holder: Holder; readonly statementIssuer: TrustedStatements | undefined },
  now: EpochSeconds,
  { storage, statementLimit }: Dependencies,
): Promise<void> {
  if (holder === undefined) {
    const decision = await statementLimit.consume(`statement ${statementIssuer?.issuer}`, now)
    if (!decision.allowed) throw new RegistrationError('too_many_requests', { retryAfter: decision.retryAfter })
    return
  }
  const { outcome } = await storage.initialAccessTokens.spend(holder.token.tokenId, holder.digest, now)
  // It was revoked, or spent by others, since the request was authenticated.
  if (outcome === 'absent') throw new RegistrationError('token_invalid')
  if (outcome === 'exhausted') throw new RegistrationError('token_exhausted')
}

/** RFC 7591 §3.2.1: `client_secret_expires_at` 0 means never. */
const response = ({ client, clientSecret }: RegisteredClient, statement: unknown): JsonObject => ({
  client_id: client.clientId,
  client_id_issued_at: client.createdAt,
  ...(clientSecret !== undefined && { client_secret: clientSecret, client_secret_expires_at: 0 }),
  ...renderMetadata(client),
  ...(typeof statement === 'string' && { software_statement: statement }),
})

function toRegistrationError(error: unknown): RegistrationError {
  if (error instanceof RegistrationError) return error
  if (error instanceof ClientMetadataError) {
    const reason = error.code === 'invalid_redirect_uri' ? 'redirect_uri_invalid' : 'metadata_invalid'
    return new RegistrationError(reason, { description: error.message, cause: error })
  }
  if (error instanceof StorageUnavailableError) return new RegistrationError('storage_unavailable', { cause: error })
  return new RegistrationError('unexpected', { cause: error })
}

function refuse(error: RegistrationError, request: RequestHead, { journal }: Dependencies): ServerResponse {
  const { reason, message: description, status } = error
  journal.record(request, {
    type: 'registration.refused',
    reason,
    description,
    cause: status >= 500 ? error.cause : undefined,
  })
  return render(error)
}

function render({ status, code, message, retryAfter = 5 }: RegistrationError): ServerResponse {
  const answer = json(status, { error: code ?? 'invalid_request', error_description: message }, noStore)
  if (status === 503 || status === 429) return withHeaders(answer, [['Retry-After', String(retryAfter)]])
  if (status !== 401) return answer
  // RFC 6750 §3: without a token the challenge has no error.
  const error = code === undefined ? '' : `, error="${code}"`
  return withHeaders(answer, [['WWW-Authenticate', `Bearer realm="registration"${error}`]])
}
