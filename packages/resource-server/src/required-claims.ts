import type { AccessTokenClaims } from './access-token.ts'
import { refuse } from './refusals.ts'

/** What the claims of a token have to say (RFC 9068 §2.2.3). Each member that is given must hold. */
export interface RequiredClaims {
  /** The claim `roles` has at least one of these values. */
  readonly roles?: readonly [string, ...string[]]
  /** The claim `groups` has at least one of these values. */
  readonly groups?: readonly [string, ...string[]]
  /** The claim `entitlements` has at least one of these values. */
  readonly entitlements?: readonly [string, ...string[]]
  /** The token is for one of these organizations, by `org_id`; with `true`, for any: compare `token.organizationId`. */
  readonly organization?: true | readonly [string, ...string[]]
}

const listNames = ['roles', 'groups', 'entitlements'] as const

/**
 * @throws AccessRefusedError `organization_missing`, `organization_other`, `claim_omitted` or `claim_missing`. Only the first
 *   can be corrected by the client, with another request for a token.
 */
export function requireClaimsOf(token: AccessTokenClaims, required: RequiredClaims): void {
  const { organization } = required
  if (organization !== undefined) {
    // RFC 6750 §3.1: the client can ask for a token with the scope `organization`.
    if (token.organizationId === undefined) throw refuse('organization_missing')
    // RFC 9110 §15.5.4.
    if (organization !== true && !organization.includes(token.organizationId)) throw refuse('organization_other')
  }
  for (const name of listNames) {
    const wanted: readonly string[] | undefined = required[name]
    if (wanted !== undefined && !valuesOf(token, name).some((value) => wanted.includes(value)))
      // RFC 9110 §15.5.4. A claim that was left out because it was too large is not an empty one.
      throw refuse(valuesOf(token, 'claims_overflow').includes(name) ? 'claim_omitted' : 'claim_missing')
  }
}

/** A claim of another type has no values: it allows nothing. */
function valuesOf({ claims }: AccessTokenClaims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  const values: readonly unknown[] = Array.isArray(value) ? value : []
  return values.filter((each): each is string => typeof each === 'string')
}

/** @throws TypeError that says what to change: a requirement that is misspelled or empty would admit every token. */
export function checkRequiredClaims(required: RequiredClaims): void {
  const entries = Object.entries(required).filter(([, value]) => value !== undefined)
  if (entries.length === 0)
    throw new TypeError('requireClaims needs roles, groups, entitlements or organization. Or use require(…).')
  for (const [name, value] of entries) {
    if (name === 'organization' && value === true) continue
    if (name !== 'organization' && !listNames.some((known) => known === name))
      throw new TypeError(`requireClaims: ${name} is not roles, groups, entitlements or organization.`)
    const values: readonly unknown[] = Array.isArray(value) ? value : []
    if (values.length === 0 || values.some((each) => typeof each !== 'string' || each === ''))
      throw new TypeError(`requireClaims: ${name} must be a list of texts, with at least one.`)
  }
}
