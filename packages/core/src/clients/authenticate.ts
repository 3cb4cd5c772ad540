import { isSecretUseDue, type ServerRequest } from '@mintmark/internal'
import {
  type Brand,
  clientId,
  type ClientRecord,
  type EpochSeconds,
  type OAuthStorage,
  type TokenEndpointAuthMethod,
} from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'

import type { Parameters } from '../parameters.ts'
import { bucketOf, type RateLimiter } from '../rate-limiter.ts'
import { refuse, type OAuthError, type RefusalContext } from '../refusals.ts'
import { type ProfileSettings, requireProfile } from './security-profile.ts'

/**
 * A client that authenticated by its registered method, or a public client that identified itself. `instanceKey` is the
 * thumbprint of the key that this instance of the client has proven. Only `authenticateClient` creates it.
 */
export type AuthenticatedClient = Brand<ClientRecord & { readonly instanceKey?: string }, 'AuthenticatedClient'>

export interface ClientAuthenticationDependencies extends ProfileSettings {
  readonly storage: OAuthStorage
  readonly clientAuthentication: readonly ClientAuthentication[]
  /** Reads a client's metadata document again, if that is due, and asks whether the client is still accepted. */
  readonly clientDocuments: {
    refreshIfDue(client: ClientRecord, now: EpochSeconds): Promise<ClientRecord | undefined>
  }
  /**
   * Finds a client that is not stored yet, by the metadata with which it describes itself. Set only for an endpoint that a client may use
   * before any user has consented to the client.
   */
  readonly findByDocument?: (id: string, now: EpochSeconds) => Promise<ClientRecord | undefined>
  /** Counts failed authentications by a hash of the presented `client_id`. */
  readonly failedAuthentications: RateLimiter
}

/**
 * Authenticates the client that sent the request (RFC 6749 §2.3, §3.2.1).
 * @throws OAuthError invalid_request — reason `client_authentication_twice` | `client_id_contradicted`.
 * @throws OAuthError invalid_client — reason `client_authentication_missing` | `client_unknown` | `client_disabled` |
 *   `client_authentication_method` | `client_credentials_wrong` | `client_assertion_audience` |
 *   `client_workload_wrong` | `client_certificate_missing` | `client_certificate_wrong`, and `client_id_contradicted` for an assertion; the
 *   response is the same for all of them.
 * @throws OAuthError unauthorized_client — reason `profile_contradicted`.
 * @throws OAuthError temporarily_unavailable — reason `client_throttled`, after too many failures.
 */
export async function authenticateClient(
  { request, form }: { readonly request: ServerRequest; readonly form: Parameters },
  now: EpochSeconds,
  deps: ClientAuthenticationDependencies,
): Promise<AuthenticatedClient> {
  const credentials = readCredentials(request, form, deps.clientAuthentication)
  const found = await findClient(credentials.clientId, deps.storage)
  const client =
    found === undefined
      ? await deps.findByDocument?.(credentials.clientId ?? '', now)
      : found.origin === 'document' || found.origin === 'open_registration'
        ? await deps.clientDocuments.refreshIfDue(found, now)
        : found
  // Verifies the credentials before it checks the client, so that every refusal takes the same work.
  const proof = await credentials.verify(client, now)

  const failure = authenticationFailure(client, credentials, proof)
  // RFC 6749 §5.2: the same response, whatever failed.
  if (failure !== undefined || client === undefined || proof === undefined || 'reason' in proof)
    throw await countFailedAttempt(failure ?? { reason: 'client_unknown' }, { client, credentials }, { ...deps, now })
  // If the client and the server both have the profile `standard`, as is usual, nothing is forbidden.
  if (client.profile !== 'standard' || deps.minimumProfile !== 'standard') requireProfile(client, deps)
  if (isSecretUseUnrecorded(client, proof.usedSecret, now))
    await deps.storage.clients.touchSecret(client.clientId, proof.usedSecret, now)
  return (
    proof.instanceKey === undefined ? client : { ...client, instanceKey: proof.instanceKey }
  ) as AuthenticatedClient
}

