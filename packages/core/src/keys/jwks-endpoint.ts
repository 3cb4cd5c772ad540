import { StorageUnavailableError } from '@mintmark/storage-interface'

import { publicDocument, type PublicDocument } from './public-document.ts'
import type { Endpoint } from '@mintmark/internal'
import type { KeyRing, PublicKey } from './ring.ts'

/**
 * `GET /jwks`: the public keys whose signatures are accepted (RFC 7517 §5), rendered again when they change. While
 * storage is down the last document is served, as caches would do anyway (RFC 5861 §4).
 */
export function jwksEndpoint(keys: KeyRing): Endpoint {
  let published: { readonly keys: readonly PublicKey[]; readonly document: Promise<PublicDocument> } | undefined

  return async (request) => {
    let publicKeys: readonly PublicKey[]
    try {
      publicKeys = await keys.publicKeys()
    } catch (error) {
      if (published === undefined || !(error instanceof StorageUnavailableError)) throw error
      publicKeys = published.keys
    }
    if (published?.keys !== publicKeys) {
      published = { keys: publicKeys, document: publicDocument({ keys: publicKeys.map(({ jwk }) => jwk) }) }
    }
    return (await published.document)(request)
  }
}
