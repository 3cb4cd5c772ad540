import type { AccessTokenClaims } from './access-token.ts'
import { refuse } from './refusals.ts'

/** How the user must have signed in (RFC 9470). The token must meet all requirements. */
export interface RequiredAuthentication {
  /**
   * The authentication context classes of which the token's `acr` must be one, or one that the option `acrRanks` ranks
   * above one of them.
   */
  readonly acrValues?: readonly [string, ...string[]]
  /** How long ago the user may have signed in, in seconds. */
  readonly maxAge?: number
}

/** What decides whether a sign-in is sufficient, besides the token. */
interface AuthenticationContext {
  /** In seconds since 1970. */
  readonly now: number
  /** By how many seconds the clocks of the two servers may differ. */
  readonly clockSkew: number
  /** The authentication context classes, weakest first. */
  readonly acrRanks: readonly string[]
}

/** @throws AccessRefusedError `authentication_insufficient` or `authentication_too_old`: the user can sign in again. */
export function requireAuthenticationOf(
  { claims }: AccessTokenClaims,
  { acrValues, maxAge }: RequiredAuthentication,
  { now, clockSkew, acrRanks }: AuthenticationContext,
): void {
  const { acr, auth_time: authTime } = claims
  if (acrValues !== undefined && !acrValues.some((wanted) => isAtLeast(acr, wanted, acrRanks)))
    throw refuse('authentication_insufficient')
  if (maxAge !== undefined && !(typeof authTime === 'number' && now <= authTime + maxAge + clockSkew))
    throw refuse('authentication_too_old')
}

const isAtLeast = (acr: unknown, wanted: string, ranks: readonly string[]): boolean =>
  typeof acr === 'string' && (acr === wanted || (ranks.includes(wanted) && ranks.indexOf(acr) > ranks.indexOf(wanted)))

/** Returns the parameters of the challenge that tell the client how the user must sign in (RFC 9470 §3). */
export const authenticationParameters = ({ acrValues, maxAge }: RequiredAuthentication): readonly string[] => [
  ...(acrValues === undefined ? [] : [`acr_values="${acrValues.join(' ')}"`]),
  ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
]

/** @throws TypeError that says what to change, because a misspelled or empty requirement would admit every sign-in. */
export function checkRequiredAuthentication(required: RequiredAuthentication): void {
  const unknown = Object.keys(required).find((name) => name !== 'acrValues' && name !== 'maxAge')
  if (unknown !== undefined) throw new TypeError(`requireAuthentication: ${unknown} is not acrValues or maxAge.`)
  const { acrValues, maxAge } = required
  if (acrValues === undefined && maxAge === undefined)
    throw new TypeError('requireAuthentication needs acrValues or maxAge. Without them, use require(…).')
  if (acrValues !== undefined) checkAcrValues(acrValues)
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0))
    throw new TypeError('requireAuthentication: maxAge must be a whole number of seconds, 0 or more.')
}

/** An authentication context class that a challenge can contain (RFC 9110 §5.6.4, RFC 9470 §3). */
export const acrValue = /^[\x21\x23-\x5B\x5D-\x7E]+$/

function checkAcrValues(values: readonly unknown[]): void {
  const isValid =
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string' && acrValue.test(value))
  if (!isValid)
    throw new TypeError(
      'requireAuthentication: acrValues must be a list with at least one string, without spaces, quotes and backslashes.',
    )
}