function readCredentials(
  request: ServerRequest,
  form: Parameters,
  methods: readonly ClientAuthentication[],
): PresentedCredentials {
  const presented: PresentedCredentials[] = []
  for (const method of methods) {
    const read = method.read(request, form)
    if (read !== undefined) presented.push(read)
  }
  const usesHostMethod = presented.some(({ method }) => isHostMethod(method))
  // With credentials of a method of the host, client_id only names the client a second time.
  const [credentials, second] = usesHostMethod ? presented.filter(({ method }) => method !== 'none') : presented
  // RFC 6749 §2.3: a client must not use more than one method in a request. RFC 9110 §5.3: Authorization is not a list,
  // so a repeated header is a second method.
  if (second !== undefined || request.repeatedHeaders.has('authorization')) throw refuse('client_authentication_twice')
  if (credentials === undefined) throw refuse('client_authentication_missing')

  const named = form.get('client_id')
  if (named !== undefined && credentials.clientId !== undefined && named !== credentials.clientId) {
    // RFC 7521 §4.2.1: the assertion must be about the client that client_id names.
    if (credentials.method === 'private_key_jwt') throw refuse('client_assertion_contradicted')
    // RFC 6749 §2.3.1: a client_id in the body must name the client that authenticates.
    throw refuse('client_id_contradicted')
  }
  return credentials
}

function findClient(id: string | undefined, storage: OAuthStorage): Promise<ClientRecord | undefined> {
  // RFC 6749 Appendix A.1: a client_id is visible ASCII. Some stores cannot even look up other characters.
  return storage.clients.find(clientId(id !== undefined && isVisibleAscii(id) ? id : ''))
}

function authenticationFailure(
  client: ClientRecord | undefined,
  { method }: PresentedCredentials,
  proof: CredentialProof | AuthenticationFailure | undefined,
): AuthenticationFailure | undefined {
  if (client === undefined) return { reason: 'client_unknown' }
  if (client.disabledAt !== undefined) return { reason: 'client_disabled' }
  const registeredMethod = client.tokenEndpointAuthMethod
  // OIDC Registration §2: a client uses its registered method. Otherwise `none` would let anybody act as a confidential
  // client.
  const presentedMethod = proofMethod(proof) ?? method
  if (!isAcceptedMethod(presentedMethod, registeredMethod))
    return proof !== undefined && 'reason' in proof && proof.reason.startsWith('client_certificate')
      ? proof
      : { reason: 'client_authentication_method', context: { presentedMethod, registeredMethod } }
  if (proof === undefined) return { reason: 'client_credentials_wrong' }
  return 'reason' in proof ? proof : undefined
}

/** Returns the method that a proof names. */
const proofMethod = (
  proof: CredentialProof | AuthenticationFailure | undefined,
): TokenEndpointAuthMethod | undefined => (proof !== undefined && 'method' in proof ? proof.method : undefined)

/**
 * RFC 6749 §2.3.1: a client with a secret may send it by either method, unless it is registered for one. Some libraries
 * use one method to redeem the code, and the other to refresh.
 */
const isAcceptedMethod = (presented: TokenEndpointAuthMethod, registered: TokenEndpointAuthMethod): boolean =>
  presented === registered ||
  (registered === 'client_secret' && (presented === 'client_secret_basic' || presented === 'client_secret_post'))

/** Why the credentials of a client were refused. */
interface AuthenticationFailure {
  readonly reason:
    | 'client_unknown'
    | 'client_disabled'
    | 'client_authentication_method'
    | 'client_assertion_audience'
    | 'client_credentials_wrong'
    | 'client_workload_wrong'
    | 'client_certificate_missing'
    | 'client_certificate_wrong'
  readonly context?: RefusalContext
}

/**
 * Counts the failed attempt towards the rate limit, and returns the refusal. Only failures are limited: a client with
 * correct credentials is never delayed by wrong guesses.
 */
