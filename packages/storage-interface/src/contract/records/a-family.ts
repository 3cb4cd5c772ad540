import { clientId, familyId, grantId, userId } from '../../identifiers.ts'
import type { RefreshRecord, TokenFamilyRecord } from '../../token-family.ts'
import { aDigest } from './a-digest.ts'
import { anAuthentication } from './an-authentication.ts'
import { now, nowPlus } from './moments.ts'

/** A live family of `aGrantRecord` whose first refresh token, `aDigest('refresh-1')`, has not been rotated. */
export const aFamilyRecord = (overrides: Partial<TokenFamilyRecord> = {}): TokenFamilyRecord => ({
  familyId: familyId('family-1'),
  grantId: grantId('grant-1'),
  clientId: clientId('client-1'),
  userId: userId('user-1'),
  scopes: ['openid', 'profile', 'offline_access'],
  resources: [],
  claimsRequest: undefined,
  authentication: anAuthentication(),
  refresh: aRefreshRecord(),
  createdAt: now,
  expiresAt: nowPlus(30 * 86_400),
  revokedAt: undefined,
  ...overrides,
})

export const aRefreshRecord = (overrides: Partial<RefreshRecord> = {}): RefreshRecord => ({
  handleDigest: aDigest('handle-1'),
  currentDigest: aDigest('refresh-1'),
  previousDigest: undefined,
  successorSalt: undefined,
  rotatedAt: undefined,
  expiresAt: nowPlus(86_400),
  ...overrides,
})
