import type { AuthorizationCodeRecord } from '../../authorization-code.ts'
import { clientId, familyId, grantId, userId } from '../../identifiers.ts'
import { aDigest } from './a-digest.ts'
import { anAuthentication } from './an-authentication.ts'
import { now, nowPlus } from './moments.ts'

/** A code of `aGrantRecord`, good for a minute. */
export const aCodeRecord = (overrides: Partial<AuthorizationCodeRecord> = {}): AuthorizationCodeRecord => ({
  digest: aDigest('code-1'),
  clientId: clientId('client-1'),
  grantId: grantId('grant-1'),
  familyId: familyId('family-1'),
  userId: userId('user-1'),
  redirectUri: 'https://app.example/callback',
  scopes: ['openid', 'profile'],
  resources: [],
  nonce: 'n-0S6_WzA2Mj',
  codeChallengeMethod: 'S256',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  claimsRequest: undefined,
  authentication: anAuthentication(),
  issuedAt: now,
  expiresAt: nowPlus(60),
  ...overrides,
})
