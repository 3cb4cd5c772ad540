import { requireStores } from '@mintmark/storage-interface/stores'
import type { OAuthStorage } from '@mintmark/storage-interface'
import * as z from 'zod/mini'

import { type ApiClaimSettings, type ApiClaimSource, apiClaimNames, isFromDirectory } from './api-claims.ts'

/** Reads the options `accessTokenClaims` and `identityClaims` of all resources and scopes. */
export function apiClaimSettings(
  parsed: {
    readonly resources: Readonly<Record<string, Configured>>
    readonly scopes: Readonly<Record<string, Configured | string>>
    readonly accessTokenClaimLimits: ApiClaimSettings['limits']
  },
  storage: OAuthStorage,
): ApiClaimSettings {
  const byResource = sourcesByName(Object.entries(parsed.resources), 'accessTokenClaims')
  const byScope = sourcesByName(Object.entries(parsed.scopes), 'accessTokenClaims')
  const identityByScope = sourcesByName(Object.entries(parsed.scopes), 'identityClaims')
  const features = [
    ['accessTokenClaims', [...byResource.values(), ...byScope.values()]],
    ['identityClaims', [...identityByScope.values()]],
  ] as const
  for (const [feature, sources] of features)
    if (sources.flat().some(({ from }) => isFromDirectory(from)))
      requireStores(storage, { capability: 'scim', feature })
  return { byResource, byScope, identityByScope, limits: parsed.accessTokenClaimLimits }
}

interface Configured {
  readonly accessTokenClaims?: z.infer<typeof accessTokenClaimsOption> | undefined
  readonly identityClaims?: z.infer<typeof accessTokenClaimsOption> | undefined
}

const sourcesByName = (
  entries: readonly (readonly [string, Configured | string])[],
  member: keyof Configured,
): ReadonlyMap<string, readonly ApiClaimSource[]> =>
  new Map(
    entries.flatMap(([key, option]) => {
      const claims = typeof option === 'string' ? undefined : option[member]
      const sources = apiClaimNames.flatMap((name) => (claims?.[name] ?? []).map((from) => ({ name, from })))
      return sources.length === 0 ? [] : [[key, sources] as const]
    }),
  )

const claimSources = z.optional(
  z
    .array(
      z.union([
        z.enum(['group_names', 'group_ids', 'organization_roles', 'scim_roles', 'scim_entitlements']),
        z.strictObject({ claim: z.string().check(z.minLength(1)) }),
      ]),
    )
    .check(z.minLength(1)),
)

/** The options `accessTokenClaims` of a resource or a scope, and `identityClaims` of a scope. */
export const accessTokenClaimsOption = z.optional(
  z.strictObject({ roles: claimSources, groups: claimSources, entitlements: claimSources }),
)

/** The option `accessTokenClaimLimits`. */
export const claimLimitsOption = z.prefault(
  z.strictObject({
    values: z.prefault(z.int().check(z.positive(), z.maximum(10_000)), 100),
    bytes: z.prefault(z.int().check(z.positive(), z.maximum(65_536)), 4096),
    overflow: z.prefault(z.enum(['refuse', 'omit']), 'refuse'),
  }),
  {},
)
