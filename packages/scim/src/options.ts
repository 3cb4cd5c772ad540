import type { RateLimiter } from '@mintmark/core'
import type { Clock, Random } from '@mintmark/internal'
import type { JsonObject, ScimStorage } from '@mintmark/storage-interface'

import type { AgentOptions } from './agents/agent-client.ts'
import type { CustomResourceType } from './custom/custom-types.ts'
import type { DeprovisioningLimit } from './deprovisioning/deprovisioning-limiter.ts'
import type { AnsweredRequest, ScimEvent } from './event/scim-event.ts'
import type { FilterLimits } from './filter/parse-filter.ts'
import type { AccessTokens, MayProvision } from './providers/authenticate-provider.ts'
import type { PageLimits } from './list/search-request.ts'
import type { ResourceType } from './schema/resource-type.ts'
import type { ScimLimits } from './limits/scim-limits.ts'
import type { ClaimChanges, ClaimSource, ProvisioningHooks } from './users/user-dependencies.ts'

/** Options of `createScimServer`. Two members are required. */
export interface ScimServerOptions extends ProvisioningHooks {
  /** The issuer of the authorization server whose users are provisioned. SCIM is served below it. */
  readonly issuer: string
  /** The storage of the authorization server, because both share its users. */
  readonly storage: ScimStorage
  /**
   * The authorization server, if identity providers may also authenticate with its access tokens that have the scope
   * `scim`.
   * @defaultValue None. Every provider has its own secret.
   */
  readonly accessTokens?: AccessTokens
  /**
   * Decides whether a user may authorize a client to provision users for a provider. The client then sends an access
   * token that it received through the authorization code grant. Called for every request with such a token, after the
   * client was found in the provider's `clientIds`. Called again, at most once a second, after a request has waited
   * for its turn and before each operation of a Bulk request. Return `true` only for administrators of that customer.
   * @defaultValue No user may authorize a client. A client then needs an access token of its own (client credentials
   * grant), or the provider's secret.
   */
  readonly mayProvision?: MayProvision
  /**
   * The resource type of users, with extensions of the host.
   * @defaultValue `userResourceType`. It is the user of RFC 7643 with the enterprise extension.
   */
  readonly userType?: ResourceType
  /**
   * The resource type of groups, with extensions of the host.
   * @defaultValue `groupResourceType`. It is the group of RFC 7643.
   */
  readonly groupType?: ResourceType
  /**
   * Further resource types. Without `resources`, a type is stored: identity providers read and write its resources like
   * users and groups. With `resources`, a type is read-only: the host supplies its resources, such as roles.
   * @defaultValue None. Identity providers expect users and groups; Okta reads roles and entitlements only where they
   * are offered.
   */
  readonly resourceTypes?: readonly CustomResourceType[]
  /**
   * Agents (draft-wzdk-scim-agent-resource): identity providers create clients that belong to one of their users, at `/Agents`. An
   * agent is disabled in the same write in which its owner is deactivated, removed or released, or its provider is disabled. `{}`
   * switches it on.
   * @defaultValue Off. The specification is a draft, and a directory creates clients only if the host wants them.
   */
  readonly agents?: AgentOptions
  /**
   * Whether an e-mail address from a provider counts as verified. Called only with a single, syntactically valid
   * address (RFC 5322 §3.4.1). A provider can write any address, so decide by `source.providerId`, never by the address
   * alone.
   * @defaultValue Addresses in the `verifiedDomains` of the provider. An administrator has proved that these belong to
   * the customer.
   */
  readonly emailVerified?: (email: string, source: ClaimSource) => boolean
  /**
   * Adds to or replaces the claims that are derived from a SCIM user; `undefined` removes a claim.
   * @defaultValue None. The standard OpenID Connect claims are derived from the SCIM user.
   */
  readonly claims?: (resource: JsonObject, source: ClaimSource) => ClaimChanges
  /**
   * Receives events, including refusals.
   * @defaultValue Only internal errors are logged, to the console. Refusals could fill a log.
   */
  readonly onEvent?: (event: ScimEvent) => void | Promise<void>
  /**
   * Receives every request of an authenticated provider with the outcome of the request, for a log that the provider's
   * administrator reads. Errors are ignored.
   * @defaultValue Nothing is logged. `keepRequestLog` of `@mintmark/admin` keeps a log for a week.
   */
  readonly onRequest?: (answered: AnsweredRequest) => void | Promise<void>
  /**
   * Limits how many users a provider may deactivate or remove before an administrator has to review it.
   * @defaultValue Any number. A limit also delays a real reorganization, so the host has to choose it.
   */
  readonly deprovisioningLimit?: DeprovisioningLimit
  /**
   * Limits how many requests a provider may send in a time window. An example is
   * `createMemoryRateLimiter({ points: 600, window: 60 })`. Each operation of a Bulk request counts as a
   * request. Responses have `X-Rate-Limit-Limit`, `-Remaining` and `-Reset` headers.
   * @defaultValue 12,000 in a minute, counted in the memory of this process. An initial synchronization makes many
   * requests at once, and most identity providers send fewer than 100 a second.
   */
  readonly requestLimit?: RateLimiter | 'unlimited'
  /**
   * Universal Logout: an identity provider that has `assertions` may end all sessions and tokens of one of its users, who stays
   * active, at `{tenant URL}/global-token-revocation`. Okta's integration wizard asks for this URL. `{}` switches it on.
   * @defaultValue Off. The endpoint does not exist.
   */
  readonly universalLogout?: UniversalLogoutOptions
  /**
   * Whether the groups of a provider must have different names. A request that would create a second group with the
   * same name is then refused with 409. Microsoft's SCIM validator requires it; Entra itself allows groups with equal
   * names.
   * @defaultValue `false` for all providers. RFC 7643 §4.2 does not make names unique.
   */
  readonly uniqueGroupNames?: (providerId: string) => boolean
  /**
   * Limits on filters.
   * @defaultValue `{ length: 16384, parts: 1000 }`. Governance tools request several hundred users by id in one filter.
   */
  readonly filterLimits?: Partial<FilterLimits>
  /** Limits on how much of the server one provider may use at one time, and on the size of its messages and users. */
  readonly limits?: Partial<ScimLimits>
  /**
   * Limits on pages of lists.
   * @defaultValue `{ defaultCount: 100, maxCount: 200, bytes: 8388608, cursorLifetime: 3600 }`. Okta imports a hundred
   * groups at once.
   */
  readonly pageLimits?: Partial<PageLimits>
  readonly clock?: Clock
  readonly random?: Random
}

/** Options of Universal Logout. */
export interface UniversalLogoutOptions {
  /**
   * Limits how many users each provider may sign out, so that a stolen key of a provider cannot sign everybody out at once.
   * @defaultValue 60 in a minute, counted in the memory of this process.
   */
  readonly limit?: RateLimiter
  /**
   * Fetches the key sets of identity providers.
   * @defaultValue A `fetch` that connects only to public addresses over https.
   */
  readonly fetch?: typeof globalThis.fetch
  /**
   * Origins of key sets that may be fetched although they have a private address, a port or no TLS, for development.
   * @defaultValue None.
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
}
