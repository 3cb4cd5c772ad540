/** Base64url without padding (RFC 4648 §5): letters that need no escape in a query. */
export const encodeBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/**
 * What `encodeBase64url` made it from.
 * @throws DOMException for what is not base64url.
 */
export const decodeBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
