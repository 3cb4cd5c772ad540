import { createOutboundClient, createRemoteKeySets, documentLimits } from '@mintmark/core/internal'
import {
  aFunction,
  aListOfStrings,
  aNonEmptyString,
  aStorage,
  aStringMatching,
  checkOptions,
  type Clock,
  createJournal,
  createRouter,
  decodeBody,
  type HttpService,
  json,
  listOf,
  mediaType,
  noStore,
  oneOf,
  optionsOf,
  type Random,
  randomIdentifier,
  required,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
  systemClock,
  systemRandom,
} from '@mintmark/internal'
import type { EpochSeconds, ScimStorage } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import {
  type ReceiverDependencies,
  ReceiverError,
  type ReceiverEvent,
  type ReceiverOccurrence,
  receiveToken,
  type SignalOutcome,
  type TrustedTransmitter,
} from './received-event.ts'

/** The options of `createSignalReceiver`. Three are required. */
export interface SignalReceiverOptions {
  /** The issuer of the authorization server. */
  readonly issuer: string
  readonly storage: ScimStorage
  /** The transmitters whose events are acted on. */
  readonly transmitters: readonly TrustedTransmitter[]
  /**
   * The path to which transmitters push events, below the origin of the issuer.
   * @defaultValue `/signals`. It is an address of this package's own.
   */
  readonly path?: string
  /**
   * Deactivates a user, for `onAccountDisabled: 'deactivate'`: for example through administration, which keeps the last administrator.
   * @defaultValue `storage.users.deactivate`. It works with every storage.
   */
  readonly deactivate?: (userId: string) => Promise<void>
  /**
   * Receives an event for each security event that was received, and what it did.
   * @defaultValue Nothing is recorded. The host decides where events go.
   */
  readonly onEvent?: (event: ReceiverEvent) => void | Promise<void>
  /**
   * Fetches the key sets of transmitters.
   * @defaultValue A `fetch` that connects only to public addresses over https. Key sets of transmitters are public.
   */
  readonly fetch?: typeof globalThis.fetch
  /**
   * Origins of key sets that may be fetched although they have a port, a private address or no TLS. For development and tests only.
   * @defaultValue None. Key sets are then fetched only from public addresses.
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
  readonly clock?: Clock
  readonly random?: Random
}

/** Receives security events over HTTP (RFC 8935), or from the host's own poll (RFC 8936). */
export interface SignalReceiver extends HttpService {
  /** Handles a security event token that the host has polled. It resolves once the event was handled and may be acknowledged. */
  receive(token: string): Promise<{ readonly outcome: SignalOutcome }>
}

/**
 * Creates a receiver of security events: it turns the signals of a customer's identity provider into the end of sessions or a
 * deactivation here. An event is acted on once, and reaches only users of the provider that the transmitter is configured for.
 * @throws TypeError when an option is unknown or has the wrong type.
 */
export function createSignalReceiver(options: SignalReceiverOptions): SignalReceiver {
  checkOptions('createSignalReceiver', options, {
    issuer: required(aNonEmptyString),
    storage: required(aStorage),
    transmitters: required(
      listOf(
        optionsOf<TrustedTransmitter>({
          issuer: required(aNonEmptyString),
          jwksUri: required(aNonEmptyString),
          audience: required(aNonEmptyString),
          providerId: required(aNonEmptyString),
          onSessionsRevoked: oneOf('revoke_access', 'ignore'),
          onAccountDisabled: oneOf('revoke_access', 'deactivate', 'ignore'),
        }),
      ),
    ),
    path: aStringMatching(/^\/[\w/.-]*$/, 'must be a path such as /signals'),
    deactivate: aFunction,
    onEvent: aFunction,
    fetch: aFunction,
    dangerouslyAllowOutbound: aListOfStrings,
    clock: aFunction,
    random: aFunction,
  })
  requireStores(options.storage, { capability: 'scim', feature: 'createSignalReceiver' })
  const deps = receiverDependencies(options)
  const { origin } = new URL(options.issuer)
  const refuse = (error: ReceiverError, request: RequestHead): ServerResponse => {
    const { reason, transmitter, cause } = error
    deps.journal.record(request, { type: 'signal.refused', reason, transmitter, cause })
    const body = { err: reason, description: error.message }
    if (reason === 'unavailable') return json(503, body, [...noStore, ['Retry-After', '5']])
    return json(400, body, [...noStore, ['Content-Language', 'en']])
  }

  return {
    receive: async (token) => ({ outcome: await receiveToken(token, undefined, deps) }),
    ...createRouter({
      origin,
      bodyLimit: maxLength,
      tooLarge: (request) => ({ ...refuse(new ReceiverError('invalid_request'), request), status: 413 }),
      routes: [
        {
          path: options.path ?? '/signals',
          methods: { POST: (request) => receivePush(request, deps) },
          renderError: (error, request) => refuse(toReceiverError(error), request),
        },
      ],
      notFound: () => json(404, { err: 'invalid_request', description: 'This path does not exist.' }, noStore),
      methodNotAllowed: () => json(405, { err: 'invalid_request', description: 'Use POST.' }, noStore),
    }),
  }
}

/** In bytes. */
const maxLength = 65_536

function receiverDependencies(options: SignalReceiverOptions): ReceiverDependencies {
  const { issuer, storage, transmitters, onEvent = () => undefined, deactivate } = options
  const { clock = systemClock, random = systemRandom, dangerouslyAllowOutbound: allowedOrigins = [] } = options
  return {
    issuer,
    storage,
    transmitters,
    keySets: createRemoteKeySets(() => createOutboundClient(options.fetch, { ...documentLimits, allowedOrigins })),
    deactivate:
      deactivate === undefined
        ? async (user, now) => void (await storage.users.deactivate(user, now))
        : (user) => deactivate(user),
    clock,
    journal: createJournal<ReceiverOccurrence, EpochSeconds>(onEvent, {
      clock,
      newIdentifier: () => randomIdentifier(random),
    }),
  }
}

const toReceiverError = (error: unknown): ReceiverError =>
  error instanceof ReceiverError ? error : new ReceiverError('unavailable', { cause: error })

/** Answers a pushed event (RFC 8935 §2): 202 once it was handled. */
async function receivePush(request: ServerRequest, deps: ReceiverDependencies): Promise<ServerResponse> {
  if (mediaType(request) !== 'application/secevent+jwt') throw new ReceiverError('invalid_request')
  await receiveToken((decodeBody(request.body) ?? '').trim(), request, deps)
  return { status: 202, headers: [...noStore], body: undefined }
}
