import { seconds, type DurationSeconds } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { Resource, ResourceRegistry } from './resource.ts'

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
