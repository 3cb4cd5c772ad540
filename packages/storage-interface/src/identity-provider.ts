import {
  clientId,
  organizationId,
  providerId,
  secretDigest,
  userId,
  type ProviderId,
  type SecretDigest,
  type EpochSeconds,
} from './values.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import {
  defineRecord,
  erased,
  id,
  integer,
  json,
  key,
  list,
  object,
  oneOf,
  optional,
  secretList,
  spread,
  storedAs,
  text,
  time,
  type RecordOf,
  type RecordOfFields,
} from './records/define-record.ts'

const cohortFields = {
  /** Where the cohort ends, in order of creation; `undefined` if the cohort has all users of the provider. */
  newest: optional(object({ createdAt: time, userId: id(userId) })),
  /** How many active users the cohort had when it was counted. */
  size: integer,
  /** How many of them were deprovisioned since the window began. */
  count: integer,
}

const deprovisioningFields = {
  windowStartedAt: time,
  count: integer,
  /** The oldest users of the provider, in cohorts whose sizes double; `undefined` until they are counted in this window. */
  cohorts: optional(list(object(cohortFields))),
  suspendedAt: optional(time),
}

/**
 * How many users an identity provider has deprovisioned recently, and whether it is suspended because it exceeded the
 * deprovisioning limit: a suspended provider cannot deprovision users until an administrator resumes it.
 */
export interface DeprovisioningCount extends RecordOfFields<typeof deprovisioningFields> {}

const crossAppAccessFields = {
  /** The claim `tenant` that its grants must have; `undefined` if they must have none. */
  tenant: optional(text),
  /** Where a grant names the user: `sub` is the `externalId` of the user, or `aud_sub` is the user's identifier here. */
  subject: oneOf('external_id', 'aud_sub'),
  /** The clients that may present its grants. */
  clientIds: list(id(clientId)),
  /** The scope values that its grants may give. */
  scopes: list(text),
  /** The APIs that its grants may be for. */
  resources: list(text),
  /** How often a grant is accepted. */
  reuse: oneOf('until_expiry', 'once'),
}

const assertionsFields = {
  /** The `iss` of the JWTs that the provider signs. */
  issuer: storedAs('assertion_issuer', text),
  /** Where it publishes its keys; `undefined` if `jwks` has them. */
  jwksUri: storedAs('assertion_jwks_uri', optional(text)),
  /** Its public keys, as a JWK set; `undefined` if they are read from `jwksUri`. */
  jwks: storedAs('assertion_jwks', optional(json)),
  /** The `sub` that its requests for Universal Logout must have; `undefined` for any. */
  revocationSubject: storedAs('assertion_revocation_subject', optional(text)),
  /**
   * What clients get for its ID-JAGs, which let them act for its users (draft-ietf-oauth-identity-assertion-authz-grant);
   * `undefined` if its ID-JAGs are refused.
   */
  crossAppAccess: storedAs('assertion_cross_app_access', optional(object(crossAppAccessFields))),
}

const setupLinkFields = {
  /** The digest of the cookie that the link is exchanged for, which is itself a digest of the link's secret. */
  digest: id(secretDigest),
  createdAt: time,
  expiresAt: time,
}

/** Identity providers. */
export const identityProviders = defineRecord(
  'identityProviders',
  {
    providerId: key(id(providerId)),
    /** For administrators. */
    displayName: erased(text),
    secrets: erased(secretList()),
    /** Clients that may send the provider's requests with an access token of this server, in place of one of its secrets. */
    clientIds: erased(list(id(clientId))),
    /** The name of the tolerance profile that its requests are parsed with. */
    toleranceProfile: text,
    /** The e-mail domains that belong to the customer, in lower case. Its users' addresses in these domains are treated as verified. */
    verifiedDomains: erased(list(text)),
    /** The organization that its users are members of; `undefined` for none. */
    organizationId: optional(id(organizationId)),
    /** The issuer and the keys of what it signs itself; `undefined` if it signs nothing for this server. */
    assertions: erased(optional(spread(assertionsFields))),
    /** The link with which the customer sets up the directory; `undefined` without one. */
    setupLink: erased(optional(object(setupLinkFields))),
    /** `undefined` until it deprovisions a user. */
    deprovisioning: optional(object(deprovisioningFields)),
    /** From this time on its requests are refused; `undefined` while it is enabled. */
    disabledAt: optional(time),
    createdAt: time,
    /** Advances by one with each change. Starts at 1. */
    version: integer,
  },
  { storedOnly: { removedAt: optional(time) } },
)

/** The connection to one identity provider (IdP) that provisions users by SCIM. */
export interface IdentityProviderRecord extends RecordOf<typeof identityProviders> {}

/** Identity providers, by their identifier. */
export interface IdentityProviderStore {
  /** Law: an identifier is never used twice, even if its provider was removed: no other provider gets its users or its secrets. */
  insert(provider: IdentityProviderRecord): Promise<InsertOutcome>

  /** Finds a provider even if it is disabled (it then has `disabledAt`), but not if it was removed. */
  find(providerId: ProviderId): Promise<IdentityProviderRecord | undefined>

  /** Returns at most `limit` providers whose identifiers come after `after`, in the order of their identifiers. */
  list(page: {
    readonly after: ProviderId | undefined
    readonly limit: number
  }): Promise<readonly IdentityProviderRecord[]>

  /**
   * Returns at most `limit` providers whose `assertions.issuer` is `assertionIssuer`, in the order of their identifiers, including
   * disabled ones.
   */
  listByAssertionIssuer(assertionIssuer: string, limit: number): Promise<readonly IdentityProviderRecord[]>

  /**
   * Law: of two writers who read the same version, one gets `conflict`. The stored version becomes `version + 1`.
   * `UPDATE identity_providers SET …, version = version + 1 WHERE issuer = ? AND provider_id = ? AND version = ?`
   */
  compareAndSwap(provider: IdentityProviderRecord, version: number): Promise<SwapOutcome<IdentityProviderRecord>>

  /** Erases the secrets and keeps the identifier. Its users and groups stay, and no provider can reach them. */
  remove(
    providerId: ProviderId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /**
   * Records that a secret was accepted. This does not change the version, and the write may be lost. One write an hour for each
   * secret is enough.
   */
  touchSecret(providerId: ProviderId, digest: SecretDigest, now: EpochSeconds): Promise<void>
}
