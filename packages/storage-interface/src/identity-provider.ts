import type { ClientId, ProviderId, SecretDigest } from './identifiers.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** One of the bearer secrets that an identity provider presents. Two or more may be live, so that one is replaced without an outage. */
export interface ProviderSecretRecord {
  readonly digest: SecretDigest
  readonly createdAt: EpochSeconds
  readonly expiresAt: EpochSeconds | undefined
  readonly lastUsedAt: EpochSeconds | undefined
}

/**
 * How many accounts a provider has ended lately, and whether it is held for having ended too many: then it may end no more
 * until an administrator lets it.
 */
export interface DeprovisioningCount {
  readonly windowStartedAt: EpochSeconds
  readonly count: number
  readonly suspendedAt: EpochSeconds | undefined
}

/** The connection to one identity provider that provisions accounts by SCIM. */
export interface IdentityProviderRecord {
  readonly providerId: ProviderId
  /** For administrators. */
  readonly displayName: string
  readonly secrets: readonly ProviderSecretRecord[]
  /** Clients that may act for it with an access token of ours, beside its secrets. */
  readonly clientIds: readonly ClientId[]
  /** The name of what is tolerated in its requests. */
  readonly toleranceProfile: string
  /** `undefined` until it ends an account. */
  readonly deprovisioning: DeprovisioningCount | undefined
  /** From this moment it is refused; `undefined` while it is in use. */
  readonly disabledAt: EpochSeconds | undefined
  readonly createdAt: EpochSeconds
  /** Advances by one with each change. Starts at 1. */
  readonly version: number
}

/** Identity providers, by their identifier. */
export interface IdentityProviderStore {
  /** Law: an identifier is used once, ever, also that of a removed provider: nobody inherits its accounts or its secrets. */
  insert(provider: IdentityProviderRecord): Promise<InsertOutcome>

  /** A disabled provider is found: its `disabledAt` says what it is. A removed one is not. */
  find(providerId: ProviderId): Promise<IdentityProviderRecord | undefined>

  /** At most `limit` providers in the order of their identifiers, beginning behind `after`. */
  list(page: {
    readonly after: ProviderId | undefined
    readonly limit: number
  }): Promise<readonly IdentityProviderRecord[]>

  /**
   * Law: of two writers who read the same version, one is told `conflict`. The stored version becomes `version + 1`.
   * `UPDATE identity_providers SET …, version = version + 1 WHERE issuer = ? AND provider_id = ? AND version = ?`
   */
  compareAndSwap(provider: IdentityProviderRecord, version: number): Promise<SwapOutcome<IdentityProviderRecord>>

  /** Forgets the secrets and keeps the identifier. Its accounts and groups stay, out of every provider's reach. */
  remove(
    providerId: ProviderId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /** Notes that a secret was accepted. It changes no version and may be lost; at most one write an hour for each secret is enough. */
  touchSecret(providerId: ProviderId, digest: SecretDigest, now: EpochSeconds): Promise<void>
}
