// One file: all rules for client metadata are in this file, because many rules concern several members.

import {
  aBoolean,
  aListOfStrings,
  anObject,
  aString,
  misspelledNameOf,
  oneOf,
  type OptionCheck,
  isCleanName,
} from '@mintmark/internal'
import type { ClientRecord } from '@mintmark/storage-interface'

import type { SigningAlgorithms } from '../keys/ring.ts'
import { type AllowedOrigins, isOutboundUrl } from '../outbound/client.ts'
import { isHostMethod, isVisibleAscii } from './authenticate.ts'
import { hasCertificates, isCertificateName, registeredNames } from './certificate.ts'
import {
  type ClearableChange,
  clientMetadata,
  type DefaultedMetadata,
  type MetadataRule,
  isStandardMethod,
} from './metadata.ts'
import { cibaGrantType, standardGrants } from './grant-types.ts'
import { hasEncryptionKey } from './encrypt-answer.ts'
import { type AcceptedSchemes, isRegistrableRedirectUri, redirectUriProblem } from './redirect-uri.ts'
import { isEndpointOf } from './own-endpoints.ts'
import { isPublicKeySet, readKeySet } from './remote-key-set.ts'
import { crossAppAudiencesProblem } from './cross-app-audiences.ts'
import { workloadProblem } from './workload.ts'
import { clientAlgorithms } from './client-jwt.ts'
import { hasSigningKey } from './usable-keys.ts'
import { contradictions, profileRules, type SecurityProfile } from './security-profile.ts'

/**
 * Refuses members that do not exist, and values that do not have the type in the table. A misspelled member would silently
 * leave a default in force, and so would a value such as `'false'`. In a change, a member such as `secrets` would
 * overwrite what only the server may set.
 * @param undefinable which members may be `undefined`: in a registration that is as if they were left out; in a change
 *   it removes the value, which only some members can be without.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export function refuseMalformed(given: object, undefinable: 'defaulted' | 'clearable'): void {
  const rules = new Map<string, MetadataRule>(Object.entries(clientMetadata))
  for (const [name, value] of Object.entries(given)) {
    const rule = rules.get(name)
    // RFC 7591 §2 lets a server ignore members that it does not understand, but here an administrator has made a mistake.
    if (rule === undefined) throw invalidMetadata(unknownMember(name, [...rules.keys()]))
    const mayBeUndefined = rule.presence === 'clearable' || (undefinable === 'defaulted' && rule.presence === undefined)
    const problem = value === undefined && mayBeUndefined ? undefined : checkOf(rule)(value)
    // RFC 7591 §2: the type of each member.
    if (problem !== undefined) throw invalidMetadata(`${name} ${problem}.`)
  }
}

function unknownMember(name: string, names: readonly string[]): string {
  const meant = misspelledNameOf(name, names)
  return `${name} is not client metadata.${meant === undefined ? '' : ` Did you mean ${meant}?`} The members are ${names.join(', ')}.`
}

function checkOf({ kind, values = [] }: MetadataRule): OptionCheck {
  switch (kind) {
    case 'string':
    // Hosts define methods of their own.
    case 'method':
      return aString
    case 'strings':
      return aListOfStrings
    case 'algorithm':
    case 'choice':
      return oneOf(...values)
    case 'boolean':
      return aBoolean
    case 'seconds':
      // `refuseUnusable` knows which numbers are usable.
      return (value) => (typeof value === 'number' ? undefined : 'must be a number')
    case 'object':
      return anObject
    default:
      return kind satisfies never
  }
}

/**
 * Refuses a client that would be unusable or unsafe. It is called at registration and with the result of each update.
 * @param server its issuer, unless the client describes itself in a document, and the origins of its option
 *   `dangerouslyAllowOutbound`.
 * @throws ClientMetadataError invalid_redirect_uri | invalid_client_metadata.
 */
