import { json, type Endpoint } from '../http/index.ts'
import type { KeyRing } from './key-ring.ts'

/** `GET /jwks`: the public halves of the keys whose signatures are accepted (RFC 7517 §5). */
export const jwksEndpoint =
  (keys: KeyRing): Endpoint =>
  async () => {
    const publicKeys = await keys.publicKeys()
    return json(200, { keys: publicKeys.map((key) => key.jwk) }, [['Cache-Control', 'public, max-age=300']])
  }
