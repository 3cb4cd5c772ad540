import type { AuthorizationCodeStore } from './authorization-code.ts'
import type { ChangeStore } from './change.ts'
import type { ClientStore } from './client.ts'
import type { CursorStore } from './cursor.ts'
import type { CustomResourceStore } from './custom-resource.ts'
import type { DeliveryStore } from './delivery.ts'
import type { GrantStore } from './grant.ts'
import type { GroupStore } from './group.ts'
import type { IdentityProviderStore } from './identity-provider.ts'
import type { InitialAccessTokenStore } from './initial-access-token.ts'
import type { InteractionStore } from './interaction.ts'
import type { LogStore } from './log-entry.ts'
import type { OpaqueTokenStore } from './opaque-token.ts'
import { aStorage, checkOptions, required } from './options.ts'
import type { OrganizationStore } from './organization.ts'
import type { ProvisionedUserStore } from './provisioned-user.ts'
import type { PushedRequestStore } from './pushed-request.ts'
import type { ReplayStore } from './replay.ts'
import type { RevocationStore } from './revocation.ts'
import type { SessionStore } from './session.ts'
import type { SigningKeyStore } from './signing-key.ts'
import type { StatusStore } from './status.ts'
import type { SubjectStore } from './subject.ts'
import type { EpochSeconds } from './values.ts'
import type { TokenFamilyStore } from './token-family.ts'
import type { SearchableUserStore, UserStore } from './user.ts'
import type { WebhookStore } from './webhook.ts'

/**
 * What an authorization server stores, for one issuer. A storage is bound to its issuer: rows that were written through a storage of
 * another issuer are not found, changed or counted, also when both share a database.
 *
 * There is no transaction handle, no upsert and no read-then-write: each method is atomic by itself, and the server may be stopped
 * between any two calls without harm.
 */
export interface OAuthStorage {
  /** The issuer identifier (RFC 8414 §2) that the storage is bound to. */
  readonly issuer: string
  readonly clients: ClientStore
  readonly users: UserStore
  readonly grants: GrantStore
  readonly codes: AuthorizationCodeStore
  readonly families: TokenFamilyStore
  readonly opaqueTokens: OpaqueTokenStore
  readonly interactions: InteractionStore
  readonly pushedRequests: PushedRequestStore
  readonly sessions: SessionStore
  readonly signingKeys: SigningKeyStore
  readonly replays: ReplayStore
  readonly revocations: RevocationStore
  readonly status: StatusStore
  readonly purge: PurgeStore
  /** Only for claims of access tokens that come from directories: `ScimStorage` has it. */
  readonly provisionedUsers?: ProvisionedUserStore
  /** Only for tokens for organizations: `AdminStorage` has it. */
  readonly organizations?: OrganizationStore
  /** Only for clients with a `sub` of their own for each user (OIDC Core §8.1): `AdminStorage` has it. */
  readonly subjects?: SubjectStore
  /** Only for back-channel logout: `DeliveryStorage` has both. */
  readonly deliveries?: DeliveryStore
  readonly cursors?: CursorStore
  /**
   * Calls a listener after each call of this object that revoked a session or the sessions of a user, so that logout tokens
   * are sent at once. Without it a worker learns of them when it polls, after a tenth of a second.
   */
  readonly onSessionsRevoked?: (listener: () => void) => void
  /** Only for webhooks, together with `deliveries` and `cursors`. */
  readonly changes?: ChangeStore
  readonly webhooks?: WebhookStore
}

/** What a server stores in addition that sends messages to clients by itself, such as logout tokens. */
export interface DeliveryStorage extends OAuthStorage {
  readonly deliveries: DeliveryStore
  readonly cursors: CursorStore
}

/** What a SCIM server stores in addition: identity providers, and the users and groups that they provision. */
export interface ScimStorage extends OAuthStorage {
  readonly identityProviders: IdentityProviderStore
  readonly provisionedUsers: ProvisionedUserStore
  readonly groups: GroupStore
  /** Only for resource types that the host defines and directories write. */
  readonly customResources?: CustomResourceStore
}

/** What administration stores in addition: organizations, logs, and users that can be listed and searched. */
export interface AdminStorage extends ScimStorage, DeliveryStorage {
  readonly provisionedUsers: ProvisionedUserStore
  readonly deliveries: DeliveryStore
  readonly cursors: CursorStore
  readonly users: SearchableUserStore
  readonly organizations: OrganizationStore
  readonly initialAccessTokens: InitialAccessTokenStore
  readonly subjects: SubjectStore
  readonly logs: LogStore
  readonly changes: ChangeStore
  readonly webhooks: WebhookStore
}

/**
 * Checks at start-up that a storage has the stores that a feature needs; TypeScript checks the same at compile time.
 * @param need `feature` is what the error names, such as `createScimServer`.
 * @throws TypeError that says which stores are missing and what to provide.
 */
