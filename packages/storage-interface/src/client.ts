import { clientId, providerId, userId, type ClientId, type SecretDigest, type EpochSeconds } from './values.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import {
  defineRecord,
  erased,
  flag,
  id,
  integer,
  key,
  list,
  json,
  oneOf,
  optional,
  secretList,
  spread,
  storedAs,
  text,
  textOf,
  time,
  type RecordOf,
  type RecordOfFields,
} from './records/define-record.ts'

/**
 * How a client proves who it is at the token endpoint (OIDC Core §9, RFC 8414 §2). `none` makes it a public client.
 * `client_secret` allows both `client_secret_basic` and `client_secret_post`. A method that the host implements is an absolute URI,
 * or `attest_jwt_client_auth`.
 */
export type TokenEndpointAuthMethod =
  | 'none'
  | 'client_secret'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'
  | 'tls_client_auth'
  | 'self_signed_tls_client_auth'
  | 'attest_jwt_client_auth'
  | `${string}:${string}`

/**
 * How a client was created: an administrator registered it, it registered itself with a permission (RFC 7591) or without one
 * (Appendix A.1.1), it describes itself at the URL that is its `client_id` (Client ID Metadata Document), or a directory provisioned
 * it as an agent.
 */
export type ClientOrigin = 'administrator' | 'registration' | 'open_registration' | 'document' | 'directory'

const agentFields = {
  /** The identity provider (IdP) that provisions the agent. It never changes. */
  providerId: storedAs('agent_provider_id', id(providerId)),
  /** The user of that provider who is accountable for the agent. */
  ownerUserId: storedAs('agent_owner_user_id', id(userId)),
  /** The provider's identifier of the agent, at most 255 characters. It never changes. */
  externalId: storedAs('agent_external_id', optional(text)),
  /** The SCIM resource without `id`, `externalId`, `active` and `meta`. */
  resource: storedAs('agent_resource', json),
  /** When the provider last changed it. */
  updatedAt: storedAs('agent_updated_at', time),
  /**
   * When the provider, or the end of its owner or its provider, disabled it. `undefined` while the client is enabled, and while an
   * administrator has disabled it: the provider cannot enable it then.
   */
  endedAt: storedAs('agent_ended_at', optional(time)),
}

/** What makes a client an agent (draft-wzdk-scim-agent-resource): a directory provisions it, and one of its users owns it. */
export interface AgentRecord extends RecordOfFields<typeof agentFields> {}

