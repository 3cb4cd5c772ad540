import { clientId, familyId } from '../../identifiers.ts'
import type { OpaqueTokenRecord } from '../../opaque-token.ts'
import { aDigest } from './a-digest.ts'
import { now, nowPlus } from './moments.ts'

/** An access token of `aFamilyRecord`, good for five minutes. */
export const anOpaqueTokenRecord = (overrides: Partial<OpaqueTokenRecord> = {}): OpaqueTokenRecord => ({
  digest: aDigest('opaque-1'),
  clientId: clientId('client-1'),
  familyId: familyId('family-1'),
  claims: { sub: 'user-1', aud: 'https://api.example', scope: 'openid', iat: now },
  expiresAt: nowPlus(300),
  revokedAt: undefined,
  ...overrides,
})
