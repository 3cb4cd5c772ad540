// One file: pushing a request, and opening it by its `request_uri`, must agree.

import {
  type Clock,
  digestSecret,
  type Endpoint,
  type Header,
  json,
  noStore,
  type Random,
  type ServerRequest,
  type ServerResponse,
  stopIfAbandoned,
  randomSecret,
} from '@mintmark/internal'
import {
  after,
  type ClientId,
  type ClientRecord,
  type DurationSeconds,
  type EpochSeconds,
  type OAuthStorage,
  seconds,
} from '@mintmark/storage-interface'
import type { PushedRequestRecord, SecretDigest } from '@mintmark/storage-interface/stores'

import {
  authenticateClient,
  type AuthenticatedClient,
  type ClientAuthenticationDependencies,
} from '../clients/authenticate.ts'
import type { ClientDocuments } from '../clients/client-documents.ts'
import { profileRules } from '../clients/security-profile.ts'
import type { Journal } from '../events.ts'
import { indexParameters, type Parameters, readForm, refuseRepeated } from '../parameters.ts'
import type { RateDecision, RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import { namingClient } from './error-redirect.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'
import { verifyRedirect } from '../clients/proven-redirect.ts'
import {
  type AuthorizationRequest,
  type AuthorizationRequestRules,
  parseAuthorizationRequest,
  type RequestForm,
} from './request.ts'
import { openRequestObject, type RequestObjectDependencies, canSignRequests } from './request-object.ts'
import { RedirectableError } from './response.ts'
import { type PushedReference, type PushSeal, recallSealedPush } from './sealed-push.ts'

export interface PushEndpointDependencies
  extends Omit<ClientAuthenticationDependencies, 'findByDocument'>, RequestObjectDependencies {
  readonly clientDocuments: ClientDocuments
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  readonly issuer: string
  readonly dpop: DpopVerifier
  readonly rules: AuthorizationRequestRules
  readonly pushLimits: PushLimits
  readonly pushedRequestLifetime: DurationSeconds
  readonly interactionLifetime: DurationSeconds
  readonly pushSeal: PushSeal
}

/**
 * `POST /auth/push` (RFC 9126 §2): stores an authorization request that its client has authenticated, and returns a
 * `request_uri` for it. If a stranger can push in the client's name, nothing is stored: the `request_uri` contains the
 * request, sealed. The request is validated now, so that the client learns of errors, and again when a browser arrives
 * with it.
 */
export const pushEndpoint = (deps: PushEndpointDependencies): Endpoint => {
  const target = { url: `${deps.issuer}/auth/push` }
  const findByDocument = (id: string, now: EpochSeconds): Promise<ClientRecord | undefined> =>
    findDocumentClient(id, now, deps)
  return async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    // RFC 9449 §8: verified before the client is authenticated, so that it can repeat the request with a nonce and the
    // same assertion.
    const proof = request.headers.has('dpop') ? await deps.dpop.verify(request, target, now) : undefined
    const client = await authenticateClient({ request, form }, now, { ...deps, findByDocument })
    return namingClient(client, () => push({ request, form, proof, client }, now, deps))
  }
}

async function push(
  { request, form, proof, client }: AuthenticatedPush,
  now: EpochSeconds,
  deps: PushEndpointDependencies,
): Promise<ServerResponse> {
  await limitPushes(client, now, deps)
  // RFC 9126 §2.1: a pushed request must not refer to another pushed request.
  if (form.get('request_uri') !== undefined) throw refuse('request_uri_pushed', { clientId: client.clientId })

  const authorization = await parsePushed(form, { client, now }, deps)
  const bound = proof === undefined ? undefined : await bindToKey({ client, authorization, proof }, now, deps)
  const secret = randomSecret(deps.random)
  const { longestPushedRequestLifetime = deps.pushedRequestLifetime } = profileRules(client, deps.rules)
  const lifetime = seconds(Math.min(deps.pushedRequestLifetime, longestPushedRequestLifetime))
  const usableUntil = after(now, lifetime)
  const record = {
    digest: await digestSecret(secret),
    clientId: client.clientId,
    parameters: { ...authorization.parameters, client_id: client.clientId, ...bound?.parameters },
    resources: authorization.resources,
    usableUntil,
    createdAt: now,
    expiresAt: after(usableUntil, deps.interactionLifetime),
  }
  const reference = isOpenToStrangers(client) ? await sealPush(record, deps) : secret
  stopIfAbandoned(request)
  if (reference === secret) await deps.storage.pushedRequests.insert(record)
  deps.journal.record(request, { type: 'request.pushed', clientId: client.clientId })
  const answer = { request_uri: prefix + reference, expires_in: lifetime }
  return json(201, answer, [...noStore, ...(bound?.headers ?? [])])
}

