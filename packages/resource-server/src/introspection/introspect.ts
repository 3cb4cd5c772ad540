import { unavailable } from '../access/access-refusal.ts'
import { basicAuthorization, type ClientCredentials } from '../authorization-server/client-credentials.ts'
import { fetchBounded } from '../authorization-server/fetch-bounded.ts'
import { parseJsonObject, type JsonObject } from '../authorization-server/json-object.ts'

export interface IntrospectDependencies {
  /** The address of the introspection endpoint. */
  readonly url: string
  readonly credentials: ClientCredentials
  readonly fetch: typeof globalThis.fetch
}

/**
 * Asks the authorization server about a token (RFC 7662 §2).
 * @returns what it says of an active token; `undefined` for one that is not active.
 * @throws AccessRefusal temporarily_unavailable when it does not answer, or not as the standard says: that is no "no".
 */
export async function introspect(
  token: string,
  { url, credentials, fetch }: IntrospectDependencies,
): Promise<JsonObject | undefined> {
  const headers = { authorization: basicAuthorization(credentials), accept: 'application/json' }
  const form = { token, token_type_hint: 'access_token' }
  let description: JsonObject | undefined
  try {
    description = parseJsonObject(await fetchBounded({ url, headers, form, timeout: 2500, limit: 65_536 }, fetch))
  } catch (error) {
    throw unavailable(error)
  }
  // RFC 7662 §2.2: `active` is required, and a boolean.
  if (typeof description?.['active'] !== 'boolean')
    throw unavailable(new Error(`${url} answered no introspection response.`))
  return description['active'] ? description : undefined
}
