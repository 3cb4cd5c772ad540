import type { Clock, Random } from '@mintmark/internal'
import type { RateLimiter } from '@mintmark/core'
import type { JsonObject, ScimStorage } from '@mintmark/storage-interface'

import type { AccessTokens } from '../authentication/access-tokens.ts'
import type { DeprovisioningLimit } from '../deprovisioning/deprovisioning-limiter.ts'
import type { AnsweredRequest } from '../event/answered-request.ts'
import type { ScimEvent } from '../event/scim-event.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ClaimChanges } from '../users/user-claims.ts'
import type { ProvisioningHooks } from '../users/user-dependencies.ts'

/** What a host gives to `createScimServer`. Two members are required. */
export interface ScimServerOptions extends ProvisioningHooks {
  /** The address of the authorization server whose accounts these are: SCIM is served below it. */
  readonly issuer: string
  /** The storage that the authorization server has: these are the same accounts. */
  readonly storage: ScimStorage
  /**
   * The authorization server, when identity providers may also come with an access token of ours that has the scope
   * `scim`.
   * @defaultValue None. Every provider has a secret of its own.
   */
  readonly accessTokens?: AccessTokens
  /**
   * Users with extensions of the host's own.
   * @defaultValue `userResourceType`. It is RFC 7643's user, with the enterprise extension.
   */
  readonly userType?: ResourceType
  /**
   * Groups with extensions of the host's own.
   * @defaultValue `groupResourceType`. It is RFC 7643's group.
   */
  readonly groupType?: ResourceType
  /**
   * Whether an e-mail address of a provider's counts as verified.
   * @defaultValue None does. A provider can write any address; say yes for the domains that are its own.
   */
  readonly emailVerified?: (email: string) => boolean
  /**
   * Claims beside, or in place of, those that follow from a SCIM user; a claim that is undefined is taken away.
   * @defaultValue None. What a SCIM user says of itself becomes the claims of OpenID Connect.
   */
  readonly claims?: (resource: JsonObject) => ClaimChanges
  /**
   * Receives what happened and what was refused.
   * @defaultValue Failures inside the server go to the console, everything else nowhere. No log fills that nobody
   *   asked for.
   */
  readonly onEvent?: (event: ScimEvent) => void | Promise<void>
  /**
   * Receives every request of a provider's with what became of it, for a log that its administrator reads. What it
   * throws is dropped.
   * @defaultValue Nothing is kept. `keepRequestLog` of `@mintmark/admin` keeps it for a week.
   */
  readonly onRequest?: (answered: AnsweredRequest) => void | Promise<void>
  /**
   * How many accounts a provider may end in a while before an administrator has to look.
   * @defaultValue Any number. A limit also holds up a real reorganization, so it is the host's to choose.
   */
  readonly deprovisioningLimit?: DeprovisioningLimit
  /**
   * How many requests a provider may make in a while, such as `memoryRateLimiter({ points: 600, window: 60 })`. Its
   * answers then carry `X-Rate-Limit-Limit`, `-Remaining` and `-Reset`, by which it can slow down.
   * @defaultValue Any number. A first synchronization makes many at once.
   */
  readonly requestLimit?: RateLimiter
  readonly clock?: Clock
  readonly random?: Random
}
