import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import { isJsonObject, parseJsonObject } from '../json/json-object.ts'

/** Where claims about a person go. */
export type ClaimsDestination = 'id_token' | 'userinfo'

/**
 * The `claims` request parameter (OIDC Core §5.5), parsed: an object whose members `id_token` and `userinfo` are objects
 * of claim name to `null` or `{ essential, value, values }`. Unknown members are kept and mean nothing.
 * @throws OAuthError invalid_request — reason `claims_malformed`.
 */
export function parseClaimsRequest(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const request = parseJsonObject(text)
  // OIDC Core §5.5: a JSON object of objects.
  if (request === undefined || !destinations.every((name) => isOptionalClaims(own(request, name)))) {
    throw new OAuthError('invalid_request', 'The claims parameter is malformed.', { reason: 'claims_malformed' })
  }
  return request
}

/** The names of the claims that are asked for one by one. */
export function requestedClaimNames(
  request: JsonObject | undefined,
  destination: ClaimsDestination,
): readonly string[] {
  const claims = request === undefined ? undefined : own(request, destination)
  return isJsonObject(claims) ? Object.keys(claims) : []
}

/** What a claim is asked to be: its `value` or any of its `values`; `undefined` when anything will do. */
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

/** Whether the request fails without the claim (OIDC Core §5.5.1). */
export function isEssential(request: JsonObject | undefined, destination: ClaimsDestination, name: string): boolean {
  const claims = request === undefined ? undefined : own(request, destination)
  const claim = isJsonObject(claims) ? own(claims, name) : undefined
  return isJsonObject(claim) && own(claim, 'essential') === true
}

/** The same request with those claims alone that are among `names`: what the person did not consent to is forgotten. */
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

/** A member of the object itself: what a prototype has was not asked for. */
const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
