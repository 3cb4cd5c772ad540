import type { EpochSeconds } from '@mintmark/storage-interface'

import type { DecisionForPerson, GrantDecision } from './grant.ts'
import { mintAccessToken, type AccessTokenDependencies } from './mint-access-token.ts'
import { mintIdToken, type IdTokenDependencies } from './mint-id-token.ts'
import type { IssuedTokens } from './token-response.ts'

export type MintDependencies = AccessTokenDependencies & IdTokenDependencies

/** Mints what the decision allows: an access token, and an ID token when a person granted `openid` (OIDC Core §3.1.3.3). */
export async function mintTokens(
  decision: GrantDecision,
  now: EpochSeconds,
  deps: MintDependencies,
): Promise<IssuedTokens> {
  const accessToken = await mintAccessToken(decision, now, deps)
  const idToken = isForPerson(decision) ? await mintIdToken({ decision, accessToken }, now, deps) : undefined
  return {
    accessToken,
    expiresIn: deps.accessTokenLifetime,
    idToken,
    refreshToken: undefined,
    scopes: decision.scopes,
  }
}

const isForPerson = (decision: GrantDecision): decision is DecisionForPerson =>
  decision.person !== undefined && decision.scopes.includes('openid')
