import type { AccessTokenClaims } from './access-token.ts'
import { refuse } from './refusals.ts'

/** Requirements for the claims of a token (RFC 9068 §2.2.3). The token must meet all of them. */
export interface RequiredClaims {
  /** The claim `roles` must have at least one of these values. */
  readonly roles?: readonly [string, ...string[]]
  /** The claim `groups` must have at least one of these values. */
  readonly groups?: readonly [string, ...string[]]
  /** The claim `entitlements` must have at least one of these values. */
  readonly entitlements?: readonly [string, ...string[]]
  /** The token must be for one of these organizations (`org_id`); with `true`, for any: compare `token.organizationId`. */
  readonly organization?: true | readonly [string, ...string[]]
}

const listClaims = ['roles', 'groups', 'entitlements'] as const

/**
 * @throws AccessRefusedError `organization_missing`, `organization_other`, `claim_omitted` or `claim_missing`. The client
 *   can correct only the first, by requesting another token.
 */
export function requireClaimsOf(token: AccessTokenClaims, required: RequiredClaims): void {
  const { organization } = required
  if (organization !== undefined) {
    // RFC 6750 §3.1: the client can request a token with the scope `organization`.
    if (token.organizationId === undefined) throw refuse('organization_missing')
    // RFC 9110 §15.5.4: another token would not help.
    if (organization !== true && !organization.includes(token.organizationId)) throw refuse('organization_other')
  }
  for (const name of listClaims) {
    const accepted: readonly string[] | undefined = required[name]
    if (accepted !== undefined && !valuesOf(token, name).some((value) => accepted.includes(value)))
      // RFC 9110 §15.5.4: another token would not help. A claim that was left out because it was too large is not empty.
      throw refuse(valuesOf(token, 'claims_overflow').includes(name) ? 'claim_omitted' : 'claim_missing')
  }
}

/** Returns the values of a claim. A claim that is not a list has no values, and so allows nothing. */
function valuesOf({ claims }: AccessTokenClaims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  const values: readonly unknown[] = Array.isArray(value) ? value : []
  return values.filter((each): each is string => typeof each === 'string')
}

/** @throws TypeError that says what to change, because a misspelled or empty requirement would admit every token. */
export function checkRequiredClaims(required: RequiredClaims): void {
  const entries = Object.entries(required).filter(([, value]) => value !== undefined)
  if (entries.length === 0)
    throw new TypeError(
      'requireClaims needs roles, groups, entitlements or organization. Without them, use require(…).',
    )
  for (const [name, value] of entries) {
    if (name === 'organization' && value === true) continue
    if (name !== 'organization' && !listClaims.some((known) => known === name))
      throw new TypeError(`requireClaims: ${name} is not roles, groups, entitlements or organization.`)
    const values: readonly unknown[] = Array.isArray(value) ? value : []
    if (values.length === 0 || values.some((each) => typeof each !== 'string' || each === ''))
      throw new TypeError(`requireClaims: ${name} must be a list with at least one string.`)
  }
}