export function refuseUnusable(
  client: ClientRecord,
  { issuer, allowedOrigins = [] }: { readonly issuer?: string; readonly allowedOrigins?: AllowedOrigins | undefined },
): void {
  // RFC 6749 Appendix A.1: client_id is visible ASCII.
  if (!isVisibleAscii(client.clientId) || client.clientId.trim() !== client.clientId)
    throw invalidMetadata('client_id must be visible ASCII.')
  if (client.clientName.trim() === '') throw invalidMetadata('client_name must not be empty.')
  // RFC 7591 §5: a client must not look like another one on the pages.
  if (!isCleanName(client.clientName))
    throw invalidMetadata('client_name must be one line without invisible characters and direction marks.')
  refuseUnusableRedirects(client)
  refuseUnusableKeys(client, allowedOrigins)
  // RFC 7523 §3.
  const problem = workloadProblem(client) ?? crossAppAudiencesProblem(client)
  if (problem !== undefined) throw invalidMetadata(problem)
  refuseUnusableEncryption(client)
  refuseUnusableCertificates(client)
  refuseUnusableLogoutUris(client, allowedOrigins)
  refuseUnusableBackchannel(client, allowedOrigins)
  // RFC 9700 §4.11: an endpoint of this server would receive the response, and might redirect it.
  const redirects = [...client.redirectUris, ...client.postLogoutRedirectUris]
  if (issuer !== undefined && redirects.some((uri) => isEndpointOf(issuer, uri)))
    throw new ClientMetadataError('invalid_redirect_uri', 'A redirect URI must not be an endpoint of this server.')
  refuseUnusablePages(client, allowedOrigins)
  // RFC 6749 §3.3: a request could never contain any other value.
  if (!client.scopes.every(isScopeToken))
    throw invalidMetadata('Each scope value must be visible ASCII without spaces, quotes and backslashes.')
  // RFC 8707 §2: a request could never name any other value.
  if (client.resources?.every(isResourceUri) === false)
    throw invalidMetadata('Each resource must be an absolute URI without a fragment.')
  // OIDC Registration §2: whole seconds. Stores might change or reject any other number.
  if (client.defaultMaxAge !== undefined && !isSeconds(client.defaultMaxAge))
    throw invalidMetadata('default_max_age must be a whole number of seconds, 0 or more.')
  // RFC 6749 §4.5: the name of any other grant is an absolute URI.
  const unknownGrant = client.grantTypes.find((name) => !isStandardGrant(name) && !URL.canParse(name))
  if (unknownGrant !== undefined)
    throw invalidMetadata(`Each grant type must be ${standardGrants.join(', ')}, or an absolute URI.`)
  // RFC 6749 §2.3.2: any other method is defined by the host.
  if (!isStandardMethod(client.tokenEndpointAuthMethod) && !isHostMethod(client.tokenEndpointAuthMethod))
    throw invalidMetadata('token_endpoint_auth_method must be a method that discovery lists, or an absolute URI.')
  refuseContradictions(client)
  // RFC 6749 §4.4: the grant is for confidential clients only.
  if (client.tokenEndpointAuthMethod === 'none' && client.grantTypes.includes('client_credentials')) {
    throw invalidMetadata('A public client cannot use the client credentials grant.')
  }
}

/**
 * Refuses metadata with an algorithm that the server does not sign with.
 * @param before the client before an update. A value that it already had is not checked: the default RS256 stands for
 *   the server's first algorithm, and an administrator can still change the rest.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export function refuseUnsignable(
  metadata: { readonly [Name in keyof typeof clientMetadata]?: unknown },
  keys: SigningAlgorithms | undefined,
  before?: ClientRecord,
): void {
  // RFC 7591 §3.2.2: no response to this client could be signed.
  if (
    keys !== undefined &&
    !requestedAlgorithms(metadata, before).every((name) => keys.algorithms.some((own) => own === name))
  ) {
    throw invalidMetadata(
      'The server does not sign with an algorithm of the client. Use an algorithm that discovery lists.',
    )
  }
}

/** What an authorization server accepts of its clients: `clientRules` of the server. */
export interface ClientRules {
  /** The scope values that exist. */
  readonly scopes: readonly string[]
  /** The APIs that exist, by their resource indicators (RFC 8707). */
  readonly resources: readonly string[]
  /** The profile whose rules every client must meet. */
  readonly minimumProfile: SecurityProfile
  /** The names of the authentication methods that the host defines. */
  readonly ownAuthenticationMethods: readonly string[]
}

/**
 * Refuses a client that the server would never serve; the error lists all reasons. Checks only the scope values,
 * resources and authentication method that a change sets: if the server no longer has a value that the client already
 * had, an administrator can still change the rest.
 * @throws ClientMetadataError invalid_client_metadata.
 */
