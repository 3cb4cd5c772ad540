/**
 * What is used of Node's own crypto module. Beside Web Crypto it saves the way through promises and the thread pool, which
 * costs more than a short digest or an ECDSA signature itself.
 */
export interface NodeCrypto {
  hash(algorithm: 'sha256', data: string | Uint8Array, outputEncoding: 'buffer'): Uint8Array
}

/**
 * Node's crypto module, where the runtime has it: Node, Bun and Deno; workerd when it is told to. Looked for once, when
 * this file is loaded; without it Web Crypto does the same work.
 */
export const nodeCrypto: NodeCrypto | undefined = (
  globalThis as { readonly process?: { getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined } }
).process?.getBuiltinModule?.('node:crypto')