interface AuthenticatedPush {
  readonly request: ServerRequest
  readonly form: Parameters
  readonly proof: VerifiedProof | undefined
  readonly client: AuthenticatedClient
}

/**
 * Whether a stranger can push requests for the client, and so must not create rows (RFC 6819 §4.4.1.11): a public
 * client has no credentials, and anybody can publish a metadata document with any key.
 */
const isOpenToStrangers = ({ tokenEndpointAuthMethod, origin }: ClientRecord): boolean =>
  tokenEndpointAuthMethod === 'none' || origin === 'document'

async function sealPush(record: PushedRequestRecord, { pushSeal }: PushEndpointDependencies): Promise<string> {
  const sealed = await pushSeal.seal(record)
  // RFC 9126 §2.3: a request that does not fit into the request_uri is an invalid_request.
  if (sealed === undefined) throw refuse('request_too_large', { clientId: record.clientId })
  return sealed
}

/**
 * Binds the code to the key of the proof (RFC 9449 §10.1). The use of a public client's proof is not recorded: a stranger
 * could fill the store, and gains nothing from a copy, because `dpop_jkt` alone binds the code to the same key.
 * @throws OAuthError invalid_request — reason `dpop_jkt_contradicted`; invalid_dpop_proof — reason `dpop_replayed`.
 */
async function bindToKey(
  {
    client,
    authorization: { dpopJkt },
    proof,
  }: {
    readonly client: AuthenticatedClient
    readonly authorization: AuthorizationRequest
    readonly proof: VerifiedProof
  },
  now: EpochSeconds,
  { dpop }: PushEndpointDependencies,
): Promise<{ readonly parameters: { readonly dpop_jkt: string }; readonly headers: readonly Header[] }> {
  // RFC 9449 §10.1: the request must name the key that its proof is made with.
  if (dpopJkt !== undefined && dpopJkt !== proof.jkt) throw refuse('dpop_jkt_contradicted')
  if (client.tokenEndpointAuthMethod !== 'none') await dpop.use(proof, now)
  return { parameters: { dpop_jkt: proof.jkt }, headers: await dpop.headers(proof, now) }
}

/** Limits the work, and the rows of clients that authenticate (RFC 9126 §7.1, RFC 6819 §4.4.1.11). */
interface PushLimits {
  /** Counts by client. Only the client itself can push in its name. */
  readonly ofClient: RateLimiter
  /** Counts together what anybody can push in the name of any client: a limit of each would be used up by strangers. */
  readonly ofStrangers: RateLimiter
}

/**
 * Finds a client that is not stored, by the document in which it describes itself. Anybody can publish any number of
 * documents with keys, so these are counted before an assertion is verified and recorded as used.
 */
async function findDocumentClient(
  id: string,
  now: EpochSeconds,
  { clientDocuments, pushLimits }: PushEndpointDependencies,
): Promise<ClientRecord | undefined> {
  const client = await clientDocuments.findByDocument(id, now)
  if (client !== undefined && client.tokenEndpointAuthMethod !== 'none')
    refuseThrottled(client, await pushLimits.ofStrangers.consume('total', now))
  return client
}

