import { cacheLatest, parseJsonObject, type Random } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import type { KeyRing } from '../keys/ring.ts'
import { importSealingKey, type SealingKey } from '../keys/sealing.ts'

/**
 * Seals values into text for a URL, encrypted and authenticated, and opens it. A value that a browser or a client keeps
 * takes no space in storage (RFC 6819 §4.4.1.11).
 */
export interface Seal<Value> {
  /** @returns `undefined` when the value is too large for a URL. */
  seal(value: Value): Promise<string | undefined>
  /** @returns the value; `undefined` unless one of the issuer's servers sealed it for this purpose. */
  open(sealed: string): Promise<Value | undefined>
}

interface SealedForm<Value> {
  /** Each purpose has its own keys. */
  readonly purpose: string
  /** Authenticated with each value. */
  readonly context: string
  /** The maximum length in characters. */
  readonly maxLength: number
  readonly encode: (value: Value) => object
  readonly decode: (content: JsonObject) => Value
}

export function createSeal<Value>(
  { purpose, context, maxLength, encode, decode }: SealedForm<Value>,
  deps: { readonly keys: KeyRing; readonly random: Random },
): Seal<Value> {
  const sealingKeys = cacheLatest(() => importKeys(deps.keys, purpose))

  return {
    async seal(value) {
      const [current] = await sealingKeys()
      if (current === undefined) throw new TypeError('The key ring must derive at least one secret.')
      const sealed = `${current.id}.${await current.seal(JSON.stringify(encode(value)), context, deps.random)}`
      return sealed.length > maxLength ? undefined : sealed
    },
    async open(text) {
      if (!/^[\w-]{12}\.[\w-]+$/.test(text) || text.length > maxLength) return undefined
      const [id, sealed = ''] = text.split('.')
      const key = (await sealingKeys()).find((known) => known.id === id)
      try {
        const opened = await key?.open(sealed, context)
        const content = opened === undefined ? undefined : parseJsonObject(opened)
        return content && decode(content)
      } catch {
        // RFC 9700 §4.7: AES-GCM throws if the content was not sealed with this key, or was altered.
        return undefined
      }
    },
  }
}

async function importKeys(keys: KeyRing, purpose: string): Promise<readonly SealingKey[]> {
  const secrets = await keys.deriveSecrets(purpose)
  return Promise.all(secrets.map((secret) => importSealingKey(new Uint8Array(secret))))
}
