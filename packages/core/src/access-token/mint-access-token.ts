import { after, type EpochSeconds, type Storage } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomSecret, type Random } from '../runtime/random.ts'
import { signJwt } from '../keys/jws.ts'
import type { GrantDecision } from '../grant/grant.ts'
import { accessTokenClaims } from './access-token-claims.ts'

export interface AccessTokenDependencies {
  readonly issuer: string
  readonly storage: Storage
  readonly keys: KeyRing
  readonly random: Random
  readonly accessTokenAlgorithm: SigningAlgorithm
}

/**
 * Mints the access token: a JWT (RFC 9068), for which nothing is written, or an opaque one where its resource wants that.
 * @throws OAuthError invalid_grant — reason `account_named_as_client`.
 */
export async function mintAccessToken(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: AccessTokenDependencies,
): Promise<string> {
  refuseClientsName(decision)
  const claims = accessTokenClaims(decision, now, deps)
  if (decision.target.format === 'jwt')
    return signJwt('at+jwt', claims, await deps.keys.signer(deps.accessTokenAlgorithm))

  const token = randomSecret(deps.random)
  await deps.storage.opaqueTokens.insert({
    digest: await digestSecret(token),
    clientId: decision.client.clientId,
    familyId: decision.forUser?.familyId,
    claims,
    expiresAt: after(now, decision.target.lifetime),
    revokedAt: undefined,
  })
  return token
}

/**
 * A host that inserts accounts itself may have given one the identifier of a client. Whoever receives a token knows by
 * `sub` and `client_id` being equal that the client acts for itself.
 */
function refuseClientsName({ forUser: person, client }: GrantDecision): void {
  const userId: string | undefined = person?.user.userId
  if (userId !== client.clientId) return
  // RFC 9068 §5: the `sub` of a person must not be taken for that of a client.
  throw new OAuthError('invalid_grant', 'The account cannot be used with this client.', {
    reason: 'account_named_as_client',
    context: { clientId: client.clientId, userId },
  })
}
