import type { Random } from '@mintmark/internal'
import type { EpochSeconds, InteractionRecord } from '@mintmark/storage-interface'
import { interactions, jsonCodec } from '@mintmark/storage-interface/records'

import type { DocumentMetadata } from '../clients/document-metadata.ts'
import type { KeyRing } from '../keys/ring.ts'
import { createSeal, type Seal } from './seal.ts'

/**
 * Seals a pending authorization request into its handle, and opens handles. The browser keeps the handle, so that
 * requests take no space in storage before a user signs in. An opened interaction may since have expired or been
 * completed, or belong to another browser.
 */
export type InteractionSeal = Seal<SealedInteraction>

interface SealedInteraction {
  readonly interaction: InteractionRecord
  /** The client's document as it was read for the request; `undefined` for a registered client. */
  readonly document: DocumentMetadata | undefined
  /** The `authTime` of the session that the browser had when the interaction started. */
  readonly sessionAuthTime: EpochSeconds | undefined
}

export function createInteractionSeal(deps: {
  readonly issuer: string
  readonly keys: KeyRing
  readonly random: Random
}): InteractionSeal {
  const { encode, decode } = jsonCodec(interactions.fields, 'omitted')
  return createSeal<SealedInteraction>(
    {
      purpose: 'interactions',
      context: `interaction ${deps.issuer}`,
      // Proxies commonly accept URLs and response headers of up to 8 KiB.
      maxLength: 7000,
      encode: ({ interaction, document, sessionAuthTime }) => ({ ...encode(interaction), document, sessionAuthTime }),
      // The seal proves that one of the issuer's servers wrote the document and the time.
      decode: ({ document, sessionAuthTime, ...interaction }) => ({
        interaction: decode(interaction),
        document: document as DocumentMetadata | undefined,
        sessionAuthTime: sessionAuthTime as EpochSeconds | undefined,
      }),
    },
    deps,
  )
}
