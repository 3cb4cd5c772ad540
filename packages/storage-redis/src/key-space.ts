/**
 * Returns the name of a key. The name has no hash tag, so a cluster spreads the keys of an issuer over all masters.
 * @param id has a bounded length. It may contain any character, because it is the last part of the name.
 */
export type KeyOf = (kind: string, id: string) => Promise<string>

export function createKeySpace({ prefix, issuer }: { readonly prefix: string; readonly issuer: string }): KeyOf {
  const issuerDigest = sha256(issuer)
  return async (kind, id) => `${prefix}:${await issuerDigest}:${kind}:${id}`
}

/** Returns the SHA-256 of a string in base64url without padding: always 43 characters. */
export async function sha256(text: string): Promise<string> {
  // Hashes the string as JSON: UTF-8 would encode different ill-formed strings as the same bytes.
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(text)))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
