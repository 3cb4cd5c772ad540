import { createMemoryRateLimiter } from '@mintmark/core'
import { type HttpService } from '@mintmark/core/http'
import { createOutboundClient, createRemoteKeySets, documentLimits } from '@mintmark/core/internal'
import {
  createJournal,
  createTurns,
  identifierSeries,
  systemClock,
  systemRandom,
  aFunction,
  aListOfStrings,
  anObjectWith,
  aNonEmptyString,
  checkOptions,
  listOf,
  type OptionChecks,
  optionsOf,
  parseServerIssuer,
  required,
  wholeNumber,
  aStorage,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import type { AgentOptions } from './agents/agent-client.ts'
import { servedAgents } from './agents/served-agents.ts'
import { bulkRoutes } from './bulk/process-bulk.ts'
import { customRoutes } from './custom/custom-routes.ts'
import { aCustomType, aResourceType, checkCustomTypes } from './custom/custom-types.ts'
import { createDeprovisioningLimiter, deprovisioningLimit } from './deprovisioning/deprovisioning-limiter.ts'
import { discoveryRoutes } from './discovery/discovery.ts'
import { createRevocationLister, notifyAnswered, recordRefusal, type ScimOccurrence } from './event/scim-event.ts'
import { reportScimFaults } from './event/log-scim-events.ts'
import { defaultFilterLimits, type FilterLimits } from './filter/parse-filter.ts'
import { servedGroups } from './groups/group-endpoints.ts'
import type { GroupDependencies } from './groups/write-group.ts'
import { searchEndpoints } from './list/search-endpoints.ts'
import { resourceRoutes } from './custom/resource-endpoints.ts'
import { defaultPageLimits, type PageLimits } from './list/search-request.ts'
import type { ListedType } from './list/type-searches.ts'
import { createReferences } from './custom/references.ts'
import { agentResourceType } from './schema/agent-schema.ts'
import { groupResourceType } from './schema/group-schema.ts'
import { refuseIndexesOfGroups, withIndexedAttributes } from './schema/indexed-attributes.ts'
import { defineResourceType, type ResourceType } from './schema/resource-type.ts'
import { defineSchema } from './schema/schema.ts'
import { userResourceType } from './schema/user-schema.ts'
import {
  type ProviderLogin,
  type ProviderSignIn,
  type SignInDependencies,
  signInFromProvider,
} from './sign-in/sign-in-from-provider.ts'
import { createUserRenderCache } from './users/render-cache.ts'
import { createClaimMapping } from './users/user-claims.ts'
import { listedUsers, userRoutes } from './users/user-endpoints.ts'
import { revocationPath } from './universal-logout/authenticate-request.ts'
import { universalLogoutRoutes } from './universal-logout/endpoint.ts'
import type { ScimServerOptions, UniversalLogoutOptions } from './options.ts'
import { createResourceQuota } from './call/resource-quota.ts'
import type { ScimRoutes } from './call/scim-call.ts'
import { limitChecks, scimLimits, type ScimLimits } from './limits/scim-limits.ts'
import { createScimRouter } from './router.ts'

/** A SCIM 2.0 server (RFC 7643, RFC 7644) for all identity providers of one issuer. An adapter connects it to HTTP. */
export interface ScimServer extends HttpService {
  readonly issuer: string
  /** Finds or creates the user who signed in at an identity provider. For the host's own login page. */
  readonly signInFromProvider: (login: ProviderLogin) => Promise<ProviderSignIn>
}

/**
 * Creates a SCIM server. Servers share no state, so one process can run several.
 * @throws TypeError when the issuer differs from the issuer of the storage, or is not one that the authorization server
 * accepts, when `resourceTypes` collide with each other or with the endpoints of SCIM, and when an attribute of groups is `indexed` or
 * unique.
 */
export function createScimServer(hostOptions: ScimServerOptions): ScimServer {
  checkOptions('createScimServer', hostOptions, scimOptions)
  // The tenant URL that administrators configure starts with the issuer of the storage.
  parseServerIssuer(hostOptions)
  requireStores(hostOptions.storage, { capability: 'scim', feature: 'createScimServer' })
  refuseIndexesOfGroups(hostOptions.groupType ?? groupResourceType)
  const storage = withIndexedAttributes(hostOptions.storage, hostOptions.userType ?? userResourceType)
  const options = { ...hostOptions, storage }
  const { issuer } = options
  const limits = scimLimits(options.limits)
  const deps = scimDependencies(options, limits)
  const groups = servedGroups(deps)
  const agents = options.agents && agentsOf(options.agents, listedUsers(deps), { ...deps, limits })
  const standard = [listedUsers(deps), groups.listed, ...(agents === undefined ? [] : [agents.listed])]
  const standardTypes = [deps.userType, deps.groupType, ...(agents === undefined ? [] : [agentResourceType])]
  const customTypes = checkCustomTypes(options.resourceTypes ?? [], [
    options.userType ?? userResourceType,
    ...standardTypes.slice(1),
  ])
  const custom = customRoutes(customTypes, { ...deps, standard, limits })
  const listed = [...standard, ...custom.map((type) => type.listed)]
  const resources: ScimRoutes = {
    users: userRoutes(deps),
    groups: resourceRoutes(groups, deps),
    ...(agents && { agents: resourceRoutes(agents, deps) }),
    ...Object.fromEntries(custom.map(({ path, routes }) => [path, routes])),
  }
  const router = createScimRouter({
    issuer,
    storage,
    accessTokens: options.accessTokens,
    mayProvision: options.mayProvision,
    requestLimit: options.requestLimit,
    limits,
    turns: deps.turns,
    clock: deps.clock,
    universalLogout: options.universalLogout && {
      issuer,
      storage,
      keySets: remoteKeySets(options.universalLogout),
    },
    routes: {
      ...discoveryRoutes([...standardTypes, ...customTypes.published], {
        passwords: options.password !== undefined,
        limits,
        pageLimits: deps.pageLimits,
      }),
      ...resources,
      '.search': { collection: { POST: searchEndpoints(listed, deps).search } },
      bulk: bulkRoutes({ ...deps, resources }),
      ...(options.universalLogout && logoutRoutes(options.universalLogout, { ...deps, issuer })),
    },
    recordRefusal: recordRefusal(deps.journal),
    notifyAnswered: notifyAnswered(options.onRequest),
  })
  return { ...router, issuer, signInFromProvider: (login) => signInFromProvider(login, deps) }
}

const logoutRoutes = (
  { limit = createMemoryRateLimiter({ points: 60, window: 60 }) }: UniversalLogoutOptions,
  deps: Omit<Parameters<typeof universalLogoutRoutes>[0], 'limiter'>,
): ScimRoutes => ({ [revocationPath]: universalLogoutRoutes({ ...deps, limiter: limit }) })

/** @throws TypeError when the storage cannot end agents with their owners. */
function agentsOf(
  agents: AgentOptions,
  users: ListedType,
  deps: Omit<SignInDependencies & GroupDependencies, 'limits'> & { readonly limits: ScimLimits },
): ReturnType<typeof servedAgents> {
  const { storage } = deps
  requireStores(storage, { capability: 'agents', feature: 'createScimServer with agents' })
  const references = createReferences(agentResourceType, (name) => (name === 'User' ? users : undefined))
  if (storage.agents === undefined) throw new TypeError('The storage has no agents.')
  return servedAgents({ ...deps, agents, store: storage.agents, references })
}

const scimOptions: OptionChecks<ScimServerOptions> = {
  issuer: required(aNonEmptyString),
  storage: required(aStorage),
  accessTokens: anObjectWith('accessToken'),
  mayProvision: aFunction,
  userType: aResourceType,
  groupType: aResourceType,
  resourceTypes: listOf(aCustomType),
  agents: optionsOf<AgentOptions>({ clientFor: aFunction }),
  emailVerified: aFunction,
  claims: aFunction,
  onEvent: aFunction,
  onRequest: aFunction,
  deprovisioningLimit,
  requestLimit: (value) =>
    value === 'unlimited' ? undefined : anObjectWith('consume')(value) && 'must be a rate limiter or unlimited',
  universalLogout: optionsOf<UniversalLogoutOptions>({
    fetch: aFunction,
    dangerouslyAllowOutbound: aListOfStrings,
    limit: anObjectWith('consume'),
  }),
  uniqueGroupNames: aFunction,
  filterLimits: optionsOf<Partial<FilterLimits>>({
    length: wholeNumber(1, 1_000_000),
    parts: wholeNumber(1, 1_000_000),
  }),
  limits: optionsOf<Partial<ScimLimits>>(limitChecks),
  pageLimits: optionsOf<Partial<PageLimits>>({
    defaultCount: wholeNumber(1, 1_000_000_000),
    maxCount: wholeNumber(1, 1_000_000_000),
    bytes: wholeNumber(1, 1_000_000_000),
    cursorLifetime: wholeNumber(1, 1_000_000_000),
  }),
  clock: aFunction,
  random: aFunction,
  link: aFunction,
  mayChange: aFunction,
  password: aFunction,
}

const remoteKeySets = ({ fetch, dangerouslyAllowOutbound: allowedOrigins = [] }: UniversalLogoutOptions) =>
  createRemoteKeySets(() => createOutboundClient(fetch, { ...documentLimits, allowedOrigins }))

/**
 * Returns the type of users, without `password` if the host takes none: a server must not publish and accept a password
 * that nobody stores (IPSIE SCIM profile).
 */
function publishedUserType({ userType = userResourceType, password }: ScimServerOptions): ResourceType {
  const { schema } = userType
  if (password !== undefined || !schema.attributesByName.has('password')) return userType
  const attributes = schema.attributes.filter(({ name }) => name !== 'password')
  return defineResourceType({ ...userType, schema: defineSchema({ ...schema, attributes }) })
}

function scimDependencies(options: ScimServerOptions, limits: ScimLimits): SignInDependencies & GroupDependencies {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const userType = publishedUserType(options)
  return {
    storage: options.storage,
    clock,
    random,
    turns: createTurns(),
    limits,
    userQuota: createResourceQuota(limits.users, (query) => options.storage.provisionedUsers.list(query)),
    groupQuota: createResourceQuota(limits.groups, (query) => options.storage.groups.list(query)),
    listRevokedAccess: createRevocationLister(options),
    hooks: options,
    deprovisioningLimiter:
      options.deprovisioningLimit && createDeprovisioningLimiter(options.deprovisioningLimit, options),
    userType,
    renderCache: createUserRenderCache(userType, options.issuer, limits),
    groupType: options.groupType ?? groupResourceType,
    claims: createClaimMapping(options),
    uniqueGroupNames: options.uniqueGroupNames ?? (() => false),
    filterLimits: { ...defaultFilterLimits, ...options.filterLimits },
    pageLimits: { ...defaultPageLimits, ...options.pageLimits },
    journal: createJournal<ScimOccurrence, EpochSeconds>(options.onEvent ?? reportScimFaults(console), {
      clock,
      newIdentifier: identifierSeries(random),
    }),
  }
}
