import * as base64url from 'jose/base64url'

/** SHA-256 of the text's UTF-8 bytes, base64url. */
export async function digest(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}
