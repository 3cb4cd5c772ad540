import type { EpochSeconds } from '@mintmark/storage-interface'

import { mintAccessToken, type AccessTokenDependencies } from '../access-token/mint-access-token.ts'
import type { DecisionForUser, GrantDecision } from '../grant/grant.ts'
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
    expiresIn: decision.target.lifetime,
    idToken,
    refreshToken: decision.refreshToken,
    scopes: decision.target.scopes,
  }
}

const isForPerson = (decision: GrantDecision): decision is DecisionForUser =>
  decision.forUser !== undefined && decision.target.scopes.includes('openid')
