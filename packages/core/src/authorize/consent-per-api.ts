import type { JsonObject } from '@mintmark/storage-interface'

import { apiScopes, type ResourceRules } from '../token/resources.ts'
import { detailsFor } from './authorization-details.ts'
import type { DetailTypes } from './detail-types.ts'
import type { AuthorizationRequest } from './request.ts'

/** What a client requests, or what a user granted of it. */
interface Access {
  readonly scopes: readonly string[]
  readonly details: readonly JsonObject[]
}

interface ConsentPerApiDependencies {
  readonly rules: ResourceRules
  readonly detailTypes: DetailTypes
}

/**
 * Determines the resources of the tokens after the user's decision: without the APIs for which the client requested something
 * and the user granted nothing. If that leaves none, a token with `openid` is for userinfo alone.
 * @returns none for a request with resources: no token can be issued.
 */
export function grantedResources(
  request: Pick<AuthorizationRequest, 'consentScopes' | 'details' | 'resources'>,
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
