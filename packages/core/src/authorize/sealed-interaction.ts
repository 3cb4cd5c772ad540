import { parseJsonObject } from '@mintmark/internal'
import type { Random } from '@mintmark/internal'
import type { InteractionRecord } from '@mintmark/storage-interface'
import { interactions, jsonCodec } from '@mintmark/storage-interface/records'

import type { DocumentMetadata } from '../clients/document-metadata.ts'
import type { KeyRing } from '../keys/ring.ts'
import { importSealingKey, type SealingKey } from '../keys/sealing.ts'

/**
 * Seals a pending authorization request into its handle, and opens handles. The handle contains the request, encrypted
 * and authenticated. The browser keeps it, so that requests take no space in storage before a user signs in (RFC 6819
 * §4.4.1.11).
 */
export interface InteractionSeal {
  /** @returns `undefined` when the request is too large for a URL. */
  seal(sealed: SealedInteraction): Promise<string | undefined>
  /**
   * @returns the interaction as it was sealed; it may since have expired or been completed, or belong to another
   *   browser. `undefined` unless one of the issuer's servers sealed it.
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
      if (current === undefined) throw new TypeError('The key ring must derive at least one secret.')
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
        // The seal proves that one of the issuer's servers wrote it.
        return { interaction: decode(interaction), document: document as DocumentMetadata | undefined }
      } catch {
        // RFC 9700 §4.7: AES-GCM throws if the content was not sealed with this key, or was altered.
        return undefined
      }
    },
  }
}

async function importKeys(keys: KeyRing): Promise<readonly SealingKey[]> {
  const secrets = await keys.deriveSecrets('interactions')
  return Promise.all(secrets.map((secret) => importSealingKey(new Uint8Array(secret))))
}

/** In characters: proxies commonly accept URLs and response headers of up to 8 KiB. */
const maxLength = 7000
