import { after, type DurationSeconds, type EpochSeconds } from '@mintmark/storage-interface'

import type { KeyRing, SigningAlgorithm } from '../key/key-ring.ts'
import { randomIdentifier, type Random } from '../runtime/random.ts'
import type { GrantDecision } from './grant.ts'
import { signJwt } from './sign-jwt.ts'

export interface AccessTokenDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly random: Random
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly accessTokenLifetime: DurationSeconds
}

/**
 * Mints the access token: a JWT of RFC 9068. Nothing is written; `family` is how introspection, userinfo and a later
 * revocation find what its life depends on.
 */
export async function mintAccessToken(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: AccessTokenDependencies,
): Promise<string> {
  const { client, person } = decision
  const claims = {
    iss: deps.issuer,
    sub: decision.subject,
    aud: audienceClaim(decision.audience),
    exp: after(now, deps.accessTokenLifetime),
    iat: now,
    jti: randomIdentifier(deps.random),
    client_id: client.clientId,
    ...(decision.scopes.length > 0 && { scope: decision.scopes.join(' ') }),
    ...(person !== undefined && { family: person.familyId, auth_time: person.authentication.authTime }),
    ...(person?.authentication.acr !== undefined && { acr: person.authentication.acr }),
  }
  return signJwt('at+jwt', claims, await deps.keys.signer(deps.accessTokenAlgorithm))
}

/** One audience is written as a string, which every verifier reads (RFC 7519 §4.1.3). */
const audienceClaim = (audience: readonly string[]): string | readonly string[] =>
  audience.length === 1 && audience[0] !== undefined ? audience[0] : audience
