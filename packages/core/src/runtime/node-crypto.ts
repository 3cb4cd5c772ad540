/**
 * What is used of Node's own crypto module. Web Crypto's way through promises and the thread pool costs more than a short
 * digest or an elliptic-curve signature itself.
 */
export interface NodeCrypto {
  hash(algorithm: 'sha256', data: string | Uint8Array, outputEncoding: 'buffer'): Uint8Array
  /** An ECDSA signature comes in DER. EdDSA has its own digest: `null`. */
  sign(digest: 'sha256' | null, data: Uint8Array, key: NodeKey): Uint8Array
  /** `ieee-p1363` is ECDSA's `r || s`; other algorithms take no notice of it. */
  verify(
    digest: 'sha256' | null,
    data: Uint8Array,
    key: { readonly key: NodeKey; readonly dsaEncoding: 'ieee-p1363' },
    signature: Uint8Array,
  ): boolean
  readonly KeyObject: {
    /** Warns when the key is not extractable. */
    from(key: CryptoKey): NodeKey
  }
}

/** A key as the module holds it. */
export interface NodeKey {
  readonly asymmetricKeyType?: string
}

/**
 * Node's crypto module, where the runtime has it: Node, Bun and Deno. Looked for once, when this file is loaded; without it
 * Web Crypto does the same work. workerd's is another: its `verify` takes no key object beside an encoding (seen 2026-11).
 */
export const nodeCrypto: NodeCrypto | undefined = isWorkerd()
  ? undefined
  : (globalThis as { readonly process?: { getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined } }).process?.getBuiltinModule?.('node:crypto')

/** WinterTC: how a runtime says what it is. Older ones have no such word. */
function isWorkerd(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}
