import { parseJsonObject } from '@mintmark/internal'
import type { Random } from '@mintmark/internal'
import type { InteractionRecord } from '@mintmark/storage-interface'
import { interactions, jsonCodec } from '@mintmark/storage-interface/records'

import type { DocumentMetadata } from '../clients/document-metadata.ts'
import type { KeyRing } from '../keys/ring.ts'
import { importSealingKey, type SealingKey } from '../keys/sealing.ts'

/**
 * The handle of a pending authorization request. The browser keeps the request in it, encrypted and authenticated, so
 * that requests of strangers take no room in storage (RFC 6819 §4.4.1.11).
 */
export interface InteractionSeal {
  /** @returns `undefined` when the request is too large for the address of a page. */
  seal(sealed: SealedInteraction): Promise<string | undefined>
  /**
   * @returns the interaction as it was sealed, which may have expired, belong to another browser or be completed;
   *   `undefined` unless one of the issuer's servers sealed it.
   */
  open(handle: string): Promise<SealedInteraction | undefined>
}

interface SealedInteraction {
  readonly interaction: InteractionRecord
  /** The client's document as it was read for the request; `undefined` for a registered client. */
  readonly document: DocumentMetadata | undefined
}

export function createInteractionSeal(deps: {
  readonly issuer: string
  readonly keys: KeyRing
  readonly random: Random
}): InteractionSeal {
  const { encode, decode } = jsonCodec(interactions.fields, 'omitted')
  const context = `interaction ${deps.issuer}`
  let imported: Promise<readonly SealingKey[]> | undefined
  const sealingKeys = (): Promise<readonly SealingKey[]> => (imported ??= importKeys(deps.keys))

  return {
    async seal({ interaction, document }) {
      const [current] = await sealingKeys()
      if (current === undefined) throw new TypeError('The key ring derives no secrets.')
      const sealed = await current.seal(JSON.stringify({ ...encode(interaction), document }), context, deps.random)
      const handle = `${current.id}.${sealed}`
      return handle.length > maxLength ? undefined : handle
    },
    async open(handle) {
      if (!/^[\w-]{12}\.[\w-]+$/.test(handle) || handle.length > maxLength) return undefined
      const [id, sealed = ''] = handle.split('.')
      const key = (await sealingKeys()).find((known) => known.id === id)
      try {
        const opened = await key?.open(sealed, context)
        const content = opened === undefined ? undefined : parseJsonObject(opened)
        if (content === undefined) return undefined
        const { document, ...interaction } = content
        // The seal proves that this server wrote it.
        return { interaction: decode(interaction), document: document as DocumentMetadata | undefined }
      } catch {
        // RFC 9700 §4.7: AES-GCM refuses whatever was not sealed with this key, or was altered.
        return undefined
      }
    },
  }
}

async function importKeys(keys: KeyRing): Promise<readonly SealingKey[]> {
  const secrets = await keys.deriveSecrets('interactions')
  return Promise.all(secrets.map((secret) => importSealingKey(new Uint8Array(secret))))
}

/** In characters: proxies commonly accept addresses and response headers of 8 KiB. */
const maxLength = 7000
