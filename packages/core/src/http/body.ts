/** The body as text; `undefined` when it is not UTF-8. A byte order mark is kept: no grammar here allows one. */
export function decodeBody(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    // A fatal decoder throws on bytes that are not UTF-8, and has no other way to say so.
    return undefined
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
