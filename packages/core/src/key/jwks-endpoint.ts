import { publicDocument, type PublicDocument } from '../discovery/public-document.ts'
import type { Endpoint } from '../http/index.ts'
import type { KeyRing, PublicKey } from './key-ring.ts'

/** `GET /jwks`: the public halves of the keys whose signatures are accepted (RFC 7517 §5). It is made anew when they change. */
export function jwksEndpoint(keys: KeyRing): Endpoint {
  let published: { readonly keys: readonly PublicKey[]; readonly document: Promise<PublicDocument> } | undefined
  return async (request) => {
    const publicKeys = await keys.publicKeys()
    if (published?.keys !== publicKeys) {
      published = { keys: publicKeys, document: publicDocument({ keys: publicKeys.map(({ jwk }) => jwk) }) }
    }
    return (await published.document)(request)
  }
}
