import type { AuthorizationServer, KeyRing } from '@mintmark/core'
import { createWaitLimit, streamScope } from '@mintmark/core/internal'
import {
  aFunction,
  aListOfStrings,
  allowHeader,
  anObjectWith,
  aNonEmptyString,
  aStorage,
  checkOptions,
  type Clock,
  createJournal,
  createService,
  type Header,
  type HttpService,
  json,
  noStore,
  parseServerIssuer,
  type Random,
  randomIdentifier,
  type RequestHead,
  required,
  type Route,
  type ServerRequest,
  type ServerResponse,
  systemClock,
  systemRandom,
  withHeaders,
} from '@mintmark/internal'
import { type AdminStorage, type EpochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import { authenticateReceiver } from './authenticate-receiver.ts'
import { resourceMetadata, resourceMetadataUrl, transmitterConfiguration } from './metadata.ts'
import { ownStream, streamInQuery } from './own-stream.ts'
import { pollStream } from './poll.ts'
import { refuse, SignalError, type TransmitterEvent, type TransmitterOccurrence } from './refusals.ts'
import { changeStatus, changeStream, createStream, readStreams, removeStream, statusResponse } from './streams.ts'
import { changeSubjects, verify } from './subjects.ts'
import type { Receiver, TransmitterDependencies } from './transmitter-context.ts'

/** The options of `createSignalTransmitter`. Four are required. */
export interface SignalTransmitterOptions {
  /** The issuer of the authorization server. */
  readonly issuer: string
  /** The storage of the authorization server: streams are sent the changes that it records. */
  readonly storage: AdminStorage
  /** The key ring of the authorization server. It must sign with RS256, which CAEP's interoperability profile demands. */
  readonly keys: KeyRing
  /** The authorization server: receivers authenticate with its access tokens (scope `ssf.manage`, or `ssf.read` to read). */
  readonly accessTokens: Pick<AuthorizationServer, 'accessToken'>
  /**
   * Receives an event for each stream that is created, changed or removed, and each refusal.
   * @defaultValue Nothing is recorded. The host decides where events go.
   */
  readonly onEvent?: (event: TransmitterEvent) => void | Promise<void>
  /**
   * Origins that events may be pushed to although they have a port, a private address or no TLS: the same list as the
   * server's. For development and tests only.
   * @defaultValue None. Receivers then cannot make the server send requests into the host's network.
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Creates a transmitter of security events (SSF 1.0, CAEP, RISC, RFC 9967): receivers create streams and get an event when a session
 * ends, a user is deactivated, or a user or group is provisioned. The authorization server pushes the events with its other
 * deliveries; a receiver that polls fetches them here.
 * @throws TypeError when an option is unknown or has the wrong type, and when the key ring does not sign with RS256.
 */
export function createSignalTransmitter(options: SignalTransmitterOptions): HttpService & { readonly issuer: string } {
  checkOptions('createSignalTransmitter', options, {
    issuer: required(aNonEmptyString),
    storage: required(aStorage),
    keys: required(anObjectWith('signer')),
    accessTokens: required(anObjectWith('accessToken')),
    dangerouslyAllowOutbound: aListOfStrings,
    onEvent: aFunction,
    clock: aFunction,
    random: aFunction,
  })
  parseServerIssuer(options)
  requireStores(options.storage, { capability: 'admin', feature: 'createSignalTransmitter' })
  if (!options.keys.algorithms.includes('RS256'))
    throw new TypeError(
      'createSignalTransmitter needs a key ring that signs with RS256: add RS256 to the algorithms of the key ring.',
    )
  const deps = transmitterDependencies(options)
  const { origin } = new URL(deps.issuer)
  const routes = routesOf(deps)
  const find = ({ url }: RequestHead): Route<Receiver, RouteDetails> | undefined =>
    routes.get(url.pathname) ?? (url.pathname.startsWith(deps.pollPath) ? routes.get(deps.pollPath) : undefined)

  return {
    issuer: options.issuer,
    ...createService<Receiver, RouteDetails>({
      origin,
      bodyLimit: 65_536,
      tooLarge: ({ request, caller }) => renderRefusal(refuse('message_too_large'), { request, caller }, deps),
      serves: (path) => routes.has(path) || path.startsWith(deps.basePath),
      find,
      authenticate: (request, route) => authenticateReceiver(request, route?.details.scopes ?? [streamScope], deps),
      notFound: ({ request, caller }) => renderRefusal(refuse('path_not_found'), { request, caller }, deps),
      methodNotAllowed: (names, { request, caller }) =>
        withHeaders(renderRefusal(refuse('method_not_allowed'), { request, caller }, deps), [allowHeader(names)]),
      renderError: (error, { request, caller }) => renderRefusal(toSignalError(error), { request, caller }, deps),
    }),
  }
}

interface RouteDetails {
  /** One of them is enough for a GET; other methods need `ssf.manage`. */
  readonly scopes: readonly string[]
}

function transmitterDependencies(options: SignalTransmitterOptions): TransmitterDependencies {
  const { issuer, storage, keys, accessTokens, onEvent = () => undefined } = options
  const { clock = systemClock, random = systemRandom, dangerouslyAllowOutbound: allowedOrigins = [] } = options
  const path = new URL(issuer).pathname.replace(/\/$/, '')
  const basePath = `${path}/ssf/v1/`
  return {
    issuer,
    storage,
    keys,
    accessTokens,
    allowedOrigins,
    clock,
    random,
    journal: createJournal<TransmitterOccurrence, EpochSeconds>(onEvent, {
      clock,
      newIdentifier: () => randomIdentifier(random),
    }),
    basePath,
    pollPath: `${basePath}poll/`,
    waiting: createWaitLimit({ total: maxWaitingPolls, perCaller: maxWaitingOfReceiver }),
  }
}

/** Of one process. A receiver needs one. */
const maxWaitingPolls = 200
const maxWaitingOfReceiver = 4

type Handler = (request: ServerRequest, receiver: Receiver) => Promise<ServerResponse>

const route = (template: string, methods: Readonly<Record<string, Handler>>): Route<Receiver, RouteDetails> => ({
  methods: new Map(Object.entries(methods)),
  template,
  details: { scopes: [streamScope, 'ssf.read'] },
})

/** The paths with their methods. */
function routesOf(deps: TransmitterDependencies): ReadonlyMap<string, Route<Receiver, RouteDetails>> {
  const { basePath, pollPath } = deps
  const path = new URL(deps.issuer).pathname.replace(/\/$/, '')
  const on = (name: string, methods: Readonly<Record<string, Handler>>) =>
    [basePath + name, route(basePath + name, methods)] as const
  const published = (template: string, document: () => ServerResponse) =>
    [template, { ...route(template, { GET: async () => document() }), isPublic: true }] as const
  return new Map<string, Route<Receiver, RouteDetails>>([
    published(`/.well-known/ssf-configuration${path}`, () => transmitterConfiguration(deps)),
    published(new URL(resourceMetadataUrl(deps.issuer)).pathname, () => resourceMetadata(deps)),
    on('streams', {
      GET: (request, receiver) => readStreams(request, receiver, deps),
      POST: (request, receiver) => createStream(request, receiver, deps),
      PATCH: (request, receiver) => changeStream(request, receiver, deps),
      PUT: (request, receiver) => changeStream(request, receiver, deps),
      DELETE: (request, receiver) => removeStream(request, receiver, deps),
    }),
    on('status', {
      GET: async (request, receiver) => statusResponse(await streamInQuery(request, receiver, deps)),
      POST: (request, receiver) => changeStatus(request, receiver, deps),
    }),
    on('subjects/add', { POST: (request, receiver) => changeSubjects(request, receiver, { isAdded: true, deps }) }),
    on('subjects/remove', { POST: (request, receiver) => changeSubjects(request, receiver, { isAdded: false, deps }) }),
    on('verify', { POST: (request, receiver) => verify(request, receiver, deps) }),
    [
      pollPath,
      route(`${pollPath}{stream_id}`, {
        POST: async (request, receiver) => {
          const stream = await ownStream(request.url.pathname.slice(pollPath.length), receiver, deps)
          return pollStream(request, { stream, client: receiver.client }, deps)
        },
      }),
    ],
  ])
}

function toSignalError(error: unknown): SignalError {
  if (error instanceof SignalError) return error
  return refuse(error instanceof StorageUnavailableError ? 'storage_unavailable' : 'unexpected', {
    cause: error,
  })
}

function renderRefusal(
  error: SignalError,
  { request, caller }: { readonly request: RequestHead; readonly caller: Receiver | undefined },
  deps: TransmitterDependencies,
): ServerResponse {
  const { reason, status, cause, member } = error
  const { journal } = deps
  journal.record(request, {
    type: 'request.refused',
    reason,
    method: request.method,
    path: request.url.pathname,
    clientId: caller?.client.clientId,
    ...(member !== undefined && { member }),
    cause: status >= 500 ? cause : undefined,
  })
  return withHeaders(render(error, deps), [journal.correlationHeader(request)])
}

function render(error: SignalError, { issuer }: TransmitterDependencies): ServerResponse {
  const { status, reason, message } = error
  return withHeaders(json(status, { error: reason, error_description: message }, noStore), headersOf(error, issuer))
}

function headersOf({ status, reason, scope, retryAfter = 5 }: SignalError, issuer: string): readonly Header[] {
  if (status === 503 || status === 429) return [['Retry-After', String(retryAfter)]]
  // RFC 9728 §5.1: the receiver finds out where it gets a token.
  const challenge = (error = '') =>
    [
      ['WWW-Authenticate', `Bearer realm="signals"${error}, resource_metadata="${resourceMetadataUrl(issuer)}"`],
    ] as const
  // RFC 6750 §3: without a token the challenge has no error.
  if (reason === 'token_missing') return challenge()
  if (status === 401) return challenge(', error="invalid_token"')
  if (scope !== undefined) return challenge(`, error="insufficient_scope", scope="${scope}"`)
  return reason === 'token_of_user' || reason === 'client_unknown' ? challenge(', error="insufficient_scope"') : []
}