/** Clients. Member names follow RFC 7591 §2. */
export const clients = defineRecord(
  'clients',
  {
    clientId: key(id(clientId)),
    /** Shown to users on the consent page. */
    clientName: erased(text),
    /** Pages of the client, to which the consent page links: about it, its privacy policy and its terms of service. */
    clientUri: erased(optional(text)),
    policyUri: erased(optional(text)),
    tosUri: erased(optional(text)),
    /** Its logo on the consent page. */
    logoUri: erased(optional(text)),
    /** Where others can send a user to sign in to the client (OIDC Core §4). */
    initiateLoginUri: erased(optional(text)),
    tokenEndpointAuthMethod: textOf<TokenEndpointAuthMethod>(),
    secrets: erased(secretList()),
    /** Public keys for `private_key_jwt` and request objects, as a JWK set; `undefined` when the client has none or publishes them at `jwksUri`. */
    jwks: erased(optional(json)),
    jwksUri: erased(optional(text)),
    /** How the JWT of its platform identifies it (RFC 7523 §3); `undefined` when it signs its assertions itself. */
    workload: erased(optional(json)),
    /**
     * The authorization servers for which it gets ID-JAGs, by their issuer (draft-ietf-oauth-identity-assertion-authz-grant);
     * `undefined` if it gets none.
     */
    crossAppAudiences: erased(optional(json)),
    redirectUris: erased(list(text)),
    grantTypes: list(text),
    /** The scope values that the client may ask for. */
    scopes: list(text),
    /** The audiences of which the client is the resource server: it may introspect tokens for them (RFC 7662 §4). */
    servedAudiences: list(text),
    /** The algorithm that signs its ID tokens. */
    idTokenSignedResponseAlg: text,
    /** The algorithm that signs its userinfo responses; `undefined` means plain JSON. */
    userinfoSignedResponseAlg: optional(text),
    /** The algorithms that encrypt its ID tokens; `undefined` means that they are not encrypted. */
    idTokenEncryptedResponseAlg: optional(text),
    idTokenEncryptedResponseEnc: optional(text),
    /** The algorithms that encrypt its userinfo responses. */
    userinfoEncryptedResponseAlg: optional(text),
    userinfoEncryptedResponseEnc: optional(text),
    /** The algorithms that encrypt its signed introspection responses (RFC 9701 §6). */
    introspectionEncryptedResponseAlg: optional(text),
    introspectionEncryptedResponseEnc: optional(text),
    /** The algorithms that encrypt its signed authorization responses (JARM §3). */
    authorizationEncryptedResponseAlg: optional(text),
    authorizationEncryptedResponseEnc: optional(text),
    /** Seconds after which a user must sign in again when the request has no `max_age` (OIDC Registration §2). */
    defaultMaxAge: optional(integer),
    requireAuthTime: flag,
    /** Its authorization requests need a PKCE challenge. Requests of a public client always need one (RFC 9700 §2.1.1). */
    requirePkce: flag,
    /** The security profile whose rules apply to it, such as `standard` or `fapi2`. */
    profile: text,
    /** Its authorization requests must be pushed (RFC 9126 §6). */
    requirePushedAuthorizationRequests: flag,
    /** The algorithm of its request objects (RFC 9101); `undefined` means any that its keys and the server have. */
    requestObjectSigningAlg: optional(text),
    /** Its authorization requests must be signed (RFC 9101 §10.5). */
    requireSignedRequestObject: flag,
    /** The algorithm that signs its authorization responses (JARM §3); `undefined` means that they are not signed. */
    authorizationSignedResponseAlg: optional(text),
    /** The algorithm that signs its introspection responses (RFC 9701 §6); `undefined` means RS256. */
    introspectionSignedResponseAlg: optional(text),
    /** Its token requests must prove possession of a key, to which its access tokens are bound (RFC 9449 §5.2). */
    dpopBoundAccessTokens: flag,
    /** Its token requests must present a certificate, to which its access tokens are bound (RFC 8705 §3.4). */
    tlsClientCertificateBoundAccessTokens: flag,
    /** The name in the certificate of a client with `tls_client_auth`: exactly one of the five (RFC 8705 §2.1.2). */
    tlsClientAuthSubjectDn: erased(optional(text)),
    tlsClientAuthSanDns: erased(optional(text)),
    tlsClientAuthSanUri: erased(optional(text)),
    tlsClientAuthSanIp: erased(optional(text)),
    tlsClientAuthSanEmail: erased(optional(text)),
    /** Its assertions may name the URL of the token endpoint as their audience (RFC 7523 §3) instead of the issuer. */
    allowTokenEndpointAudience: flag,
    /** Its redirect URIs may have a scheme without a dot, such as `vscode`, which RFC 8252 §7.1 does not want. */
    allowSchemesWithoutDot: flag,
    /** The APIs that it may request tokens for (RFC 8707); `undefined` means all APIs that define one of its scope values. */
    resources: optional(list(text)),
    /** The types of authorization details that it may request (RFC 9396 §10). */
    authorizationDetailsTypes: list(text),
    /** Where users may return to after signing out (RP-Initiated Logout §3.1). */
    postLogoutRedirectUris: erased(list(text)),
    /** Receives logout tokens from the server (Back-Channel Logout §2.2). */
    backchannelLogoutUri: erased(optional(text)),
    backchannelLogoutSessionRequired: flag,
    /** Loaded in a frame of the user's browser at sign-out (Front-Channel Logout §2). */
    frontchannelLogoutUri: erased(optional(text)),
    frontchannelLogoutSessionRequired: flag,
    /** How it learns of a decision of a user whom it named (CIBA Core 1.0 §4); `undefined` means that it polls. */
    backchannelTokenDeliveryMode: optional(text),
    /** Receives the notification that a user has decided, in the delivery mode `ping`. */
    backchannelClientNotificationEndpoint: erased(optional(text)),
    /** The algorithm of its backchannel authentication requests; `undefined` means that they are not signed. */
    backchannelAuthenticationRequestSigningAlg: optional(text),
    /** Whether its users protect themselves from unwanted requests with a code (CIBA Core 1.0 §7.1). */
    backchannelUserCodeParameter: flag,
    /** Whether its users have the same `sub` at every client, or a different one in each sector (OIDC Core §8). */
    subjectType: oneOf<SubjectType>('public', 'pairwise'),
    /** The https URL whose host is its sector, and whose document lists its redirect URIs (OIDC Core §8.1). */
    sectorIdentifierUri: erased(optional(text)),
    /** The organization that the client belongs to: tokens that it requests for itself are for that organization. `undefined` for none. */
    organizationId: optional(text),
    /** Who registered it: a client that registered itself has a name and addresses that nobody has verified. */
    origin: oneOf<ClientOrigin>('administrator', 'registration', 'open_registration', 'document', 'directory'),
    /**
     * For a client that registered itself: the digest of the token with which it manages its registration, and what it may
     * change (RFC 7592); `undefined` when only administrators change it.
     */
    selfManagement: erased(optional(json)),
    /**
     * A digest of the metadata that users judge the client by. The metadata come from the document that the client publishes at its
     * `client_id`, or from the client's last change of its own registration. A consent is valid for one digest. `undefined` for a
     * client that only administrators have changed.
     */
    documentDigest: optional(text),
    /** When that document was last read. */
    documentReadAt: optional(time),
    /** For an agent that a directory provisions; `undefined` for all other clients. */
    agent: erased(optional(spread(agentFields))),
    /** From this time on, nothing that was issued to the client is honoured; `undefined` while it is enabled. */
    disabledAt: optional(time),
    createdAt: time,
    /** Advances by one with each change. Starts at 1. */
    version: integer,
  },
  { storedOnly: { removedAt: optional(time) } },
)

