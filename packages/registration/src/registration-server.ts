import { ClientMetadataError, createMemoryRateLimiter, type KeyRing, type RateLimiter } from '@mintmark/core'
import {
  type ClientRules,
  clientRules,
  createSectorClient,
  type OpenRegistration,
  parseServerIssuer,
  signingAlgorithms,
} from '@mintmark/core/internal'
import {
  aFunction,
  aListOfStrings,
  anObjectWith,
  aNonEmptyString,
  checkOptions,
  type Clock,
  createJournal,
  createService,
  type HttpService,
  json,
  listOf,
  noStore,
  type Random,
  randomIdentifier,
  type RequestHead,
  required,
  type Route,
  type RouteEndpoint,
  type ServerRequest,
  type ServerResponse,
  systemClock,
  systemRandom,
  withHeaders,
  aStorage,
} from '@mintmark/internal'
import {
  type AdminStorage,
  type EpochSeconds,
  type OAuthStorage,
  StorageUnavailableError,
} from '@mintmark/storage-interface'

import {
  authenticateRegistrant,
  readRegistration,
  type Registrant,
  removeRegistration,
  replaceRegistration,
} from './manage.ts'
import { authenticateHolder, type Dependencies, type Holder, register } from './register.ts'
import { refuse, RegistrationError, type RegistrationEvent, type RegistrationOccurrence } from './refusals.ts'
import { type TrustedStatements, trustedStatements } from './software-statement.ts'

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
   * The server's rules for clients: `server.clientRules`. With them, a client that the server would refuse is not
   * registered.
   * @defaultValue None. Scope values are compared only with those that the initial access token or the trusted issuer
   *   allows.
   */
  readonly clientRules?: ClientRules
  /**
   * `server.openRegistration`: public clients can then register without an initial access token, as far as the server's
   * option of the same name allows (RFC 7591 Appendix A.1.1).
   * @defaultValue None. Every registration needs an initial access token or a software statement.
   */
  readonly openRegistration?: OpenRegistration | undefined
  /**
   * The issuers whose software statements register clients without an initial access token (RFC 7591 §2.3).
   * @defaultValue None. Every registration needs an initial access token.
   */
  readonly softwareStatements?: readonly TrustedStatements[]
  /**
   * Counts attempts to register by the issuer and `software_id` of the software statement, and changes by client. Registrations with an
   * initial access token are limited by the token, and counted here only if they have a `sector_identifier_uri`, because
   * the server reads it before the token is spent. Open registration stores nothing, and is not limited.
   * @defaultValue 60 an hour for each, in this process. Software is released less often.
   */
  readonly limit?: RateLimiter
  /**
   * Receives an event for each registration, change and refusal.
   * @defaultValue Nothing is recorded. The admin API lists the clients, with their origin.
   */
  readonly onEvent?: (event: RegistrationEvent) => void | Promise<void>
  /**
   * Origins that clients may register addresses of although they have a port, a private address or no TLS: the same list
   * as the server's. For development and tests only.
   * @defaultValue None. Clients then cannot make the server send requests into the host's network.
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
  /**
   * Sends the requests for documents at `sector_identifier_uri`: the same as the server's. It must reach only public
   * addresses.
   * @defaultValue As in the server. On Node.js, requests to addresses that are not public are refused.
   */
  readonly fetch?: typeof globalThis.fetch
  readonly clock?: Clock
  readonly random?: Random
}

/** Dynamic client registration over HTTP, for an adapter to serve. */
export interface RegistrationServer extends HttpService {
  readonly issuer: string
  /** The registration endpoint: pass it as `discovery.registrationEndpoint` to the authorization server. */
  readonly endpoint: string
}

/**
 * Creates the registration endpoint, `{issuer}/register` (RFC 7591 §3). Without `openRegistration`, nobody can register
 * a client without an administrator's permission: an initial access token, or a software statement of a trusted issuer.
 * @throws TypeError when an option is unknown or has the wrong type.
 */
