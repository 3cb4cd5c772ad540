import { after, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'

import { randomIdentifier, type Random } from '../runtime/random.ts'
import { subjectOf, type GrantDecision, type UserDecision } from '../grant/grant.ts'

/**
 * The claims of an access token (RFC 9068 §2.2). `family`, `grant` and `generation` name, beside `jti`, `client_id` and `sub`,
 * what its life depends on, for whoever hears what has ended; they open nothing.
 */
export function accessTokenClaims(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: { readonly issuer: string; readonly random: Random },
): JsonObject {
  const { client, target, forUser } = decision
  return {
    iss: deps.issuer,
    sub: subjectOf(decision),
    // One audience is written as a string, which every verifier reads (RFC 7519 §4.1.3).
    aud: target.audience.length === 1 ? (target.audience[0] ?? '') : target.audience,
    exp: after(now, target.lifetime),
    iat: now,
    jti: randomIdentifier(deps.random),
    client_id: client.clientId,
    ...(target.scopes.length > 0 && { scope: target.scopes.join(' ') }),
    ...(forUser !== undefined && lifeOf(forUser)),
    ...(forUser?.authentication.acr !== undefined && { acr: forUser.authentication.acr }),
  }
}

const lifeOf = ({ familyId, grantId, user, authentication }: UserDecision): JsonObject => ({
  family: familyId,
  grant: grantId,
  generation: user.generation,
  auth_time: authentication.authTime,
})