/** How `sub` is chosen for a client (OIDC Core §8). */
type SubjectType = 'public' | 'pairwise'

/** A client as it was registered, or as the document at its `client_id` describes it. */
export interface ClientRecord extends RecordOf<typeof clients> {}

const { fields } = clients

/** The members of a client that decide what its codes and tokens still permit. A client has many others. */
export const statusClients = defineRecord('clients', {
  clientId: fields.clientId,
  tokenEndpointAuthMethod: fields.tokenEndpointAuthMethod,
  redirectUris: fields.redirectUris,
  grantTypes: fields.grantTypes,
  scopes: fields.scopes,
  authorizationDetailsTypes: fields.authorizationDetailsTypes,
  userinfoSignedResponseAlg: fields.userinfoSignedResponseAlg,
  subjectType: fields.subjectType,
  sectorIdentifierUri: fields.sectorIdentifierUri,
  disabledAt: fields.disabledAt,
})

/** The part of a client that its codes and tokens depend on. */
export interface StatusClient extends RecordOf<typeof statusClients> {}

/** Clients, by `client_id`. */
export interface ClientStore {
  /**
   * Law: a `client_id` is never inserted twice, even if its client was removed. `INSERT … ON CONFLICT (issuer, client_id) DO NOTHING`.
   * Law: an agent is inserted disabled, with `endedAt`. No two agents of a provider have the same `externalId`: the second is `taken`.
   */
  insert(client: ClientRecord): Promise<InsertOutcome>

  /** Finds a client even if it is disabled; it then has `disabledAt`. */
  find(clientId: ClientId): Promise<ClientRecord | undefined>

  /** Returns at most `limit` clients whose identifiers come after `after`, in the order of their identifiers. */
  list(page: { readonly after: ClientId | undefined; readonly limit: number }): Promise<readonly ClientRecord[]>

  /**
   * Erases the client, its secrets and its keys. Law: its identifier stays taken, and nothing that was issued to it is honoured.
   * `UPDATE clients SET removed_at = ?, secrets = '[]', … WHERE issuer = ? AND client_id = ? AND removed_at IS NULL`
   */
  remove(
    clientId: ClientId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /**
   * Law: of two writers who read the same version, one gets `conflict`. The stored version becomes `version + 1`.
   * `UPDATE clients SET …, version = version + 1 WHERE issuer = ? AND client_id = ? AND version = ?`
   * Law: an agent stays disabled, with `endedAt`, unless its owner is an active user of its provider and the provider is enabled. This
   * holds for any order of concurrent writes: lock both rows, or read them in the same statement.
   */
  compareAndSwap(client: ClientRecord, version: number): Promise<SwapOutcome<ClientRecord>>

  /**
   * Records that a secret was accepted, to show administrators which secrets are still in use. This does not change the version, and
   * the write may be lost. One write an hour for each secret is enough.
   */
  touchSecret(clientId: ClientId, digest: SecretDigest, now: EpochSeconds): Promise<void>
}
