import { base64url } from 'jose'

import { nodeBuiltin } from './node-builtin.ts'

/** Base64url without padding (RFC 4648 §5, RFC 7515 §2) of the bytes, or of the text's UTF-8 bytes. */
export type EncodeBase64url = (data: Uint8Array | string) => string

/** Chosen once: encoding in JavaScript costs several times as much where the runtime has none of its own. */
export const encodeBase64url: EncodeBase64url = nodeEncoder(nodeBuiltin('node:buffer')) ?? base64url.encode

function nodeEncoder(module: unknown): EncodeBase64url | undefined {
  if (module === undefined) return undefined
  const { from } = (module as { readonly Buffer: { from: BufferFrom } }).Buffer
  return (data) =>
    (typeof data === 'string' ? from(data) : from(data.buffer, data.byteOffset, data.byteLength)).toString('base64url')
}

interface BufferFrom {
  (text: string): NodeBuffer
  (memory: ArrayBufferLike, byteOffset: number, length: number): NodeBuffer
}

interface NodeBuffer {
  toString(encoding: 'base64url'): string
}