export function createRegistrationServer(options: RegistrationServerOptions): RegistrationServer {
  checkOptions('createRegistrationServer', options, {
    issuer: required(aNonEmptyString),
    storage: required(aStorage),
    keys: signingAlgorithms,
    clientRules,
    openRegistration: anObjectWith('register'),
    softwareStatements: listOf(trustedStatements),
    limit: anObjectWith('consume'),
    dangerouslyAllowOutbound: aListOfStrings,
    fetch: aFunction,
    onEvent: aFunction,
    clock: aFunction,
    random: aFunction,
  })
  parseServerIssuer(options)
  if (options.storage.initialAccessTokens === undefined)
    throw new TypeError('createRegistrationServer needs a storage with `initialAccessTokens`.')
  const endpoint = `${options.issuer}/register`
  const { origin, pathname } = new URL(endpoint)
  const deps = registrationDependencies(options, endpoint)
  // Clients that run in a page register from there. Everybody may register anyway, and no cookie is read.
  const crossOrigin = options.openRegistration && 'any_origin'
  const collection = new Map<string, Handler>([
    ['POST', (request, caller) => register(request, caller.kind === 'holder' ? caller.holder : undefined, deps)],
  ])
  const ownRegistration = new Map<string, Handler>([
    ['GET', forRegistrant(async (_, registrant) => readRegistration(registrant, deps))],
    ['PUT', forRegistrant((request, registrant) => replaceRegistration(request, registrant, deps))],
    ['DELETE', forRegistrant((request, registrant) => removeRegistration(request, registrant, deps))],
  ])
  /** The `client_id` in the path; undefined at the registration endpoint. */
  const clientIdIn = (path: string): string | undefined => path.slice(pathname.length + 1) || undefined
  const serves = (path: string): boolean =>
    path === pathname || (path.startsWith(`${pathname}/`) && isIdentifier(clientIdIn(path) ?? ''))

  return {
    issuer: options.issuer,
    endpoint,
    ...createService<Caller, undefined>({
      origin,
      bodyLimit: 65_536,
      tooLarge: ({ request }) => renderRefusal(refuse('message_too_large'), request, deps),
      serves,
      find({ url }) {
        if (!serves(url.pathname)) return unknownPath
        return url.pathname === pathname
          ? { methods: collection, template: pathname, crossOrigin, details: undefined }
          : { methods: ownRegistration, template: `${pathname}/{client_id}`, details: undefined }
      },
      async authenticate(request) {
        const id = clientIdIn(request.url.pathname)
        return id === undefined
          ? { kind: 'holder', holder: await authenticateHolder(request, deps) }
          : { kind: 'registrant', registrant: await authenticateRegistrant(request, id, deps) }
      },
      notFound: ({ request }) => renderRefusal(refuse('path_not_found'), request, deps),
      methodNotAllowed: (names, { request }) =>
        withHeaders(renderRefusal(refuse('method_not_allowed'), request, deps), [['Allow', names.join(', ')]]),
      renderError: (error, { request }) => renderRefusal(toRegistrationError(error), request, deps),
    }),
  }
}

/**
 * The sender of a request: a `holder` of an initial access token or software statement at the registration endpoint, or
 * a `registrant` at the URL of its own registration.
 */
type Caller =
  | { readonly kind: 'holder'; readonly holder: Holder }
  | { readonly kind: 'registrant'; readonly registrant: Registrant }

type Handler = RouteEndpoint<Caller, undefined>

const forRegistrant =
  (handle: (request: ServerRequest, registrant: Registrant) => Promise<ServerResponse>): Handler =>
  async (request, caller) => {
    if (caller.kind !== 'registrant') throw refuse('registration_token_missing')
    return handle(request, caller.registrant)
  }

/** A request to an unknown path is answered without authentication. */
const unknownPath: Route<Caller, undefined> = {
  methods: undefined,
  template: undefined,
  isPublic: true,
  details: undefined,
}

/** Whether the string has the form of the client identifiers that this endpoint creates. */
const isIdentifier = (id: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(id)

function registrationDependencies(options: RegistrationServerOptions, endpoint: string): Dependencies {
  const { storage, keys, clock = systemClock, random = systemRandom, onEvent = () => undefined } = options
  return {
    issuer: options.issuer,
    endpoint,
    dangerouslyAllowOutbound: options.dangerouslyAllowOutbound,
    outbound: createSectorClient(options),
    storage,
    ...(keys === undefined ? {} : { keys }),
    clientRules: options.clientRules,
    openRegistration: options.openRegistration,
    clock,
    random,
    softwareStatements: options.softwareStatements ?? [],
    limit: options.limit ?? createMemoryRateLimiter({ points: 60, window: 3600 }),
    journal: createJournal<RegistrationOccurrence, EpochSeconds>(onEvent, {
      clock,
      newIdentifier: () => randomIdentifier(random),
    }),
  }
}

function toRegistrationError(error: unknown): RegistrationError {
  if (error instanceof RegistrationError) return error
  if (error instanceof ClientMetadataError) {
    const reason = error.code === 'invalid_redirect_uri' ? 'redirect_uri_invalid' : 'metadata_invalid'
    return refuse(reason, { description: error.message, cause: error })
  }
  if (error instanceof StorageUnavailableError) return refuse('storage_unavailable', { cause: error })
  return refuse('unexpected', { cause: error })
}

function renderRefusal(error: RegistrationError, request: RequestHead, { journal }: Dependencies): ServerResponse {
  const { reason, message: description, status } = error
  journal.record(request, {
    type: 'registration.refused',
    reason,
    description,
    cause: status >= 500 ? error.cause : undefined,
  })
  return withHeaders(render(error), [journal.correlationHeader(request)])
}

function render({ status, code, message, retryAfter = 5 }: RegistrationError): ServerResponse {
  const answer = json(status, { error: code ?? 'invalid_request', error_description: message }, noStore)
  if (status === 503 || status === 429) return withHeaders(answer, [['Retry-After', String(retryAfter)]])
  if (status !== 401) return answer
  // RFC 6750 §3: without a token the challenge has no error.
  const error = code === undefined ? '' : `, error="${code}"`
  return withHeaders(answer, [['WWW-Authenticate', `Bearer realm="registration"${error}`]])
}
