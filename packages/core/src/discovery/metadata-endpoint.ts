import type { Endpoint } from '@mintmark/internal'
import { publicDocument, type PublicDocument } from './public-document.ts'

/** Answers with the metadata document, which is made at the first request and needs no storage. */
export function metadataEndpoint(metadata: Readonly<Record<string, unknown>>): Endpoint {
  let document: Promise<PublicDocument> | undefined
  return async (request) => {
    document ??= publicDocument(metadata)
    return (await document)(request)
  }
}
