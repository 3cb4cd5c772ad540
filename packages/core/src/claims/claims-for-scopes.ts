import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/**
 * The claims that the granted scopes open, of those that are known of the person. Names come from the table below and
 * never from the data, so that no claim slips in because an account happens to carry it.
 */
export function claimsForScopes(claims: JsonObject, scopes: readonly string[]): JsonObject {
  const opened: Record<string, JsonValue> = {}
  for (const scope of scopes) {
    for (const name of scopeClaims.get(scope) ?? []) {
      const value = Object.hasOwn(claims, name) ? claims[name] : undefined
      if (value !== undefined && value !== null) opened[name] = value
    }
  }
  return opened
}

/** Claims by the scope that asks for them: those that the service promises for each. */
export const scopeClaims: ReadonlyMap<string, readonly string[]> = new Map([
  ['profile', ['name', 'given_name', 'family_name']],
  ['email', ['email', 'email_verified']],
])
