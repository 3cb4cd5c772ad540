import { after, type EpochSeconds, type Storage } from '@mintmark/storage-interface'

import type { KeyRing, SigningAlgorithm } from '../key/key-ring.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomSecret, type Random } from '../runtime/random.ts'
import { signJwt } from '../key/sign-jwt.ts'
import type { GrantDecision } from '../grant/grant.ts'
import { accessTokenClaims } from './access-token-claims.ts'

export interface AccessTokenDependencies {
  readonly issuer: string
  readonly storage: Storage
  readonly keys: KeyRing
  readonly random: Random
  readonly accessTokenAlgorithm: SigningAlgorithm
}

/** Mints the access token: a JWT (RFC 9068), for which nothing is written, or an opaque one where its resource wants that. */
export async function mintAccessToken(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: AccessTokenDependencies,
): Promise<string> {
  const claims = accessTokenClaims(decision, now, deps)
  if (decision.aim.format === 'jwt') return signJwt('at+jwt', claims, await deps.keys.signer(deps.accessTokenAlgorithm))

  const token = randomSecret(deps.random)
  await deps.storage.opaqueTokens.insert({
    digest: await digestSecret(token),
    clientId: decision.client.clientId,
    familyId: decision.person?.familyId,
    claims,
    expiresAt: after(now, decision.aim.lifetime),
    revokedAt: undefined,
  })
  return token
}
