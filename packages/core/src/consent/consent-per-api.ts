import type { GrantRecord, JsonObject } from '@mintmark/storage-interface'

import { apiScopes, type ResourceRules } from '../permissions/resources.ts'
import { detailsFor } from '../permissions/authorization-details.ts'
import type { DetailTypes } from '../permissions/detail-types.ts'

/** The members of an authorization request that users consent to. */
interface RequestedAccess {
  readonly consentScopes: readonly string[]
  readonly consentResources: readonly string[]
  readonly resources: readonly string[]
  readonly details: readonly JsonObject[]
}

/** What a client requests, or the part of it that a user granted. */
interface Access {
  readonly scopes: readonly string[]
  readonly details: readonly JsonObject[]
}

interface ConsentPerApiDependencies {
  readonly rules: ResourceRules
  readonly detailTypes: DetailTypes
}

/**
 * Determines the resources of the tokens after the user's decision: without the APIs for which the client requested
 * something and the user granted nothing. If that leaves none, a token with `openid` is for userinfo alone.
 * @returns none for a request with resources: no token can be issued.
 */
export function grantedResources(
  request: Omit<RequestedAccess, 'consentResources'>,
  granted: Access,
  deps: ConsentPerApiDependencies,
): readonly string[] {
  const requested = { scopes: request.consentScopes, details: request.details }
  const kept = request.resources.filter((uri) => !isForApi(uri, requested, deps) || isForApi(uri, granted, deps))
  if (kept.length > 0 || request.resources.length === 0) return kept
  // RFC 8707 §2.2: the default audience was not requested.
  return granted.scopes.includes('openid') ? [deps.rules.issuer] : []
}

function isForApi(
  uri: string,
  { scopes, details }: Access,
  { rules, detailTypes }: ConsentPerApiDependencies,
): boolean {
  const own = uri === rules.issuer ? [...apiScopes(uri, rules), 'openid'] : apiScopes(uri, rules)
  return own.some((scope) => scopes.includes(scope)) || detailsFor(details, [uri], detailTypes).length > 0
}

/**
 * Whether the user has consented to the requested scope values together with the requested APIs (RFC 8707 §3). Where
 * the request is for no API, its tokens are for the default audience: consent to a scope value at an API does not count
 * for that.
 */
export function isConsented(
  { consentScopes, consentResources, resources }: Omit<RequestedAccess, 'details'>,
  grant: Pick<GrantRecord, 'scopes' | 'resources'>,
  rules: ApiScopeRules,
): boolean {
  if (!isSubset(consentScopes, grant.scopes) || !isSubset(consentResources, grant.resources)) return false
  return resources.length > 0 || !consentScopes.some((scope) => isScopeOf(grant.resources, scope, rules))
}

type ApiScopeRules = Pick<ResourceRules, 'resources' | 'identityScopes'>

/** Scope values and APIs. */
interface ScopesAndApis {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** What a user granted on a page. */
export interface GrantedOnPage extends ScopesAndApis {
  /** Whether the tokens are for the named APIs, or for the default audience because the request is for none. */
  readonly audience: 'apis' | 'default'
}

/**
 * Adds a decision to what is left of earlier consent. A grant has scope values and APIs, but not which of them the user
 * has seen together. So if a page has not shown one of the scope values together with one of the APIs, the older of
 * the two is forgotten, and asked for again (RFC 8707 §3).
 * @param before the consent before the decision. `kept` is what the decision was not about, or has confirmed.
 */
export function addDecision(
  { before, kept }: { readonly before: ScopesAndApis; readonly kept: ScopesAndApis },
  granted: GrantedOnPage,
  rules: ApiScopeRules,
): ScopesAndApis {
  const newScopes =
    granted.audience === 'default' ? granted.scopes : granted.scopes.filter((scope) => !kept.scopes.includes(scope))
  const newApis = granted.resources.filter((uri) => !kept.resources.includes(uri))
  const resources = union(
    kept.resources.filter(
      (uri) => granted.resources.includes(uri) || !newScopes.some((scope) => isScopeOf([uri], scope, rules)),
    ),
    granted.resources,
  )
  const lostApis = before.resources.filter((uri) => !resources.includes(uri))
  const isSeen = (scope: string): boolean => {
    if (isScopeOf(newApis, scope, rules)) return false
    // Without its API it would count as consented to for the default audience.
    return !isScopeOf(lostApis, scope, rules) || isScopeOf(resources, scope, rules)
  }
  const scopes = kept.scopes.filter((scope) => granted.scopes.includes(scope) || isSeen(scope))
  return { scopes: union(scopes, granted.scopes), resources }
}

const isScopeOf = (uris: readonly string[], scope: string, rules: ApiScopeRules): boolean =>
  uris.some((uri) => apiScopes(uri, rules).includes(scope))

const isSubset = (some: readonly string[], all: readonly string[]): boolean => some.every((one) => all.includes(one))

const union = (some: readonly string[], others: readonly string[]): readonly string[] => [
  ...new Set([...some, ...others]),
]
