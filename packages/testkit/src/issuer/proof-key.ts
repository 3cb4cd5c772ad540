import { randomSecret, systemRandom } from '@mintmark/internal'

/** A code verifier (RFC 7636 §4.1). */
export const newVerifier = (): string => randomSecret(systemRandom)

/** Its S256 challenge (RFC 7636 §4.2). */
export async function codeChallenge(verifier: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  return base64url(digest)
}

/** Bytes as text that stands in addresses (RFC 4648 §5), without padding. */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
