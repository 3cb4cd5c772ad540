import { authenticationFields } from './authorization-code.ts'
import { clientId, secretDigest, userId, type SecretDigest, type EpochSeconds } from './values.ts'
import type { ConsumeOutcome, InsertOutcome, SwapOutcome } from './outcome.ts'
import {
  defineRecord,
  flag,
  id,
  integer,
  jsonOf,
  key,
  list,
  object,
  optional,
  text,
  time,
  type RecordOf,
  type RecordOfFields,
} from './records/define-record.ts'

/** The members of an `InteractionLogin`. */
export const loginFields = {
  userId: id(userId),
  /** The user's generation when they signed in. */
  userGeneration: integer,
  authentication: object(authenticationFields),
  /**
   * Whether the user also had a session of the host in an earlier request of this interaction. If so, every later
   * request must come with a session of the same user. Rows of earlier versions have no value.
   */
  inSession: optional(flag),
}

/** Which user has signed in to an interaction, and how. */
export interface InteractionLogin extends RecordOfFields<typeof loginFields> {}

/** Interactions. */
export const interactions = defineRecord(
  'interactions',
  {
    /** Digest of the handle in the page's address. */
    digest: key(id(secretDigest)),
    /** Digest of the cookie of the browser that started it. */
    browserDigest: id(secretDigest),
    clientId: id(clientId),
    /** The parameters of the authorization request that the server knows, each at most once. */
    parameters: jsonOf<Readonly<Record<string, string>>>(),
    /** The `resource` parameter, the only one that may repeat (RFC 8707 §2). */
    resources: list(text),
    login: optional(object(loginFields)),
    createdAt: time,
    expiresAt: time,
    version: integer,
  },
  { storedOnly: { consumedAt: optional(time) } },
)

/**
 * An authorization request that waits for a user to sign in or to consent. It is bound to the browser that started it. The
 * parameters of the request are kept and checked again at each step: the results of checks are never stored. At first, only the
 * browser keeps the record, sealed, in the page's address; it is stored once a user has signed in.
 */
export interface InteractionRecord extends RecordOf<typeof interactions> {}

/** Interactions, by handle and browser. Every method treats an interaction of another browser, or an expired one, as absent. */
export interface InteractionStore {
  insert(interaction: InteractionRecord): Promise<InsertOutcome>

  /** @returns `consumed` if the interaction was completed. */
  find(
    digest: SecretDigest,
    browserDigest: SecretDigest,
    now: EpochSeconds,
  ): Promise<InteractionRecord | 'consumed' | undefined>

  /** Records who signed in. Law: of two concurrent writers one gets `conflict`; a consumed interaction is `absent`. */
  recordLogin(change: {
    readonly digest: SecretDigest
    readonly browserDigest: SecretDigest
    readonly login: InteractionLogin
    readonly version: number
    readonly now: EpochSeconds
  }): Promise<SwapOutcome<InteractionRecord>>

  /** Completes an interaction. Law: this succeeds at most once, even if two tabs try at the same time. */
  consume(
    digest: SecretDigest,
    browserDigest: SecretDigest,
    now: EpochSeconds,
  ): Promise<ConsumeOutcome<InteractionRecord>>
}
