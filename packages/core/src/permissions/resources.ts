import { findResourceName, isSameResource } from '@mintmark/internal'
import { type ClientRecord, type DurationSeconds, type JsonObject, seconds } from '@mintmark/storage-interface'

import { type DetailRules, narrowDetails } from './authorization-details.ts'
import type { ProfileRules } from '../clients/security-profile.ts'
import type { Parameters } from '../parameters.ts'
import { refuse, withoutSecrets } from '../refusals.ts'

/** A protected resource that access tokens can be issued for (RFC 8707). */
export interface Resource {
  /** Its identifier, used as `aud`: an absolute URI without fragment. */
  readonly uri: string
  /** Its name on the consent page. */
  readonly name: string
  /** The scope values that it defines. */
  readonly scopes: readonly string[]
  readonly accessTokenLifetime: DurationSeconds
  /** `jwt`: RFC 9068, verified by the resource itself. `opaque`: stored, verified by introspection only. */
  readonly accessTokenFormat: 'jwt' | 'opaque'
}

/** Resources by their identifier. */
export type ResourceRegistry = ReadonlyMap<string, Resource>

/** Everything that decides which APIs a token is for. */
export interface ResourceRules {
  readonly issuer: string
  readonly resources: ResourceRegistry
  /** Identity scopes, which every token may carry. */
  readonly identityScopes: ReadonlySet<string>
}

/**
 * Refuses a request that names no resource, if the client's profile requires one.
 * @throws OAuthError invalid_target — reason `resource_missing`.
 */
export function requireResource(parameters: Parameters, { requiresResource }: ProfileRules): void {
  // MCP 2026-07-28: without it, a token could be used at another MCP server.
  if (requiresResource && parameters.all('resource').length === 0) throw refuse('resource_missing')
}

/**
 * Determines the resources of a request: the resources that it names (RFC 8707 §2), or the one API that defines all
 * requested scope values. Identifiers are compared after normalization, and the result has them as they are registered. With `openid`, the issuer is a resource too, because it serves userinfo.
 * @throws OAuthError invalid_target — reason `resource_unknown`: a resource is not registered, which includes
 *   everything that is not an absolute URI without fragment, or there are more than 32; reason
 *   `resource_not_registered`: the client may not request tokens for a resource.
 */
export function requestedResources(
  request: { readonly named: readonly string[]; readonly scopes: readonly string[]; readonly client: ClientRecord },
  rules: ResourceRules,
): readonly string[] {
  const { scopes, client } = request
  if (request.named.length === 0) return impliedResources(request, rules)
  const named = registeredForms(request.named, [...rules.resources.keys(), rules.issuer])
  const isUserinfo = (uri: string): boolean => uri === rules.issuer && scopes.includes('openid')
  const apis = named.filter((uri) => !isUserinfo(uri))
  // RFC 8707 §2: invalid_target when the resource is unknown or malformed.
  const unknown = apis.filter((uri) => !rules.resources.has(uri))
  if (named.length > maxResources || unknown.length > 0) {
    const knownResources = [...rules.resources.keys()].slice(0, 20)
    throw refuse('resource_unknown', { clientId: client.clientId, refusedResources: forLog(unknown), knownResources })
  }
  // RFC 8707 §2: invalid_target when the client may not have tokens for the resource.
  const unregistered = apis.filter((uri) => !mayTarget(client, rules.resources.get(uri)))
  if (unregistered.length > 0) {
    throw refuse('resource_not_registered', { clientId: client.clientId, refusedResources: forLog(unregistered) })
  }
  return [...new Set(named)]
}

const forLog = (uris: readonly string[]): readonly string[] => uris.slice(0, 20).map(withoutSecrets)

/**
 * Returns the resources of a request that names none (RFC 8707 §2): the one API that defines all of its scope values.
 */
function impliedResources(
  { scopes, client }: { readonly scopes: readonly string[]; readonly client: ClientRecord },
  { issuer, resources, identityScopes }: ResourceRules,
): readonly string[] {
  const apiValues = scopes.filter((scope) => !identityScopes.has(scope))
  if (apiValues.length === 0) return []
  const owners = [...resources.values()].filter(
    (resource) => mayTarget(client, resource) && apiValues.every((scope) => resource.scopes.includes(scope)),
  )
  const [owner, second] = owners
  if (owner === undefined || second !== undefined) return []
  // OIDC Core §5.3: the client calls userinfo with the same token.
  return scopes.includes('openid') ? [...new Set([owner.uri, issuer])] : [owner.uri]
}

/** Whether the client may request tokens for the API: it is registered for it, or for one of its scope values. */
const mayTarget = (client: ClientRecord, resource: Resource | undefined): resource is Resource =>
  resource !== undefined &&
  (client.resources?.some((uri) => isSameResource(uri, resource.uri)) ??
    resource.scopes.some((scope) => client.scopes.includes(scope)))

/** Returns the scope values of an API, without identity scopes, which tokens for every API can have. */
export const apiScopes = (
  uri: string,
  { resources, identityScopes }: Pick<ResourceRules, 'resources' | 'identityScopes'>,
): readonly string[] => resources.get(uri)?.scopes.filter((scope) => !identityScopes.has(scope)) ?? []

/**
 * Keeps the requested scope values that tokens for these resources can have. Identity scopes are always kept.
 * @param bare the resources for which the client requests scope values only, and no authorization details.
 * @throws OAuthError invalid_target — reason `resource_without_scope`: the client requests scope values of APIs, but no
 *   usable ones are left, or none of the scope values of one of these APIs.
 */
