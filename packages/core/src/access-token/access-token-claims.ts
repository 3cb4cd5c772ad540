import { after, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'

import { randomIdentifier, type Random } from '../runtime/random.ts'
import { subjectOf, type GrantDecision } from '../grant/grant.ts'

/** The claims of an access token (RFC 9068 §2.2). `family` names what its life depends on; it opens nothing. */
export function accessTokenClaims(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: { readonly issuer: string; readonly random: Random },
): JsonObject {
  const { client, aim, person } = decision
  return {
    iss: deps.issuer,
    sub: subjectOf(decision),
    // One audience is written as a string, which every verifier reads (RFC 7519 §4.1.3).
    aud: aim.audience.length === 1 ? (aim.audience[0] ?? '') : aim.audience,
    exp: after(now, aim.lifetime),
    iat: now,
    jti: randomIdentifier(deps.random),
    client_id: client.clientId,
    ...(aim.scopes.length > 0 && { scope: aim.scopes.join(' ') }),
    ...(person !== undefined && { family: person.familyId, auth_time: person.authentication.authTime }),
    ...(person?.authentication.acr !== undefined && { acr: person.authentication.acr }),
  }
}