export function refuseUnserved(
  client: ClientRecord,
  given: DefaultedMetadata & ClearableChange,
  rules: ClientRules | undefined,
): void {
  if (rules === undefined) return
  const found = [
    ...unknownAmong(given.scopes, rules.scopes).map((name) => `the server has no scope value ${name}`),
    ...unknownAmong(given.resources, rules.resources).map((name) => `the server has no resource ${name}`),
    ...hostMethodsOf(given)
      .filter((name) => !rules.ownAuthenticationMethods.includes(name))
      .map((name) => `the server has no authentication method ${name}`),
    ...contradictions(client, profileRules(client, rules)).map(
      (reason) => `the minimum profile of the server requires that ${reason}`,
    ),
  ]
  // RFC 7591 §3.2.2.
  if (found.length > 0) throw invalidMetadata(`The server would refuse this client: ${found.join('; ')}.`)
}

const hostMethodsOf = ({ tokenEndpointAuthMethod: method }: DefaultedMetadata): readonly string[] =>
  method === undefined || isStandardMethod(method) ? [] : [method]

/** Returns at most ten values that are not known. */
const unknownAmong = (values: readonly string[] = [], known: readonly string[]): readonly string[] =>
  values.filter((value) => !known.includes(value)).slice(0, 10)

/** Returns the signing algorithms that a registration or a change requests. */
function requestedAlgorithms(metadata: object, before: ClientRecord | undefined): readonly string[] {
  const given = new Map<string, unknown>(Object.entries(metadata))
  const previous = new Map<string, unknown>(Object.entries(before ?? {}))
  return Object.entries(clientMetadata).flatMap(([name, { kind }]) => {
    const value = kind === 'algorithm' ? given.get(name) : undefined
    return typeof value === 'string' && value !== previous.get(name) ? [value] : []
  })
}

function refuseUnusableRedirects(client: ClientRecord): void {
  for (const uri of client.redirectUris) {
    // RFC 6749 §3.1.2, RFC 9700 §2.1.
    const problem = redirectUriProblem(uri, schemesOf(client))
    if (problem !== undefined) throw new ClientMetadataError('invalid_redirect_uri', problem)
  }
  // RFC 8252 §8.1: any app can claim such a scheme and receive the code, which it cannot redeem without the verifier.
  if (client.allowSchemesWithoutDot && client.tokenEndpointAuthMethod !== 'none' && !client.requirePkce)
    throw invalidMetadata('allow_schemes_without_dot needs token_endpoint_auth_method none, or require_pkce.')
  // RFC 6749 §3.1.2.2.
  if (client.grantTypes.includes('authorization_code') && client.redirectUris.length === 0) {
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      'A client that uses the authorization code grant needs a redirect URI.',
    )
  }
}

/** Which schemes without a dot the client may have. For open registration, the operator has listed them. */
const schemesOf = ({ allowSchemesWithoutDot, origin }: ClientRecord): AcceptedSchemes =>
  allowSchemesWithoutDot || origin === 'open_registration' ? 'any' : []

function refuseUnusableKeys(client: ClientRecord, allowedOrigins: AllowedOrigins): void {
  const needsKeys = client.tokenEndpointAuthMethod === 'private_key_jwt' || mustSignRequests(client)
  // RFC 7591 §2: jwks and jwks_uri exclude each other.
  if (client.jwks !== undefined && client.jwksUri !== undefined)
    throw invalidMetadata('A client must not have both jwks and jwks_uri.')
  if (needsKeys && client.jwks === undefined && client.jwksUri === undefined)
    throw invalidMetadata('private_key_jwt and signed request objects need either jwks or jwks_uri.')
  // RFC 7517 §9.2: private keys stay with the client.
  if (client.jwks !== undefined && !isPublicKeySet(readKeySet(client.jwks)))
    throw invalidMetadata('jwks must contain at least one public key, and no private or symmetric key.')
  if (needsKeys && client.jwks !== undefined) refuseUnusableSigningKeys(client)
  if (client.jwksUri !== undefined && !isOutboundUrl(client.jwksUri, allowedOrigins))
    throw invalidMetadata('jwks_uri must use https, a host name and the default port.')
}

/** Refuses a key set with which every request of the client would fail. */
function refuseUnusableSigningKeys(client: ClientRecord): void {
  const keySet = readKeySet(client.jwks)
  const requestAlgorithms = {
    request_object_signing_alg: client.requestObjectSigningAlg,
    backchannel_authentication_request_signing_alg: client.backchannelAuthenticationRequestSigningAlg,
  }
  if (!hasSigningKey(keySet, clientAlgorithms))
    throw invalidMetadata(
      `jwks must contain a key for one of the algorithms ${clientAlgorithms.join(', ')}: RSA with at least 2048 bits, P-256 or Ed25519, not for encryption, and with a kid of its own if there are several.`,
    )
  for (const [name, algorithm] of Object.entries(requestAlgorithms)) {
    if (algorithm !== undefined && !hasSigningKey(keySet, [algorithm]))
      throw invalidMetadata(`${name} needs jwks with a key for ${algorithm}.`)
  }
}