export function usableScopes(
  scopes: readonly string[],
  { resources, bare = resources }: { readonly resources: readonly string[]; readonly bare?: readonly string[] },
  rules: ResourceRules,
): readonly string[] {
  const { issuer, identityScopes } = rules
  if (resources.length === 0 || scopes.every((scope) => identityScopes.has(scope))) return scopes
  const understood = new Set([...identityScopes, ...resources.flatMap((uri) => apiScopes(uri, rules))])
  const usable = scopes.filter((scope) => understood.has(scope))
  const isUserinfo = (uri: string): boolean => uri === issuer && scopes.includes('openid')
  const lacksScope = (own: readonly string[]): boolean => own.length > 0 && !own.some((scope) => usable.includes(scope))
  // RFC 8707 §2, RFC 6749 §5.1: the token would have none of the requested values, and the response could not say so.
  if (usable.length === 0 || bare.some((uri) => !isUserinfo(uri) && lacksScope(apiScopes(uri, rules))))
    throw refuse('resource_without_scope')
  return usable
}

/**
 * Determines the resources of one access token: the granted resources that the token request names, or all granted
 * ones. Where APIs were granted together with `openid`, it may also name the issuer, for a token for userinfo.
 * @throws OAuthError invalid_target — reason `resource_not_granted`.
 */
export function narrowResources(
  requested: readonly string[],
  granted: { readonly scopes: readonly string[]; readonly resources: readonly string[] },
  issuer: string,
): readonly string[] {
  if (requested.length === 0) return granted.resources
  const servesUserinfo = granted.resources.length > 0 && granted.scopes.includes('openid')
  const allowed = servesUserinfo ? [...granted.resources, issuer] : granted.resources
  const named = registeredForms(requested, allowed)
  // RFC 8707 §2.2: the token request may only select from the granted resources.
  if (named.some((uri) => !allowed.includes(uri))) throw refuse('resource_not_granted')
  return [...new Set(named)]
}

/** Returns the identifiers as they are registered; unknown ones stay as they are. */
const registeredForms = (uris: readonly string[], known: readonly string[]): readonly string[] =>
  uris.map((uri) => findResourceName(uri, known) ?? uri)

/** A high limit for the audiences of one token: each audience could use the token at the others (RFC 8707 §3). */
const maxResources = 32

/**
 * Returns the details for an access token: the details of the code or token family, or the narrower details of the request
 * (RFC 9396 §6).
 * @param requested the parameter `authorization_details`.
 * @throws OAuthError like `narrowDetails`.
 */
export async function narrowedDetails(
  requested: string | undefined,
  { authorizationDetails: granted }: { readonly authorizationDetails: readonly JsonObject[] },
  rules: DetailRules,
): Promise<readonly JsonObject[]> {
  return requested === undefined && granted.length === 0 ? [] : narrowDetails(requested, granted, rules)
}

/** The target of one access token: its audience, scopes, lifetime and format. */
export interface TokenTarget {
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  readonly lifetime: DurationSeconds
  readonly format: Resource['accessTokenFormat']
}

export interface TokenTargetDependencies extends ResourceRules {
  readonly defaultAudience: string
  readonly accessTokenLifetime: DurationSeconds
}

/**
 * Resolves granted scopes and resources to the target of an access token. A token for named resources is for them alone
 * (RFC 8707 §2.2, RFC 9068 §3). Without resources it is for the default audience and, with `openid`, for the userinfo
 * endpoint of this server. Scope values of other resources are dropped.
 * @throws OAuthError invalid_target — reason `resource_unknown`: no granted resource is still registered, or the client
 *   may no longer request tokens for them.
 */
export function resolveTarget(
  granted: {
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
    readonly client: ClientRecord
  },
  deps: TokenTargetDependencies,
): TokenTarget {
  const { scopes, resources, client } = granted
  if (resources.length === 0) {
    const userinfo = scopes.includes('openid') ? [deps.issuer] : []
    const audience = [...new Set([deps.defaultAudience, ...userinfo])]
    return { audience, scopes, lifetime: deps.accessTokenLifetime, format: 'jwt' }
  }

  const named = registeredForms(resources, [...deps.resources.keys()])
  const targets = named.map((uri) => deps.resources.get(uri)).filter((resource) => mayTarget(client, resource))
  const issuer = resources.includes(deps.issuer) ? [deps.issuer] : []
  const audience = [...new Set([...targets.map(({ uri }) => uri), ...issuer])]
  // RFC 8707 §2.2: the default audience was not granted. A removed resource must not widen a narrow grant.
  if (audience.length === 0) {
    const knownResources = [...deps.resources.keys()].slice(0, 20)
    throw refuse('granted_resource_unknown', {
      clientId: client.clientId,
      refusedResources: forLog(resources),
      knownResources,
    })
  }
  const understood = new Set(targets.flatMap((target) => target.scopes))
  const lifetimes = targets.map(({ accessTokenLifetime }) => accessTokenLifetime)
  return {
    audience,
    scopes: scopes.filter((scope) => understood.has(scope) || deps.identityScopes.has(scope)),
    lifetime: lifetimes.length === 0 ? deps.accessTokenLifetime : seconds(Math.min(...lifetimes)),
    format: targets.some(({ accessTokenFormat }) => accessTokenFormat === 'opaque') ? 'opaque' : 'jwt',
  }
}
