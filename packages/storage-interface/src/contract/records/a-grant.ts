import type { GrantRecord } from '../../grant.ts'
import { clientId, grantId, userId } from '../../identifiers.ts'
import { now } from './moments.ts'

/** An unrevoked grant of `aUser` to `aClientRecord`. */
export const aGrantRecord = (overrides: Partial<GrantRecord> = {}): GrantRecord => ({
  grantId: grantId('grant-1'),
  clientId: clientId('client-1'),
  userId: userId('user-1'),
  userGeneration: 0,
  scopes: ['openid', 'profile'],
  createdAt: now,
  revokedAt: undefined,
  version: 1,
  ...overrides,
})
