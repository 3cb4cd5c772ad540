import { parseJsonObject, utf8Length } from '@mintmark/internal'
import type { JsonObject, JsonValue, OAuthStorage, ProvisionedUserRecord } from '@mintmark/storage-interface'

import { scimValues } from '../permissions/directory-roles.ts'
import type { TokenOrganization } from '../permissions/organization.ts'
import type { ActiveUser } from '../permissions/status.ts'

/** The claims that tell an API what a user may do (RFC 9068 §2.2.3, RFC 7643 §4.1.2). */
export const apiClaimNames = ['roles', 'groups', 'entitlements'] as const

export type ApiClaimName = (typeof apiClaimNames)[number]

/**
 * The source of a claim's values. `group_names`, `group_ids`: the display names or the SCIM `id`s of the groups in the
 * user's directory that the user is a direct member of. `scim_roles`, `scim_entitlements`: the values of the SCIM
 * attribute `roles` or `entitlements`. `organization_roles`: the user's roles in the organization that the token is
 * for. `{ claim }`: a stored claim or custom field of the user that is a string or a list of strings.
 */
export type ClaimValues =
  'group_names' | 'group_ids' | 'organization_roles' | 'scim_roles' | 'scim_entitlements' | { readonly claim: string }

/** A claim, and one source of its values. */
export interface ApiClaimSource {
  readonly name: ApiClaimName
  readonly from: ClaimValues
}

/** How large the host's claims in an access token may be, and what happens to larger ones. */
interface ClaimLimits {
  /** The number of values of one claim. */
  readonly values: number
  /** The size of all claims together, in bytes of JSON. */
  readonly bytes: number
  readonly overflow: 'refuse' | 'omit'
}

/** The options `accessTokenClaims` of resources and scopes, `identityClaims` of scopes, and the limits. */
export interface ApiClaimSettings {
  readonly byResource: ReadonlyMap<string, readonly ApiClaimSource[]>
  readonly byScope: ReadonlyMap<string, readonly ApiClaimSource[]>
  readonly identityByScope: ReadonlyMap<string, readonly ApiClaimSource[]>
  readonly limits: ClaimLimits
}

/** Reads the configured claims of a user. All sources in the directory together cost one indexed read. */
export async function readApiClaims(
  { user, organization }: { readonly user: ActiveUser; readonly organization: TokenOrganization | undefined },
  sources: readonly ApiClaimSource[],
  storage: Pick<OAuthStorage, 'provisionedUsers'>,
): Promise<Partial<Record<ApiClaimName, readonly string[]>>> {
  const isProvisioned = sources.some(({ from }) => isFromDirectory(from))
  const provisioned =
    isProvisioned && user.providerId !== undefined
      ? await storage.provisionedUsers?.find(user.providerId, user.userId)
      : undefined
  const resource = provisioned && parseJsonObject(provisioned.resource)
  const claims: Partial<Record<ApiClaimName, readonly string[]>> = {}
  for (const { name, from } of sources) {
    const values =
      from === 'organization_roles'
        ? (organization?.roles ?? [])
        : isFromDirectory(from)
          ? directoryValues(from, provisioned, resource)
          : stringValues(user.claims, from.claim)
    // A claim without values says that the user has none. A token that was issued before the claim was configured lacks
    // it.
    claims[name] = [...new Set([...(claims[name] ?? []), ...values])]
  }
  return claims
}

type DirectoryValues = Exclude<ClaimValues, 'organization_roles' | object>

export const isFromDirectory = (from: ClaimValues): from is DirectoryValues =>
  typeof from === 'string' && from !== 'organization_roles'

function directoryValues(
  from: DirectoryValues,
  user: ProvisionedUserRecord | undefined,
  resource: JsonObject | undefined,
): readonly string[] {
  switch (from) {
    case 'group_names':
      return user?.groups?.map(({ displayName }) => displayName) ?? []
    case 'group_ids':
      return user?.groups?.map(({ groupId }) => groupId) ?? []
    case 'scim_roles':
      return scimValues(resource?.['roles'])
    case 'scim_entitlements':
      return scimValues(resource?.['entitlements'])
    default:
      return from satisfies never
  }
}

function stringValues(owner: JsonObject, name: string): readonly string[] {
  const value = Object.hasOwn(owner, name) ? owner[name] : undefined
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((candidate): candidate is string => typeof candidate === 'string')
}

/**
 * Applies the limits to the claims of a token. With `omit`, claims that do not fit are left out, and
 * `claims_overflow` names them.
 * @returns `undefined` when the token must not be issued.
 */
export function limitClaims(
  { configured, mapped }: { readonly configured: JsonObject; readonly mapped: JsonObject },
  limits: ClaimLimits,
): { readonly claims: JsonObject; readonly omitted: readonly string[] } | undefined {
  const remaining: Record<string, JsonValue> = { ...configured, ...mapped }
  const omitted: string[] = []
  const omit = (name: string): void => {
    delete remaining[name]
    omitted.push(name)
    remaining['claims_overflow'] = omitted
  }
  for (const name of apiClaimNames) {
    const values = remaining[name]
    if (Array.isArray(values) && values.length > limits.values) omit(name)
  }
  // The largest goes first, so that as many claims as possible remain.
  const bySize = apiClaimNames
    .filter((name) => remaining[name] !== undefined)
    .toSorted((a, b) => jsonLength(remaining[b]) - jsonLength(remaining[a]))
  for (const name of bySize) if (jsonLength(remaining) > limits.bytes) omit(name)
  if (jsonLength(remaining) > limits.bytes || (omitted.length > 0 && limits.overflow === 'refuse')) return undefined
  return { claims: remaining, omitted }
}

const jsonLength = (value: JsonValue | undefined): number =>
  value === undefined ? 0 : utf8Length(JSON.stringify(value))
