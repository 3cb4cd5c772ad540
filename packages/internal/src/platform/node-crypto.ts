import { nodeBuiltin } from './node-builtin.ts'

/**
 * What is used of Node's own crypto module. Web Crypto's way through promises and the thread pool costs more than a short
 * digest or an elliptic-curve signature itself.
 */
export interface NodeCrypto {
  hash(algorithm: 'sha256', data: string | Uint8Array, outputEncoding: 'buffer'): Uint8Array
  hash(algorithm: 'sha256', data: string | Uint8Array, outputEncoding: 'base64url'): string
  /** An ECDSA signature comes out as DER. EdDSA has its own digest: `null`. */
  sign(digest: 'sha256' | null, data: Uint8Array, key: NodeKey): Uint8Array
  /** An ECDSA signature goes in as DER. */
  verify(digest: 'sha256' | null, data: Uint8Array, key: NodeKey, signature: Uint8Array): boolean
  readonly KeyObject: {
    /** Warns when the key is not extractable. */
    from(key: object): NodeKey
  }
}

/** A key as the module holds it. */
interface NodeKey {
  readonly asymmetricKeyType?: string
}

/** Node's crypto module, where the runtime has it. Looked for once, when this file is loaded. */
export const nodeCrypto = nodeBuiltin('node:crypto') as NodeCrypto | undefined
