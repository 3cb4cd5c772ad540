import { seconds, type DurationSeconds } from '@mintmark/storage-interface'

import { refuse } from '../refusals.ts'

/** A protected resource that access tokens can be issued for (RFC 8707). */
export interface Resource {
  /** Its identifier, used as `aud`: an absolute URI without fragment. */
  readonly uri: string
  /** The scope values that it defines. */
  readonly scopes: readonly string[]
  readonly accessTokenLifetime: DurationSeconds
  /** `jwt`: RFC 9068, verified by the resource itself. `opaque`: stored, verified by introspection only. */
  readonly accessTokenFormat: 'jwt' | 'opaque'
}

/** Resources by their identifier. */
export type ResourceRegistry = ReadonlyMap<string, Resource>

/**
 * Validates the resources that a request names (RFC 8707 §2). Identifiers are compared character by character.
 * @throws OAuthError invalid_target — reason `resource_unknown`; also for anything that is not an absolute URI without
 *   fragment, since it cannot be registered, and for more than 32 resources.
 */
export function requestedResources(values: readonly string[], registry: ResourceRegistry): readonly string[] {
  // RFC 8707 §2: invalid_target when the resource is unknown or malformed.
  if (values.length > maxResources || values.some((uri) => !registry.has(uri))) throw refuse('resource_unknown')
  return [...new Set(values)]
}

/**
 * Determines the resources of one access token: the granted resources that the token request names, or all granted
 * ones.
 * @throws OAuthError invalid_target — reason `resource_not_granted`.
 */
export function narrowResources(values: readonly string[], granted: readonly string[]): readonly string[] {
  if (values.length === 0) return granted
  // RFC 8707 §2.2: the token request may only select from the granted resources.
  if (values.some((uri) => !granted.includes(uri))) throw refuse('resource_not_granted')
  return [...new Set(values)]
}

/** More audiences than any access token should have: each could use the token at the others (RFC 8707 §3). */
const maxResources = 32

/** The target of one access token: its audience, scopes, lifetime and format. */
export interface TokenTarget {
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  readonly lifetime: DurationSeconds
  readonly format: Resource['accessTokenFormat']
}

export interface TokenTargetDependencies {
  readonly issuer: string
  readonly resources: ResourceRegistry
  readonly defaultAudience: string
  readonly accessTokenLifetime: DurationSeconds
  /** Identity scopes, which every token may carry. */
  readonly identityScopes: ReadonlySet<string>
}

/**
 * Resolves granted scopes and resources to the target of an access token; without resources, to the default audience
 * (RFC 8707 §2.2, RFC 9068 §3). With `openid` this server is an audience too, for its userinfo endpoint. Scope values
 * of other resources are dropped.
 * @throws OAuthError invalid_target — reason `resource_unknown`: none of the granted resources is registered any more.
 */
export function resolveTarget(
  granted: { readonly scopes: readonly string[]; readonly resources: readonly string[] },
  deps: TokenTargetDependencies,
): TokenTarget {
  const userinfo = granted.scopes.includes('openid') ? [deps.issuer] : []
  if (granted.resources.length === 0) {
    const audience = [...new Set([deps.defaultAudience, ...userinfo])]
    return { audience, scopes: granted.scopes, lifetime: deps.accessTokenLifetime, format: 'jwt' }
  }

  const targets = granted.resources.flatMap((uri) => deps.resources.get(uri) ?? [])
  // RFC 8707 §2.2: the default audience was not granted. A removed resource must not widen a narrow grant.
  if (targets.length === 0) throw refuse('resource_unknown:granted')
  const understood = new Set(targets.flatMap(({ scopes }) => scopes))
  return {
    audience: [...new Set([...targets.map(({ uri }) => uri), ...userinfo])],
    scopes: granted.scopes.filter((scope) => understood.has(scope) || deps.identityScopes.has(scope)),
    lifetime: seconds(Math.min(...targets.map(({ accessTokenLifetime }) => accessTokenLifetime))),
    format: targets.some(({ accessTokenFormat }) => accessTokenFormat === 'opaque') ? 'opaque' : 'jwt',
  }
}
