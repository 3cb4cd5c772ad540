import type { KeyRing } from '@mintmark/core'

import { readJws } from './forge-jwt.ts'
import type { GenuineJwt } from './forgeries.ts'

/** Adds a genuine token's header, payload and signing key, which the key ring holds. */
export async function withSigner(
  { token, other, attacker }: Pick<GenuineJwt, 'token' | 'other' | 'attacker'>,
  keys: KeyRing,
): Promise<GenuineJwt> {
  const { header, payload } = readJws(token)
  const published = (await keys.publicKeys()).find(({ keyId }) => keyId === header['kid'])
  if (published === undefined) throw new Error('The kid of the token names a key that is not published.')
  const signer = await keys.signer(published.algorithm)
  return {
    token,
    other,
    header,
    payload,
    sign: async (input) => signer.sign(input),
    publicJwk: published.jwk,
    attacker,
  }
}
