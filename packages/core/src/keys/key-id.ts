import { avoidLeadingSign, decodeBase64url, encodeBase64url } from '@mintmark/internal'
import { keyId, type JsonObject } from '@mintmark/storage-interface'
import type { KeyId } from '@mintmark/storage-interface/stores'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'

/**
 * Returns the `kid` of a new key: its JWK thumbprint (RFC 7638 §3). A thumbprint that begins with `-` or `_` gets another
 * first character, because administrators pass key ids to commands.
 */
export const keyIdOf = async (publicJwk: JsonObject): Promise<KeyId> =>
  keyId(encodeBase64url(avoidLeadingSign(decodeBase64url(await calculateJwkThumbprint(publicJwk)))))