function refuseUnusableEncryption(client: ClientRecord): void {
  const encryptedResponses = [
    ['id_token', client.idTokenEncryptedResponseAlg, client.idTokenEncryptedResponseEnc],
    ['userinfo', client.userinfoEncryptedResponseAlg, client.userinfoEncryptedResponseEnc],
    ['introspection', client.introspectionEncryptedResponseAlg, client.introspectionEncryptedResponseEnc],
    ['authorization', client.authorizationEncryptedResponseAlg, client.authorizationEncryptedResponseEnc],
  ] as const
  for (const [name, algorithm, contentEncryption] of encryptedResponses) {
    // OIDC Registration §2: `enc` is permitted only together with `alg`.
    if (algorithm === undefined && contentEncryption !== undefined)
      throw invalidMetadata(`${name}_encrypted_response_enc needs ${name}_encrypted_response_alg.`)
    if (algorithm === undefined || client.jwksUri !== undefined) continue
    // OIDC Core §10.2. The keys at jwks_uri are read when a response is encrypted.
    if (!hasEncryptionKey(readKeySet(client.jwks), algorithm))
      throw invalidMetadata(
        `${name}_encrypted_response_alg needs jwks with a suitable key with use "enc", or jwks_uri.`,
      )
  }
  // OIDC Core §5.3.2: without a signature, anyone with the public key could have written the response.
  if (client.userinfoEncryptedResponseAlg !== undefined && client.userinfoSignedResponseAlg === undefined)
    throw invalidMetadata('userinfo_encrypted_response_alg needs userinfo_signed_response_alg.')
  // JARM §2.2: a response is signed, then encrypted.
  if (client.authorizationEncryptedResponseAlg !== undefined && client.authorizationSignedResponseAlg === undefined)
    throw invalidMetadata('authorization_encrypted_response_alg needs authorization_signed_response_alg.')
}

function refuseUnusableCertificates(client: ClientRecord): void {
  const names = registeredNames(client)
  const isNamed = client.tokenEndpointAuthMethod === 'tls_client_auth'
  // RFC 8705 §2.1.2: exactly one name. With another method, a name would have no effect.
  if (isNamed && names.length !== 1)
    throw invalidMetadata('tls_client_auth needs exactly one of the members that begin with tls_client_auth_.')
  if (!isNamed && names.length > 0)
    throw invalidMetadata('Members that begin with tls_client_auth_ are only for the method tls_client_auth.')
  if (!names.every(isCertificateName))
    throw invalidMetadata('The name in tls_client_auth_... cannot be in a certificate. Wildcards are not accepted.')
  // RFC 8705 §2.2.2.
  if (client.tokenEndpointAuthMethod === 'self_signed_tls_client_auth') {
    if (client.jwks === undefined && client.jwksUri === undefined)
      throw invalidMetadata('self_signed_tls_client_auth needs either jwks or jwks_uri.')
    if (client.jwks !== undefined && !hasCertificates(client.jwks))
      throw invalidMetadata('self_signed_tls_client_auth needs jwks with a key that has x5c.')
  }
  // RFC 7800 §3.1: a token is bound to one key.
  if (client.dpopBoundAccessTokens && client.tlsClientCertificateBoundAccessTokens)
    throw invalidMetadata(
      'A client must not have both dpop_bound_access_tokens and tls_client_certificate_bound_access_tokens.',
    )
}

/** Reports all contradictions at once, so that an administrator can resolve them together. */
function refuseContradictions(client: ClientRecord): void {
  const found = contradictions(client, profileRules(client, { minimumProfile: 'standard' }))
  // FAPI 2.0 SP §5.3.2.
  if (found.length > 0)
    throw invalidMetadata(`The registration contradicts the profile ${client.profile}: ${found.join('; ')}.`)
}

const mustSignRequests = (client: ClientRecord): boolean =>
  client.requireSignedRequestObject ||
  client.requestObjectSigningAlg !== undefined ||
  client.backchannelAuthenticationRequestSigningAlg !== undefined

