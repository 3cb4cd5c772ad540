import { seconds, type DurationSeconds } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'

/** A protected resource that access tokens may be meant for (RFC 8707). */
export interface Resource {
  /** Its identifier, which becomes the `aud`: an absolute URI without fragment. */
  readonly uri: string
  /** The scope values that mean something there. */
  readonly scopes: readonly string[]
  readonly accessTokenLifetime: DurationSeconds
  /** `jwt`: RFC 9068, read by the resource itself. `opaque`: found in storage, by introspection only. */
  readonly accessTokenFormat: 'jwt' | 'opaque'
}

/** Resources by their identifier. */
export type ResourceRegistry = ReadonlyMap<string, Resource>

/**
 * The resources that a request names, each registered (RFC 8707 §2). Identifiers are compared character by character.
 * @throws OAuthError invalid_target — reason `resource_unknown`, also for what is not an absolute URI without fragment,
 *   since no such URI can be registered, and for a list of more than 32.
 */
export function requestedResources(values: readonly string[], registry: ResourceRegistry): readonly string[] {
  // RFC 8707 §2: invalid_target when the resource is unknown or malformed.
  if (values.length > maxResources || values.some((uri) => !registry.has(uri))) {
    throw new OAuthError('invalid_target', 'A requested resource is not known to this server.', {
      reason: 'resource_unknown',
    })
  }
  return [...new Set(values)]
}

/**
 * The resources for one access token: those that the token request names, of the granted ones, or all granted ones.
 * @throws OAuthError invalid_target — reason `resource_not_granted`.
 */
export function narrowResources(values: readonly string[], granted: readonly string[]): readonly string[] {
  if (values.length === 0) return granted
  // RFC 8707 §2.2: the token request may only pick from what the authorization request was granted.
  if (values.some((uri) => !granted.includes(uri))) {
    throw new OAuthError('invalid_target', 'A requested resource was not granted.', { reason: 'resource_not_granted' })
  }
  return [...new Set(values)]
}

/** More audiences than an access token should have: each of them could use it at the others (RFC 8707 §3). */
const maxResources = 32

/** What one access token is for: who it is meant for, what it may do there, for how long, in which form. */
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
  /** Scope values that concern the person and no API: they go with every token. */
  readonly identityScopes: ReadonlySet<string>
}

/**
 * Aims an access token at resources, or at the default audience when none is named (RFC 8707 §2.2, RFC 9068 §3). With
 * `openid` this server is an audience too, since its userinfo endpoint is. Scope values of other resources stay behind.
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
  // RFC 8707 §2.2: the default audience was not granted. A resource that is gone must not turn a narrow grant into a wide one.
  if (targets.length === 0) {
    throw new OAuthError('invalid_target', 'The granted resource is no longer known to this server.', {
      reason: 'resource_unknown',
    })
  }
  const understood = new Set(targets.flatMap(({ scopes }) => scopes))
  return {
    audience: [...new Set([...targets.map(({ uri }) => uri), ...userinfo])],
    scopes: granted.scopes.filter((scope) => understood.has(scope) || deps.identityScopes.has(scope)),
    lifetime: seconds(Math.min(...targets.map(({ accessTokenLifetime }) => accessTokenLifetime))),
    format: targets.some(({ accessTokenFormat }) => accessTokenFormat === 'opaque') ? 'opaque' : 'jwt',
  }
}
