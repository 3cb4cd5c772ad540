/**
 * Decodes base64url without padding (RFC 4648 §5).
 * @throws DOMException for other text.
 */
export const decodeBase64url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
