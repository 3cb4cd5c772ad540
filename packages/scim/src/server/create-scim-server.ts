import { type HttpService } from '@mintmark/core/http'
import { createJournal } from '@mintmark/internal'
import { identifierSeries, systemClock, systemRandom } from '@mintmark/internal'
import { type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import { bulkLimits } from '../bulk/parse-bulk.ts'
import { bulkRoutes } from '../bulk/process-bulk.ts'
import { createDeprovisioningLimiter } from '../deprovisioning/deprovisioning-limiter.ts'
import { discoveryRoutes } from '../discovery/discovery.ts'
import { type AnsweredRequest, recordRefusal, revokedAccess, type ScimOccurrence } from '../event/scim-event.ts'
import { reportScimFaults } from '../event/log-scim-events.ts'
import { groupRoutes } from '../groups/group-endpoints.ts'
import { listedGroups } from '../groups/render-group.ts'
import type { GroupDependencies } from '../groups/write-group.ts'
import { searchEndpoints } from '../list/search-endpoints.ts'
import { groupResourceType } from '../schema/group-schema.ts'
import { userResourceType } from '../schema/user-schema.ts'
import {
  type ProviderLogin,
  type ProviderSignIn,
  type SignInDependencies,
  signInFromProvider,
} from '../sign-in/sign-in-from-provider.ts'
import { createUserRenderCache } from '../users/render-cache.ts'
import { type ClaimChanges, userClaims } from '../users/user-state.ts'
import { listedUsers, userRoutes } from '../users/user-endpoints.ts'
import type { ScimServerOptions } from './scim-options.ts'
import { createScimRouter } from './scim-router.ts'

/** Inbound SCIM 2.0 (RFC 7643, RFC 7644) for every identity provider of one issuer, for an adapter to serve. */
export interface ScimServer extends HttpService {
  readonly issuer: string
  /** For the host's own login page: see `signInFromProvider`. */
  readonly signInFromProvider: (login: ProviderLogin) => Promise<ProviderSignIn>
}

/**
 * Creates a server. Nothing is global: any number of servers live in one process.
 * @throws TypeError when the issuer is not that of the storage, or not written as an authorization server's is.
 */
export function createScimServer(options: ScimServerOptions): ScimServer {
  const { issuer, storage } = options
  checkIssuer(options)
  requireStores(storage, { capability: 'scim', feature: 'createScimServer' })
  const deps = scimDependencies(options)
  const resources = { users: userRoutes(deps), groups: groupRoutes(deps) }
  const router = createScimRouter({
    issuer,
    storage,
    accessTokens: options.accessTokens,
    requestLimit: options.requestLimit,
    clock: deps.clock,
    bodyLimit: bulkLimits.maxPayloadSize,
    routes: {
      ...discoveryRoutes([deps.userType, deps.groupType], { passwords: options.password !== undefined }),
      ...resources,
      '.search': { collection: { POST: searchEndpoints([listedUsers(deps), listedGroups(deps)], deps).search } },
      bulk: bulkRoutes({ ...deps, resources }),
    },
    refused: recordRefusal(deps.journal),
    answered: tellAnswered(options.onRequest),
  })
  return { ...router, issuer, signInFromProvider: (login) => signInFromProvider(login, deps) }
}

/** The Tenant URL that an administrator pastes is made of the storage's issuer, and has to lead here. */
function checkIssuer({ issuer, storage }: Pick<ScimServerOptions, 'issuer' | 'storage'>): void {
  if (storage.issuer !== issuer)
    throw new TypeError(`The storage is that of ${storage.issuer}; the server needs the same issuer.`)
  const { origin, pathname } = new URL(issuer)
  if (issuer !== origin + pathname.replace(/\/+$/, '')) {
    throw new TypeError(
      'The issuer must be as the authorization server has it: an address without query, fragment or a slash at its end.',
    )
  }
}

function scimDependencies(options: ScimServerOptions): SignInDependencies & GroupDependencies {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const userType = options.userType ?? userResourceType
  return {
    storage: options.storage,
    clock,
    random,
    listRevokedAccess: async (before, now) =>
      options.onEvent === undefined ? undefined : revokedAccess(before, now, options.storage),
    hooks: options,
    deprovisioningLimiter:
      options.deprovisioningLimit && createDeprovisioningLimiter(options.deprovisioningLimit, options),
    userType,
    renderCache: createUserRenderCache(userType, options.issuer),
    groupType: options.groupType ?? groupResourceType,
    claims: claimsOf(options),
    journal: createJournal<ScimOccurrence, EpochSeconds>(options.onEvent ?? reportScimFaults(console), {
      clock,
      newIdentifier: identifierSeries(random),
    }),
  }
}

/** A log that is down must not fail a request. */
function tellAnswered(onRequest: ScimServerOptions['onRequest']): (answered: AnsweredRequest) => void {
  async function tell(answered: AnsweredRequest): Promise<void> {
    try {
      await onRequest?.(answered)
    } catch {
      // The listener is the host's; there is nobody left to tell.
    }
  }
  return (answered) => void tell(answered)
}

function claimsOf({
  emailVerified = () => false,
  claims = () => ({}),
}: ScimServerOptions): (resource: JsonObject) => ClaimChanges {
  return (resource) => ({ ...userClaims(resource, emailVerified), ...claims(resource) })
}
