import { cacheLatest, type Endpoint, proofAlgorithms } from '@mintmark/internal'
import { codeChallengeMethods, prompts } from '../authorize/parameters.ts'
import { responseModes } from '../authorize/response.ts'
import type { DetailTypes } from '../permissions/detail-types.ts'
import { claimsOfScope, type ScopeRegistry } from '../permissions/scopes.ts'
import type { OAuthStorage } from '@mintmark/storage-interface'
import { certificateMethods } from '../clients/certificate.ts'
import type { ClientAuthentication } from '../clients/authenticate.ts'
import { clientAlgorithms } from '../clients/client-jwt.ts'
import { contentEncryptions, encryptionAlgorithms } from '../clients/encrypt-answer.ts'
import { minimumRules, type ProfileSettings } from '../clients/security-profile.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { DiscoveryOptions } from '../options.ts'
import type { MutualTls } from '../sender/client-certificate.ts'
import type { GrantType } from '../tokens/grant.ts'
import { idJagTokenType } from '../token/grants/id-jag.ts'
import { idTokenClaims } from '../tokens/protocol-claims.ts'
import { publicDocument } from '../keys/public-document.ts'

/** Serves the metadata document. It is created at the first request and needs no storage. */
export function metadataEndpoint(metadata: Readonly<Record<string, unknown>>): Endpoint {
  const document = cacheLatest(() => publicDocument(metadata))
  return async (request) => (await document())(request)
}

/** The registries that the metadata is computed from, so that it lists exactly what the server supports. */
export interface MetadataSources extends ProfileSettings {
  readonly issuer: string
  readonly endpoints: Readonly<Record<EndpointName, string>> & {
    readonly revocation_feed_endpoint?: string
    readonly end_session_endpoint?: string
    readonly grant_management_endpoint?: string
    readonly device_authorization_endpoint?: string
    readonly backchannel_authentication_endpoint?: string
  }
  readonly logout: { readonly frontChannel: boolean } | undefined
  /** `undefined` when clients cannot name users. */
  readonly ciba: { readonly verifyUserCode?: unknown } | undefined
  /** `undefined` when no notifications are sent. */
  readonly pings: object | undefined
  /** Whether clients get logout tokens. */
  readonly sendsLogouts: boolean
  readonly grants: readonly GrantType[]
  readonly clientAuthentication: readonly ClientAuthentication[]
  readonly mutualTls: MutualTls | undefined
  readonly requirePushedRequests: boolean
  readonly acceptsClientDocuments: boolean
  readonly crossAppAccess: { readonly accepts: boolean; readonly issues: boolean }
  readonly scopes: ScopeRegistry
  readonly detailTypes: DetailTypes
  readonly keys: KeyRing
  readonly storage: Pick<OAuthStorage, 'subjects'>
  readonly discovery: DiscoveryOptions
}

/** What the host states about itself in the metadata; JSON omits absent members. */
const statementsOf = (stated: DiscoveryOptions) => ({
  acr_values_supported: stated.acrValues,
  ui_locales_supported: stated.uiLocales,
  service_documentation: stated.serviceDocumentation,
  // RFC 8414 §2.
  registration_endpoint: stated.registrationEndpoint,
  op_policy_uri: stated.policyUri,
  op_tos_uri: stated.termsUri,
})

/** The endpoints by their metadata names (RFC 8414 §2, OIDC Discovery §3). */
export type EndpointName =
  | 'authorization_endpoint'
  | 'pushed_authorization_request_endpoint'
  | 'token_endpoint'
  | 'userinfo_endpoint'
  | 'introspection_endpoint'
  | 'revocation_endpoint'
  | 'jwks_uri'