async function limitPushes(
  client: AuthenticatedClient,
  now: EpochSeconds,
  { pushLimits }: PushEndpointDependencies,
): Promise<void> {
  const { ofClient, ofStrangers } = pushLimits
  const isPublic = client.tokenEndpointAuthMethod === 'none'
  const decision = await (isPublic
    ? ofStrangers.consume('total', now)
    : ofClient.consume(`client ${client.clientId}`, now))
  refuseThrottled(client, decision)
}

function refuseThrottled({ clientId }: ClientRecord, decision: RateDecision): void {
  // RFC 9126 §2.3: 429 when the client has sent too many requests.
  if (!decision.allowed) throw refuse('pushes_throttled', { clientId }, { retryAfter: decision.retryAfter })
}

async function parsePushed(
  received: Parameters,
  { client, now }: { readonly client: AuthenticatedClient; readonly now: EpochSeconds },
  deps: PushEndpointDependencies,
): Promise<AuthorizationRequest> {
  const isSigned = received.get('request') !== undefined && canSignRequests(client)
  // RFC 9126 §3: only the parameters in the request object are used.
  const parameters = isSigned ? await openRequestObject(received, { client, now }, deps) : received
  const redirect = verifyRedirect(parameters, client)
  try {
    return await parseAuthorizationRequest(
      parameters,
      { client, redirect, form: { kind: 'pushing', isSigned } },
      deps.rules,
    )
  } catch (error) {
    // RFC 9126 §2.3: the client itself sent the request, so the response contains the error; there is no redirect.
    throw error instanceof RedirectableError ? error.refusal : error
  }
}

/** The parameters of a request, and how it arrived. */
interface OpenedRequest {
  readonly parameters: Parameters
  readonly form: RequestForm
}

/**
 * Returns the parameters of the request that a browser sends. A `request_uri` of this server is replaced with the
 * pushed parameters, and a request object with the parameters in it; all other parameters except `client_id` are then
 * ignored (RFC 9126 §4, RFC 9101 §6.3).
 * @throws OAuthError invalid_request_uri — reason `request_uri_unknown` | `request_uri_used`; the errors of
 *   `openRequestObject`. All these errors are shown on a local page.
 */
export function openRequest(
  received: Parameters,
  visit: Visit,
  deps: RequestObjectDependencies & OpenDependencies,
): OpenedRequest | Promise<OpenedRequest> {
  const requestUri = pushedReference(received)
  if (requestUri !== undefined) {
    // RFC 9126 §2.2: a browser must bring the pushed request within a short time.
    return openPushed(requestUri, { ...visit, usableUntilOf: ({ usableUntil }) => usableUntil }, deps)
  }
  const isSigned = received.get('request') !== undefined && canSignRequests(visit.client)
  return isSigned ? openSigned(received, visit, deps) : { parameters: received, form: { kind: 'plain', isSigned } }
}

async function openSigned(received: Parameters, visit: Visit, deps: RequestObjectDependencies): Promise<OpenedRequest> {
  return {
    parameters: await openRequestObject(received, visit, deps),
    form: { kind: 'plain', isSigned: true },
  }
}

/**
 * Returns the parameters of an interaction that continues. A pushed request is usable until the interaction expires.
 * Signatures are not verified again: they were verified when the interaction began.
 * @throws OAuthError invalid_request_uri — like `openRequest`.
 */
export async function reopenRequest(kept: Parameters, visit: Visit, deps: OpenDependencies): Promise<OpenedRequest> {
  const sealed = recallSealedPush(kept)
  if (sealed !== undefined) return { parameters: kept, form: { kind: 'pushed', pushed: sealed } }
  const requestUri = pushedReference(kept)
  return requestUri === undefined
    ? { parameters: kept, form: { kind: 'continued' } }
    : openPushed(requestUri, { ...visit, usableUntilOf: ({ expiresAt }) => expiresAt }, deps)
}

interface OpenDependencies {
  readonly storage: OAuthStorage
  readonly pushSeal: PushSeal
}

interface Visit {
  readonly client: ClientRecord
  readonly now: EpochSeconds
  /** Whether the browser repeats a decision, after which the pushed request is used. */
  readonly isRepeated?: boolean
}

