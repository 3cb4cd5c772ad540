import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isJsonObject, parseJsonObject } from '../json.ts'
import { refuse } from '../refusals.ts'

/** Where claims about a user are returned. */
export type ClaimsDestination = 'id_token' | 'userinfo'

/**
 * Parses the `claims` request parameter (OIDC Core §5.5): an object whose members `id_token` and `userinfo` map claim
 * names to `null` or `{ essential, value, values }`. Unknown members are ignored.
 * @throws OAuthError invalid_request — reason `claims_malformed`.
 */
export function parseClaimsRequest(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const request = parseJsonObject(text)
  // OIDC Core §5.5: a JSON object of objects.
  if (request === undefined || !destinations.every((name) => isOptionalClaims(own(request, name))))
    throw refuse('claims_malformed')
  return request
}

/** Returns the names of the individually requested claims. */
export function requestedClaimNames(
  request: JsonObject | undefined,
  destination: ClaimsDestination,
): readonly string[] {
  const claims = request === undefined ? undefined : own(request, destination)
  return isJsonObject(claims) ? Object.keys(claims) : []
}

/** Returns the requested `value` or `values` of a claim; `undefined` when any value is accepted. */
export function requestedValues(
  request: JsonObject | undefined,
  destination: ClaimsDestination,
  name: string,
): readonly JsonValue[] | undefined {
  const claims = request === undefined ? undefined : own(request, destination)
  const claim = isJsonObject(claims) ? own(claims, name) : undefined
  if (!isJsonObject(claim)) return undefined
  const values = own(claim, 'values')
  const value = own(claim, 'value')
  if (isList(values)) return values
  return value === undefined ? undefined : [value]
}

/** Whether the claim is essential (OIDC Core §5.5.1). */
export function isEssential(request: JsonObject | undefined, destination: ClaimsDestination, name: string): boolean {
  const claims = request === undefined ? undefined : own(request, destination)
  const claim = isJsonObject(claims) ? own(claims, name) : undefined
  return isJsonObject(claim) && own(claim, 'essential') === true
}

/** Removes the claims that the user did not consent to. */
export function keepClaims(request: JsonObject | undefined, names: ReadonlySet<string>): JsonObject | undefined {
  if (request === undefined) return undefined
  const kept = destinations.map((destination) => {
    const claims = own(request, destination)
    const entries = isJsonObject(claims) ? Object.entries(claims).filter(([name]) => names.has(name)) : []
    return [destination, Object.fromEntries(entries)] as const
  })
  return Object.fromEntries(kept)
}

const destinations: readonly ClaimsDestination[] = ['id_token', 'userinfo']

function isOptionalClaims(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true
  return isJsonObject(value) && Object.values(value).every((claim) => claim === null || isJsonObject(claim))
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** An own member: inherited ones were not requested. */
const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