/** Returns the metadata document, the same for OpenID Connect Discovery and for RFC 8414. */
export function serverMetadata(sources: MetadataSources): Readonly<Record<string, unknown>> {
  const { authenticationMethods, algorithms: permitted } = minimumRules(sources)
  const permittedAmong = <Name extends string>(names: readonly Name[]): readonly Name[] =>
    names.filter((name) => permitted?.includes(name) !== false)
  const signingAlgorithms = permittedAmong(sources.keys.algorithms)
  const assertionAlgorithms = permittedAmong(clientAlgorithms)
  const authMethods = [
    ...sources.clientAuthentication.map(({ method }) => method),
    ...(sources.mutualTls === undefined ? [] : certificateMethods),
  ].filter((method) => authenticationMethods?.includes(method) !== false)
  return {
    issuer: sources.issuer,
    ...sources.endpoints,
    scopes_supported: [...sources.scopes.keys()],
    response_types_supported: ['code'],
    response_modes_supported: responseModes.map(({ mode }) => mode),
    grant_types_supported: sources.grants.map(({ grantType }) => grantType),
    // OIDC Core §8.
    subject_types_supported: sources.storage.subjects === undefined ? ['public'] : ['public', 'pairwise'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    userinfo_signing_alg_values_supported: signingAlgorithms,
    introspection_signing_alg_values_supported: signingAlgorithms,
    // OIDC Discovery §3, RFC 9701 §7.
    id_token_encryption_alg_values_supported: encryptionAlgorithms,
    id_token_encryption_enc_values_supported: contentEncryptions,
    userinfo_encryption_alg_values_supported: encryptionAlgorithms,
    userinfo_encryption_enc_values_supported: contentEncryptions,
    introspection_encryption_alg_values_supported: encryptionAlgorithms,
    introspection_encryption_enc_values_supported: contentEncryptions,
    // JARM §4.
    authorization_signing_alg_values_supported: signingAlgorithms,
    authorization_encryption_alg_values_supported: encryptionAlgorithms,
    authorization_encryption_enc_values_supported: contentEncryptions,
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    // RFC 8414 §2: required where private_key_jwt is among the methods.
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: authMethods.filter((method) => method !== 'none'),
    revocation_endpoint_auth_methods_supported: authMethods,
    ...(authMethods.includes('attest_jwt_client_auth') && attestationAlgorithms),
    claim_types_supported: ['normal'],
    claims_supported: [
      ...new Set([
        ...idTokenClaims,
        ...[...sources.scopes.keys()].flatMap((name) => claimsOfScope(name, sources.scopes)),
      ]),
    ],
    code_challenge_methods_supported: codeChallengeMethods,
    prompt_values_supported: prompts,
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    // RFC 9449 §5.1.
    dpop_signing_alg_values_supported: proofAlgorithms,
    // RFC 9126 §5.
    require_pushed_authorization_requests: sources.requirePushedRequests,
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: assertionAlgorithms,
    request_uri_parameter_supported: false,
    ...optionalMetadata(sources, assertionAlgorithms),
    ...statementsOf(sources.discovery),
  }
}

/** Returns the members of features that the host has turned on. */
const optionalMetadata = (sources: MetadataSources, assertionAlgorithms: readonly string[]) => ({
  // RFC 8705 §3.3, §5.
  ...(sources.mutualTls !== undefined && { tls_client_certificate_bound_access_tokens: true }),
  ...(sources.mutualTls?.aliasOrigin !== undefined && {
    mtls_endpoint_aliases: aliasesOf(sources.endpoints, sources.mutualTls.aliasOrigin),
  }),
  // Grant Management §7.1.
  ...(sources.endpoints.grant_management_endpoint !== undefined && {
    grant_management_actions_supported: ['query', 'revoke'],
  }),
  // ID-JAG §7.1, §7.2.
  ...(sources.crossAppAccess.issues && { identity_chaining_requested_token_types_supported: [idJagTokenType] }),
  ...(sources.crossAppAccess.accepts && {
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  }),
  // Client ID Metadata Document §6.
  ...(sources.acceptsClientDocuments && { client_id_metadata_document_supported: true }),
  // RFC 9396 §10.
  ...(sources.detailTypes.size > 0 && { authorization_details_types_supported: [...sources.detailTypes.keys()] }),
  // CIBA Core 1.0 §4.
  ...(sources.ciba !== undefined && {
    backchannel_token_delivery_modes_supported: sources.pings === undefined ? ['poll'] : ['poll', 'ping'],
    backchannel_authentication_request_signing_alg_values_supported: assertionAlgorithms,
    backchannel_user_code_parameter_supported: sources.ciba.verifyUserCode !== undefined,
  }),
  // Back-Channel Logout §2.1.
  ...(sources.sendsLogouts && {
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  }),
  // Front-Channel Logout §3.
  ...(sources.logout?.frontChannel === true && {
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  }),
})

/**
 * Returns the endpoints that authenticate clients or accept bound tokens, at the origin with mutual TLS (RFC 8705 §5).
 */
const aliasesOf = (endpoints: MetadataSources['endpoints'], origin: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(endpoints).flatMap(([name, url]) =>
      withoutAlias.includes(name) ? [] : [[name, origin + new URL(url).pathname]],
    ),
  )

/** Endpoints that browsers visit, or whose content is public. */
const withoutAlias: readonly string[] = ['authorization_endpoint', 'end_session_endpoint', 'jwks_uri']

/**
 * Returns the paths at which clients look for the metadata. OpenID Connect appends the well-known path to the issuer's
 * path (OIDC Discovery §4), RFC 8414 §3.1 inserts it before the issuer's path, and some clients combine the form of one
 * with the name of the other.
 */
export function wellKnownPaths(issuerPath: string): readonly string[] {
  const names = ['openid-configuration', 'oauth-authorization-server']
  const paths = names.flatMap((name) => [`${issuerPath}/.well-known/${name}`, `/.well-known/${name}${issuerPath}`])
  return [...new Set(paths)]
}

/** Attestation-Based Client Authentication §8. */
const attestationAlgorithms = {
  client_attestation_signing_alg_values_supported: clientAlgorithms,
  client_attestation_pop_signing_alg_values_supported: clientAlgorithms,
}
