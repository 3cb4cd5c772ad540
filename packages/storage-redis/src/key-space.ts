/**
 * Names the one key that an operation touches. There is no hash tag in it, so that a cluster spreads an issuer's keys
 * over all of its masters.
 * @param id of bounded length; the last part of the name, so that it may contain anything.
 */
export type KeyOf = (kind: string, id: string) => Promise<string>

export function createKeySpace({ prefix, issuer }: { readonly prefix: string; readonly issuer: string }): KeyOf {
  const issuerDigest = sha256(issuer)
  return async (kind, id) => `${prefix}:${await issuerDigest}:${kind}:${id}`
}

/** SHA-256 in base64url without padding: a name of 43 characters for a text of any length and content. */
export async function sha256(text: string): Promise<string> {
  // As JSON, so that ill-formed text, which UTF-8 cannot tell apart, stays apart.
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(text)))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
