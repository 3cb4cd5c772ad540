import type { AgentStore } from './agent.ts'
import type { AuthorizationCodeStore } from './authorization-code.ts'
import type { ChangeStore } from './change.ts'
import type { ClientStore } from './client.ts'
import type { CursorStore } from './cursor.ts'
import type { CustomResourceStore } from './custom-resource.ts'
import type { DecoupledRequestStore } from './decoupled-request.ts'
import type { DeliveryStore } from './delivery.ts'
import type { GrantStore } from './grant.ts'
import type { GroupStore } from './group.ts'
import type { IdentityProviderStore } from './identity-provider.ts'
import type { InitialAccessTokenStore } from './initial-access-token.ts'
import type { InteractionStore } from './interaction.ts'
import type { LogStore } from './log-entry.ts'
import type { OpaqueTokenStore } from './opaque-token.ts'
import type { DirectoryRoles } from './directory-roles.ts'
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
 * another issuer are not found, changed or counted, even if both share a database.
 *
 * There are no transaction handles, and callers never need to combine a read and a write: each method is atomic, and the server may
 * be stopped between any two calls without harm.
 */
export interface OAuthStorage {
  /** The issuer identifier (RFC 8414 §2) that the storage is bound to. */
  readonly issuer: string
  /** Whether everything is lost when the process ends, and no other process can see it. */
  readonly isVolatile?: boolean
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
  /** Needed only if access tokens contain claims from directories. `ScimStorage` has this store. */
  readonly provisionedUsers?: ProvisionedUserStore
  /** Needed, together with `provisionedUsers`, only for cross-app access. `ScimStorage` has this store. */
  readonly identityProviders?: IdentityProviderStore
  /** Needed only for tokens for organizations. `AdminStorage` has this store. */
  readonly organizations?: OrganizationStore
  /** The roles that directories assign; only in a storage of `withDirectoryRoles`. */
  readonly directoryRoles?: DirectoryRoles
  /** Needed only if users approve requests on another device. `AdminStorage` has this store. */
  readonly decoupledRequests?: DecoupledRequestStore
  /** Needed only for pairwise subject identifiers (OIDC Core §8.1). `AdminStorage` has this store. */
  readonly subjects?: SubjectStore
  /** Needed, together with `cursors`, only for back-channel logout and webhooks. `DeliveryStorage` has both. */
  readonly deliveries?: DeliveryStore
  readonly cursors?: CursorStore
  /**
   * Registers a listener. It is called after each call on this object that may have revoked a session or the sessions of a user,
   * so that logout tokens are sent at once. Without it, a worker finds the revocations when it polls, every tenth of a second.
   */
  readonly onSessionsRevoked?: (listener: () => void) => void
  /** Needed, together with `webhooks`, `deliveries` and `cursors`, only for webhooks. */
  readonly changes?: ChangeStore
  readonly webhooks?: WebhookStore
}

/** What a server stores in addition if it sends messages to clients, such as logout tokens. */
export interface DeliveryStorage extends OAuthStorage {
  readonly deliveries: DeliveryStore
  readonly cursors: CursorStore
}

/** What a SCIM server stores in addition: identity providers, and the users and groups that they provision. */
export interface ScimStorage extends OAuthStorage {
  readonly identityProviders: IdentityProviderStore
  readonly provisionedUsers: ProvisionedUserStore
  readonly groups: GroupStore
  /** Needed only if the host defines resource types that directories write. */
  readonly customResources?: CustomResourceStore
  /** Needed only if directories provision agents. */
  readonly agents?: AgentStore
}

/** Every store of an authorization server that has neither directories nor the administration API. */
export interface CompleteOAuthStorage extends DeliveryStorage {
  readonly organizations: OrganizationStore
  readonly initialAccessTokens: InitialAccessTokenStore
  readonly subjects: SubjectStore
  readonly decoupledRequests: DecoupledRequestStore
  readonly logs: LogStore
  readonly changes: ChangeStore
  readonly webhooks: WebhookStore
}

/** What administration stores: everything, and users that can be listed and searched. */
export interface AdminStorage extends ScimStorage, CompleteOAuthStorage {
  readonly identityProviders: IdentityProviderStore
  readonly provisionedUsers: ProvisionedUserStore
  readonly deliveries: DeliveryStore
  readonly cursors: CursorStore
  readonly users: SearchableUserStore
  readonly organizations: OrganizationStore
  readonly subjects: SubjectStore
  readonly decoupledRequests: DecoupledRequestStore
  readonly changes: ChangeStore
  readonly webhooks: WebhookStore
}