export function requireStores(
  storage: Partial<Readonly<Record<keyof AdminStorage, unknown>>>,
  need: { readonly capability: Capability; readonly feature: string },
): void {
  const { capability, feature } = need
  const missing: string[] = stores[capability].filter((name) => storage[name] === undefined)
  if (missing.length === 0) return

  throw new TypeError(
    `${feature} needs a storage with ${missing.map((name) => `\`${name}\``).join(', ')}. ` +
      `Provide every store of \`${interfaces[capability]}\`: docs/how-to/write-a-store.md.`,
  )
}

/** Whether a storage can keep deliveries. */
export const isDeliveryStorage = <Storage extends OAuthStorage>(
  storage: Storage,
): storage is Storage & DeliveryStorage => delivery.every((name) => storage[name] !== undefined)

type Capability = 'oauth' | 'delivery' | 'organizations' | 'scim' | 'customTypes' | 'admin'

const interfaces: Readonly<Record<Capability, string>> = {
  oauth: 'OAuthStorage',
  delivery: 'DeliveryStorage',
  organizations: 'AdminStorage',
  scim: 'ScimStorage',
  customTypes: 'ScimStorage',
  admin: 'AdminStorage',
}

const oauth = [
  'clients',
  'users',
  'grants',
  'codes',
  'families',
  'opaqueTokens',
  'interactions',
  'pushedRequests',
  'sessions',
  'signingKeys',
  'replays',
  'revocations',
  'status',
  'purge',
] as const satisfies readonly (keyof OAuthStorage)[]

const delivery = ['deliveries', 'cursors'] as const satisfies readonly (keyof DeliveryStorage)[]

const scim = [
  ...oauth,
  'identityProviders',
  'provisionedUsers',
  'groups',
] as const satisfies readonly (keyof ScimStorage)[]

const stores: Readonly<Record<Capability, readonly (keyof AdminStorage)[]>> = {
  oauth,
  delivery: [...oauth, ...delivery],
  organizations: [...oauth, 'organizations'],
  scim,
  customTypes: [...scim, 'customResources'],
  admin: [...scim, ...delivery, 'organizations', 'initialAccessTokens', 'subjects', 'logs', 'changes', 'webhooks'],
}

/** `done` when nothing is left to remove; otherwise call again. */
export interface PurgeOutcome {
  readonly removed: number
  readonly done: boolean
}

/** Removes rows that no answer depends on any more. */
export interface PurgeStore {
  /**
   * Removes at most `limit` rows: codes, interactions, pushed requests, replays, opaque tokens, token families, sessions, initial access tokens and log
   * entries that have expired, token families whose refresh token expired a day ago or earlier, the subjects of users removed longer ago than `revocationRetention`, deliveries that need not be kept, grants that were revoked, and revocations older than `revocationRetention`. Call it on a timer until it is `done`,
   * on any number of servers: it may be interrupted anywhere, and the next call continues. For revocations a database uses
   * its own clock where `now` is ahead of it: a server with a wrong clock removes none that others have yet to read.
   * Law: nothing that is honoured is removed, and what was refused before is refused after. The identifiers of removed
   * users stay taken.
   * `DELETE FROM codes WHERE (issuer, digest) IN (SELECT issuer, digest FROM codes WHERE issuer = ? AND expires_at <= ? LIMIT ?)`
   * @param request `limit` is a number of rows, at least 1; it bounds the time that a call takes.
   */
  purgeExpired(request: { readonly now: EpochSeconds; readonly limit: number }): Promise<PurgeOutcome>
}

/** The stores whose rows are valid for minutes: if they are lost, users and clients try again. */
export type ExpiringStores = Pick<OAuthStorage, 'issuer' | ExpiringStoreName>

type ExpiringStoreName = 'codes' | 'interactions' | 'pushedRequests' | 'replays' | 'opaqueTokens'

/**
 * Combines two storages: expiring rows in one, such as Redis, everything else in the other, such as SQL. No method of a
 * store
 * uses both, so the storage keeps every law that its parts keep, and it has the capability of its durable part.
 * @param parts `durable` may be a whole storage: its stores of the expiring kinds are not used. `purgeExpired` purges
 * only the durable part; the
 * expiring part removes expired rows by itself.
 * @throws TypeError when the two are bound to different issuers: codes of one issuer would create families of the
 * other.
 */
export function composeStorage<Durable extends Omit<OAuthStorage, ExpiringStoreName>>(parts: {
  readonly durable: Durable
  readonly expiring: ExpiringStores
}): Durable & ExpiringStores {
  checkOptions('composeStorage', parts, { durable: required(aStorage), expiring: required(aStorage) })
  const { durable, expiring } = parts
  if (durable.issuer !== expiring.issuer) {
    throw new TypeError('The durable and the expiring stores are bound to different issuers.')
  }

  const { codes, interactions, pushedRequests, replays, opaqueTokens } = expiring
  return { ...durable, codes, interactions, pushedRequests, replays, opaqueTokens }
}
