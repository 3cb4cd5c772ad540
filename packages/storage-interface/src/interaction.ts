import type { AuthenticationRecord } from './authorization-code.ts'
import type { ClientId, SecretDigest, UserId } from './identifiers.ts'
import type { ConsumeOutcome, InsertOutcome, SwapOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** Who has signed in to this interaction, and how. */
export interface InteractionLogin {
  readonly userId: UserId
  /** The user's generation when they signed in. */
  readonly userGeneration: number
  readonly authentication: AuthenticationRecord
}

/**
 * An authorization request that waits for a person: to sign in, to consent. It is bound to the browser that started it.
 * The request is kept as its parameters and proven again at each step: evidence is never stored.
 */
export interface InteractionRecord {
  /** Digest of the handle in the page's address. */
  readonly digest: SecretDigest
  /** Digest of the cookie of the browser that started it. */
  readonly browserDigest: SecretDigest
  readonly clientId: ClientId
  /** The parameters of the authorization request that the server knows, each at most once. */
  readonly parameters: Readonly<Record<string, string>>
  /** The `resource` parameter, which alone may repeat (RFC 8707 §2). */
  readonly resources: readonly string[]
  readonly login: InteractionLogin | undefined
  readonly createdAt: EpochSeconds
  readonly expiresAt: EpochSeconds
  readonly version: number
}

/** Interactions, by handle and browser. Every method answers `absent` for another browser's, and for one that has expired. */
export interface InteractionStore {
  insert(interaction: InteractionRecord): Promise<InsertOutcome>

  /** Open interactions only: a consumed one is not found. */
  find(digest: SecretDigest, browserDigest: SecretDigest, now: EpochSeconds): Promise<InteractionRecord | undefined>

  /** Notes who signed in. Law: of two writers one is told `conflict`; a consumed interaction is `absent`. */
  recordLogin(change: {
    readonly digest: SecretDigest
    readonly browserDigest: SecretDigest
    readonly login: InteractionLogin
    readonly version: number
    readonly now: EpochSeconds
  }): Promise<SwapOutcome<InteractionRecord>>

  /** Law: an interaction is completed at most once, also by two tabs at the same time. */
  consume(
    digest: SecretDigest,
    browserDigest: SecretDigest,
    now: EpochSeconds,
  ): Promise<ConsumeOutcome<InteractionRecord>>
}