/**
 * Checks at start-up that a storage has the stores that a feature needs; TypeScript checks the same at compile time.
 * @param need `feature` is the name of the feature in the error message, such as `createScimServer`.
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

type Capability = 'oauth' | 'decoupled' | 'delivery' | 'organizations' | 'scim' | 'customTypes' | 'agents' | 'admin'

const interfaces: Readonly<Record<Capability, string>> = {
  oauth: 'OAuthStorage',
  delivery: 'DeliveryStorage',
  decoupled: 'AdminStorage',
  organizations: 'AdminStorage',
  scim: 'ScimStorage',
  customTypes: 'ScimStorage',
  agents: 'ScimStorage',
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
  decoupled: [...oauth, 'decoupledRequests'],
  organizations: [...oauth, 'organizations'],
  scim,
  customTypes: [...scim, 'customResources'],
  agents: [...scim, 'agents'],
  admin: [
    ...scim,
    ...delivery,
    'organizations',
    'initialAccessTokens',
    'subjects',
    'decoupledRequests',
    'logs',
    'changes',
    'webhooks',
  ],
}

/** `done` when nothing is left to remove; otherwise call again. */
export interface PurgeOutcome {
  readonly removed: number
  readonly done: boolean
}

/** Removes rows that no longer affect any response. */
export interface PurgeStore {
  /**
   * Removes at most `limit` rows:
   * - codes, interactions, pushed requests, decoupled requests, replays, opaque tokens, token families, initial access tokens and log entries that have
   *   expired, and token families that were revoked, or whose refresh token expired, a day ago or earlier;
   * - sessions and deliveries whose `keptUntil` has passed;
   * - grants that were revoked;
   * - revocations older than `revocationRetention`, and changes older than `changeRetention`;
   * - the pairwise subject identifiers of users who were removed longer ago than `revocationRetention`.
   *
   * Run it on a timer, on any number of servers, and each time call it until the outcome is `done`. It may be interrupted anywhere;
   * the next call continues.
   * For revocations, a database uses its own clock if `now` is ahead of it: a server with a wrong clock then removes no revocations
   * that others have yet to read.
   * Law: purging does not change what is accepted and what is refused. The `userId` of a removed user stays taken.
   * For example in SQL:
   * `DELETE FROM codes WHERE (issuer, digest) IN (SELECT issuer, digest FROM codes WHERE issuer = ? AND expires_at <= ? LIMIT ?)`
   * @param request `limit` is a number of rows, at least 1; it bounds the time that a call takes.
   */
  purgeExpired(request: { readonly now: EpochSeconds; readonly limit: number }): Promise<PurgeOutcome>
}

/** The stores whose rows are valid for minutes: if they are lost, users and clients try again. */
export type ExpiringStores = Pick<OAuthStorage, 'issuer' | ExpiringStoreName>

type ExpiringStoreName = 'codes' | 'interactions' | 'pushedRequests' | 'replays' | 'opaqueTokens'

/**
 * Combines two storages: expiring rows in one, such as Redis, and everything else in the other, such as SQL. No method of a store
 * uses both, so the storage keeps every law that its parts keep, and it has the capability of its durable part.
 * @param parts `durable` may be a complete storage: its own stores of expiring rows are then not used. `purgeExpired` purges only
 * the durable part; the expiring part must remove its expired rows itself.
 * @throws TypeError if the two are bound to different issuers: codes of one issuer would create families of the other.
 */
export function composeStorage<Durable extends Omit<OAuthStorage, ExpiringStoreName>>(parts: {
  readonly durable: Durable
  readonly expiring: ExpiringStores
}): Durable & ExpiringStores {
  checkOptions('composeStorage', parts, { durable: required(aStorage), expiring: required(aStorage) })
  const { durable, expiring } = parts
  if (durable.issuer !== expiring.issuer) {
    throw new TypeError(
      'The durable and the expiring stores are bound to different issuers. Create both for one issuer.',
    )
  }

  const { codes, interactions, pushedRequests, replays, opaqueTokens } = expiring
  return { ...durable, codes, interactions, pushedRequests, replays, opaqueTokens }
}
