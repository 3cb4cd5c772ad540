import { after, type DurationSeconds, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'

import { releaseClaims, type ReleaseClaimsDependencies } from '../claims/release-claims.ts'
import { idTokenAlgorithm } from '../key/signing-algorithm.ts'
import type { KeyRing } from '../keys/ring.ts'
import { signJwt } from '../keys/jws.ts'
import type { DecisionForUser } from '../grant/grant.ts'
import { tokenHash } from './token-hash.ts'

export interface IdTokenDependencies extends ReleaseClaimsDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly idTokenLifetime: DurationSeconds
}

/**
 * Mints the ID token (OIDC Core §2). `at_hash` binds it to the access token (OIDC Core §3.1.3.6). The user's claims
 * stand before the protocol's own, which therefore always win.
 */
export async function mintIdToken(
  { decision, accessToken }: { readonly decision: DecisionForUser; readonly accessToken: string },
  now: EpochSeconds,
  deps: IdTokenDependencies,
): Promise<string> {
  const { client, forUser, target } = decision
  const { user, authentication, claimsRequest } = forUser
  const algorithm = idTokenAlgorithm(client, deps.keys)
  const atHash = await tokenHash(accessToken, algorithm)
  const release = { user, client, scopes: target.scopes, claimsRequest, destination: 'id_token' } as const
  const claims: JsonObject = {
    ...(await releaseClaims(release, deps)),
    iss: deps.issuer,
    sub: user.userId,
    aud: client.clientId,
    exp: after(now, deps.idTokenLifetime),
    iat: now,
    auth_time: authentication.authTime,
    ...(atHash !== undefined && { at_hash: atHash }),
    ...(forUser.nonce !== undefined && { nonce: forUser.nonce }),
    ...(authentication.acr !== undefined && { acr: authentication.acr }),
    ...(authentication.amr.length > 0 && { amr: authentication.amr }),
    ...(authentication.sessionId !== undefined && { sid: authentication.sessionId }),
  }
  return signJwt('JWT', claims, await deps.keys.signer(algorithm))
}
