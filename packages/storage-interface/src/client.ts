import type { ClientId, SecretDigest } from './identifiers.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import type { JsonObject } from './json.ts'
import type { EpochSeconds } from './time.ts'

/** How a client proves who it is at the token endpoint (OIDC Core §9, RFC 8414 §2). `none` makes it a public client. */
export type TokenEndpointAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** One of a client's live secrets. Two may be live at once, so that a secret is replaced without an outage. */
export interface ClientSecretRecord {
  readonly digest: SecretDigest
  readonly createdAt: EpochSeconds
  readonly expiresAt: EpochSeconds | undefined
  readonly lastUsedAt: EpochSeconds | undefined
}

/** A client as its administrator registered it. Field names follow RFC 7591 §2. */
export interface ClientRecord {
  readonly clientId: ClientId
  /** Shown to people on the consent page. */
  readonly clientName: string
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  readonly secrets: readonly ClientSecretRecord[]
  /** Public keys for `private_key_jwt`, as a JWK set; `undefined` when the client has none or publishes them at `jwksUri`. */
  readonly jwks: JsonObject | undefined
  readonly jwksUri: string | undefined
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  /** The scope values that the client may ask for. */
  readonly scopes: readonly string[]
  /** The audiences whose resource server it is: it may introspect tokens meant for them (RFC 7662 §4). */
  readonly servedAudiences: readonly string[]
  /** The algorithm that signs its ID tokens. */
  readonly idTokenSignedResponseAlg: string
  /** The algorithm that signs its userinfo answers; `undefined` means plain JSON. */
  readonly userinfoSignedResponseAlg: string | undefined
  /** Seconds after which a person must sign in again when the request has no `max_age` (OIDC Registration §2). */
  readonly defaultMaxAge: number | undefined
  readonly requireAuthTime: boolean
  /** From this moment nothing of the client's is honoured; `undefined` while it is in use. */
  readonly disabledAt: EpochSeconds | undefined
  readonly createdAt: EpochSeconds
  readonly version: number
}

/** Clients, by `client_id`. */
export interface ClientStore {
  /** Law: a `client_id` is inserted at most once, ever, also that of a removed client. `INSERT … ON CONFLICT (issuer, client_id) DO NOTHING`. */
  insert(client: ClientRecord): Promise<InsertOutcome>

  /** A disabled client is found too: its `disabledAt` says what it is. */
  find(clientId: ClientId): Promise<ClientRecord | undefined>

  /** At most `limit` clients in the order of their identifiers, beginning behind `after`. */
  list(page: { readonly after: ClientId | undefined; readonly limit: number }): Promise<readonly ClientRecord[]>

  /**
   * Forgets the client, its secrets and its keys. Law: its identifier stays taken, and nothing that was issued to it is honoured.
   * `UPDATE clients SET removed_at = ?, secrets = '[]', … WHERE issuer = ? AND client_id = ? AND removed_at IS NULL`
   */
  remove(
    clientId: ClientId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /**
   * Law: of two writers who read the same version, one is told `conflict`. The stored version becomes `version + 1`.
   * `UPDATE clients SET …, version = version + 1 WHERE issuer = ? AND client_id = ? AND version = ?`
   */
  compareAndSwap(client: ClientRecord, version: number): Promise<SwapOutcome<ClientRecord>>

  /**
   * Notes that a secret was accepted. It changes no version and may be lost: it tells an administrator which secret is
   * still in use. Implementations may write at most once an hour per secret.
   */
  touchSecret(clientId: ClientId, digest: SecretDigest, now: EpochSeconds): Promise<void>
}
