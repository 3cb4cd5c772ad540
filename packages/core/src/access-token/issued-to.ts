import { clientId, type ClientId, type EpochSeconds, type Storage } from '@mintmark/storage-interface'

import { verifyOwnJwt, type VerifyOwnJwtDependencies } from '../keys/jws.ts'
import { digestSecret } from '../runtime/digest.ts'

/**
 * Which client an access token of this server's was issued to. A JWT may have expired since; whether the token is honoured
 * is not asked here.
 */
export async function issuedTo(
  token: string,
  now: EpochSeconds,
  deps: VerifyOwnJwtDependencies & { readonly storage: Storage },
): Promise<ClientId | undefined> {
  if (!token.includes('.')) return (await deps.storage.opaqueTokens.find(await digestSecret(token), now))?.clientId
  const claims = await verifyOwnJwt(token, 'at+jwt', deps)
  return typeof claims?.['client_id'] === 'string' ? clientId(claims['client_id']) : undefined
}
