import * as base64url from 'jose/base64url'

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

/** Decodes text that is known to be canonical base64url: what decoders make of other text differs. */
export const decodeBase64url: (text: string) => Uint8Array = nodeDecoder(nodeBuiltin('node:buffer')) ?? base64url.decode

function nodeDecoder(module: unknown): ((text: string) => Uint8Array) | undefined {
  if (module === undefined) return undefined
  const { from } = (module as { readonly Buffer: { from: BufferFrom } }).Buffer
  return (text) => {
    // A Buffer is a Uint8Array whose `slice` copies nothing.
    const { buffer, byteOffset, length } = from(text, 'base64url')
    return new Uint8Array(buffer, byteOffset, length)
  }
}

interface BufferFrom {
  (text: string): NodeBuffer
  (text: string, encoding: 'base64url'): Uint8Array
  (memory: ArrayBufferLike, byteOffset: number, length: number): NodeBuffer
}

interface NodeBuffer {
  toString(encoding: 'base64url'): string
}
