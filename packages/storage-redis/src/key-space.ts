/**
 * Names the one key of an operation. It has no hash tag, so a cluster spreads the keys of an issuer over all masters.
 * @param id of bounded length. As the last part of the name it may contain anything.
 */
export type KeyOf = (kind: string, id: string) => Promise<string>

export function createKeySpace({ prefix, issuer }: { readonly prefix: string; readonly issuer: string }): KeyOf {
  const issuerDigest = sha256(issuer)
  return async (kind, id) => `${prefix}:${await issuerDigest}:${kind}:${id}`
}

/** SHA-256 in base64url without padding: 43 characters for a text of any length and content. */
export async function sha256(text: string): Promise<string> {
  // As JSON, because UTF-8 would map different ill-formed texts to the same bytes.
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(text)))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