async function countFailedAttempt(
  { reason, context }: AuthenticationFailure,
  { client, credentials }: { readonly client: ClientRecord | undefined; readonly credentials: PresentedCredentials },
  deps: ClientAuthenticationDependencies & { readonly now: EpochSeconds },
): Promise<OAuthError> {
  const decision = await deps.failedAuthentications.consume(counterKey(credentials.clientId ?? ''), deps.now)
  // An unknown identifier may be a secret that was sent in the wrong place, so no event contains it.
  const known = { clientId: client?.clientId }
  if (decision.allowed) return refuse(reason, { ...known, ...context })
  return refuse('client_throttled', known, { retryAfter: decision.retryAfter })
}

/**
 * Returns the rate limiter's key for a presented `client_id`: one of 4,096, so that made-up identifiers cannot make a
 * limiter forget a client, and a secret in the wrong place is not stored. Sharing a key does no harm, because correct
 * credentials are never limited.
 */
const counterKey = (clientId: string): string => `client ${bucketOf(clientId, 4096)}`

/** Whether a secret was used and this must be recorded, which happens at most once an hour. */
function isSecretUseUnrecorded(
  client: ClientRecord,
  used: SecretDigest | undefined,
  now: EpochSeconds,
): used is SecretDigest {
  return used !== undefined && isSecretUseDue(client.secrets.find(({ digest }) => digest === used)?.lastUsedAt, now)
}

/** Proof that the credentials belong to the client. */
export interface CredentialProof {
  /** The digest of the secret that was presented, if any. */
  readonly usedSecret?: SecretDigest
  /** The method that was proven, if the request itself does not show it: a certificate is not in the request. */
  readonly method?: TokenEndpointAuthMethod
  /** The thumbprint of the key of this instance of the client (RFC 7638). */
  readonly instanceKey?: string
}

/** The unverified credentials of a request. */
export interface PresentedCredentials {
  readonly method: TokenEndpointAuthMethod
  /** The presented client_id; `undefined` when it cannot be read. */
  readonly clientId: string | undefined
  /**
   * Verifies the credentials. A secret is checked with the same work for a client that does not exist, so response
   * times do not reveal which clients exist.
   */
  verify(
    client: ClientRecord | undefined,
    now: EpochSeconds,
  ): Promise<CredentialProof | AuthenticationFailure | undefined>
}

/** A client authentication method (RFC 6749 §2.3); discovery lists it. */
export interface ClientAuthentication {
  readonly method: TokenEndpointAuthMethod
  /**
   * Reads the credentials if the request uses this method; otherwise `undefined`.
   * @throws OAuthError when they are malformed.
   */
  read(request: ServerRequest, form: Parameters): PresentedCredentials | undefined
}

/** A method that only the option `clientAuthentication` can add. */
export type HostMethod = `${string}:${string}` | 'attest_jwt_client_auth'

export const isHostMethod = (method: string): method is HostMethod =>
  method === 'attest_jwt_client_auth' || (method.includes(':') && URL.canParse(method))

/** An authenticated client that is not public. Only `requireConfidential` creates it. */
export type ConfidentialClient = Brand<AuthenticatedClient, 'ConfidentialClient'>

/**
 * Refuses a public client.
 * @throws OAuthError invalid_client — reason `client_public`; the response is the same as for every failed
 *   authentication.
 */
export function requireConfidential(client: AuthenticatedClient): ConfidentialClient {
  // RFC 7662 §2.1: the endpoint requires authentication. A public client only identifies itself.
  if (client.tokenEndpointAuthMethod === 'none') throw refuse('client_public', { clientId: client.clientId })
  return client as ConfidentialClient
}

/** Whether the string consists of 1 to 1024 characters of `VSCHAR`, %x20-7E (RFC 6749 Appendix A). */
export const isVisibleAscii = (text: string): boolean => /^[\x20-\x7E]{1,1024}$/.test(text)