function refuseUnusableLogoutUris(client: ClientRecord, allowedOrigins: AllowedOrigins): void {
  const { postLogoutRedirectUris, backchannelLogoutUri, frontchannelLogoutUri } = client
  // RP-Initiated Logout §3.1: the browser is redirected there, with `state`.
  if (!postLogoutRedirectUris.every((uri) => isRegistrableRedirectUri(uri, schemesOf(client))))
    throw invalidMetadata('A post_logout_redirect_uri must have the form of a redirect URI.')
  // Back-Channel Logout §2.2: the URI has no fragment. The server itself sends requests to it.
  if (backchannelLogoutUri !== undefined && !isOutboundUrl(backchannelLogoutUri, allowedOrigins))
    throw invalidMetadata('backchannel_logout_uri must use https, a host name and the default port.')
  if (frontchannelLogoutUri === undefined) return
  // Front-Channel Logout §2: otherwise the browser would load a page that is not the client's when a user signs out.
  if (!isRegistrableRedirectUri(frontchannelLogoutUri) || !sharesOrigin(frontchannelLogoutUri, client.redirectUris))
    throw invalidMetadata(
      'frontchannel_logout_uri must have the scheme, host and port of a redirect URI of the client.',
    )
}

function refuseUnusableBackchannel(client: ClientRecord, allowedOrigins: AllowedOrigins): void {
  const { backchannelClientNotificationEndpoint: endpoint } = client
  // CIBA Core 1.0 §7.1: the client authenticates, because its request disturbs a user.
  if (client.grantTypes.includes(cibaGrantType) && client.tokenEndpointAuthMethod === 'none')
    throw invalidMetadata(`A public client cannot use the grant type ${cibaGrantType}.`)
  // CIBA Core 1.0 §4. The server itself sends requests to the endpoint.
  if (client.backchannelTokenDeliveryMode === 'ping' && endpoint === undefined)
    throw invalidMetadata('The delivery mode ping needs backchannel_client_notification_endpoint.')
  if (endpoint !== undefined && !isOutboundUrl(endpoint, allowedOrigins))
    throw invalidMetadata('backchannel_client_notification_endpoint must use https, a host name and the default port.')
}

function refuseUnusablePages(client: ClientRecord, allowedOrigins: AllowedOrigins): void {
  const { clientUri, policyUri, tosUri, logoUri, initiateLoginUri } = client
  // RFC 7591 §2: users open them from the consent page.
  for (const [name, uri] of Object.entries({ client_uri: clientUri, policy_uri: policyUri, tos_uri: tosUri })) {
    if (uri !== undefined && !isWebPage(uri)) throw invalidMetadata(`${name} must be the https URL of a page.`)
  }
  // OIDC Registration §2. Parameters are appended to it.
  if (initiateLoginUri !== undefined && (!isWebPage(initiateLoginUri) || initiateLoginUri.includes('#')))
    throw invalidMetadata('initiate_login_uri must be an https URL without a fragment.')
  // RFC 7591 §5: the server itself fetches it.
  if (logoUri !== undefined && !isOutboundUrl(logoUri, allowedOrigins))
    throw invalidMetadata('logo_uri must use https, a host name and the default port.')
}

/**
 * Whether a page of this server may link to the address: it uses https, and has no credentials that would disguise its
 * host.
 */
export function isWebPage(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, username, password } = new URL(uri)
  return protocol === 'https:' && username === '' && password === ''
}

/**
 * Whether a web address has the same scheme, host and port as one of the others. Private-use schemes have no origin.
 */
const sharesOrigin = (address: string, others: readonly string[]): boolean =>
  /^https?:/.test(address) && others.some((other) => new URL(other).origin === new URL(address).origin)

const isStandardGrant = (name: string): boolean => standardGrants.some((grant) => grant === name)

const isScopeToken = (scope: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(scope)

/** Whether a string is an absolute URI without fragment (RFC 8707 §2). */
export const isResourceUri = (uri: string): boolean => URL.canParse(uri) && !uri.includes('#') && !/\s/.test(uri)

const isSeconds = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Creates the error for invalid metadata. The description says what to change. */
export const invalidMetadata = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)

/**
 * A registration or a change was refused. `code` is an error code of RFC 7591 §3.2.2; `description` says which member
 * is wrong and why.
 */
export class ClientMetadataError extends Error {
  override readonly name = 'ClientMetadataError'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly description: string

  constructor(code: ClientMetadataError['code'], description: string) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
  }
}
