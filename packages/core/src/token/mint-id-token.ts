import { after, type DurationSeconds, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'
import { base64url } from 'jose'

import { claimsForScopes } from '../claims/claims-for-scopes.ts'
import type { KeyRing, SigningAlgorithm } from '../key/key-ring.ts'
import { sha256 } from '../runtime/digest.ts'
import type { DecisionForPerson } from './grant.ts'
import { signJwt } from './sign-jwt.ts'

export interface IdTokenDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly idTokenLifetime: DurationSeconds
}

/**
 * Mints the ID token (OIDC Core §2). The person's claims stand before the protocol's own, which therefore always win.
 * `at_hash` binds it to the access token (OIDC Core §3.1.3.6).
 */
export async function mintIdToken(
  { decision, accessToken }: { readonly decision: DecisionForPerson; readonly accessToken: string },
  now: EpochSeconds,
  deps: IdTokenDependencies,
): Promise<string> {
  const { client, person } = decision
  const { authentication } = person
  const algorithm = client.idTokenSignedResponseAlg as SigningAlgorithm
  const claims: JsonObject = {
    ...claimsForScopes(person.claims, decision.scopes),
    iss: deps.issuer,
    sub: person.userId,
    aud: client.clientId,
    exp: after(now, deps.idTokenLifetime),
    iat: now,
    auth_time: authentication.authTime,
    at_hash: await tokenHash(accessToken),
    ...(person.nonce !== undefined && { nonce: person.nonce }),
    ...(authentication.acr !== undefined && { acr: authentication.acr }),
    ...(authentication.amr.length > 0 && { amr: authentication.amr }),
    ...(authentication.sessionId !== undefined && { sid: authentication.sessionId }),
  }
  return signJwt('JWT', claims, await deps.keys.signer(algorithm))
}

/** The left half of the token's hash. RS256 and ES256 both hash with SHA-256 (OIDC Core §3.1.3.6). */
const tokenHash = async (token: string): Promise<string> => base64url.encode((await sha256(token)).subarray(0, 16))