/** Returns the reference to a pushed request. References to other documents are not supported (RFC 9101 §10.4). */
function pushedReference(received: Parameters): string | undefined {
  const uri = received.get('request_uri')
  if (uri?.startsWith(prefix) !== true) return undefined
  // RFC 6749 §3.1: parameters must not repeat.
  if (received.isRepeated('request_uri')) throw refuse('parameter_repeated')
  return uri
}

async function openPushed(
  requestUri: string,
  {
    client,
    now,
    isRepeated = false,
    usableUntilOf,
  }: Visit & { readonly usableUntilOf: (found: PushedRequestRecord) => EpochSeconds },
  { storage, pushSeal }: OpenDependencies,
): Promise<OpenedRequest> {
  const { clientId } = client
  const reference = requestUri.slice(prefix.length)
  const sealed = await pushSeal.open(reference)
  const digest = sealed?.digest ?? (await digestSecret(reference))
  const isReadable = sealed !== undefined || isSecret(reference)
  const held = isReadable ? await storage.pushedRequests.find(digest, clientId, now) : undefined
  const stored = held === 'consumed' && isRepeated ? await recallUsed({ digest, clientId }, now, storage) : held
  // RFC 9126 §4: a code was already issued for the pushed request.
  if (stored === 'consumed') throw refuse('request_uri_used', { clientId })
  const found = sealed ?? stored
  // RFC 9126 §2.2, §4: unknown, expired, or of another client. Checked here too, in case the store is faulty.
  if (found === undefined || found.clientId !== clientId || !(now < usableUntilOf(found)))
    throw refuse('request_uri_unknown', { clientId })
  const resources = found.resources.map((resource) => ['resource', resource] as const)
  const parameters = indexParameters([...Object.entries(found.parameters), ...resources])
  const pushed: PushedReference =
    sealed === undefined
      ? { kind: 'stored', digest, requestUri }
      : { kind: 'sealed', digest, expiresAt: found.expiresAt }
  return { parameters, form: { kind: 'pushed', pushed } }
}

/** Returns a request that was consumed before: consuming it again changes nothing. */
async function recallUsed(
  { digest, clientId }: { readonly digest: SecretDigest; readonly clientId: ClientId },
  now: EpochSeconds,
  { pushedRequests }: OAuthStorage,
): Promise<PushedRequestRecord | undefined> {
  const used = await pushedRequests.consume(digest, clientId, now)
  return used.outcome === 'replayed' ? used.record : undefined
}

const isSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/**
 * Consumes the pushed request that a code is issued for. This happens when the code is issued, not when the browser
 * brings the request, so that a user may reload the page (RFC 9126 §4). A sealed request gets its row only now, when a
 * user has signed in.
 * @throws OAuthError invalid_request_uri — reason `request_uri_used`: another tab already got a code for it.
 */
export async function consumePushedRequest(
  { pushed, clientId }: { readonly pushed: PushedReference; readonly clientId: ClientId },
  now: EpochSeconds,
  { storage: { pushedRequests } }: { readonly storage: OAuthStorage },
): Promise<void> {
  const { digest } = pushed
  // If several requests insert the row, one succeeds; if several consume it, one wins.
  if (pushed.kind === 'sealed') await pushedRequests.insert(rowOfSealed(pushed, clientId, now))
  const { outcome } = await pushedRequests.consume(digest, clientId, now)
  // RFC 9126 §4: a request_uri is used for one code.
  if (outcome !== 'won') throw refuse('request_uri_used', { clientId })
}

/** The row without the parameters, which are sealed. */
const rowOfSealed = (
  { digest, expiresAt }: Extract<PushedReference, { kind: 'sealed' }>,
  clientId: ClientId,
  now: EpochSeconds,
): PushedRequestRecord => ({
  digest,
  clientId,
  parameters: {},
  resources: [],
  usableUntil: now,
  createdAt: now,
  expiresAt,
})

/** RFC 9126 §2.2: the prefix of a reference. 256 random bits follow, or a sealed request. */
const prefix = 'urn:ietf:params:oauth:request_uri:'
