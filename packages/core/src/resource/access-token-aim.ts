import { seconds, type DurationSeconds } from '@mintmark/storage-interface'

import type { Resource, ResourceRegistry } from './resource.ts'

/** What one access token is for: who it is meant for, what it may do there, for how long, in which form. */
export interface AccessTokenAim {
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  readonly lifetime: DurationSeconds
  readonly format: Resource['accessTokenFormat']
}

export interface AimDependencies {
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
 */
export function aimAccessToken(
  granted: { readonly scopes: readonly string[]; readonly resources: readonly string[] },
  deps: AimDependencies,
): AccessTokenAim {
  const userinfo = granted.scopes.includes('openid') ? [deps.issuer] : []
  const targets = granted.resources.flatMap((uri) => deps.resources.get(uri) ?? [])
  if (targets.length === 0) {
    const audience = [...new Set([deps.defaultAudience, ...userinfo])]
    return { audience, scopes: granted.scopes, lifetime: deps.accessTokenLifetime, format: 'jwt' }
  }

  const understood = new Set(targets.flatMap(({ scopes }) => scopes))
  return {
    audience: [...new Set([...targets.map(({ uri }) => uri), ...userinfo])],
    scopes: granted.scopes.filter((scope) => understood.has(scope) || deps.identityScopes.has(scope)),
    lifetime: seconds(Math.min(...targets.map(({ accessTokenLifetime }) => accessTokenLifetime))),
    format: targets.some(({ accessTokenFormat }) => accessTokenFormat === 'opaque') ? 'opaque' : 'jwt',
  }
}
