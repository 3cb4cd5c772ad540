/**
 * The bytes that base64url without padding stands for (RFC 4648 §5).
 * @throws DOMException for what is not base64url.
 */
export const decodeBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
