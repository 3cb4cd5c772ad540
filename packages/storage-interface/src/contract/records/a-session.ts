import { sessionId, userId } from '../../identifiers.ts'
import type { SessionRecord } from '../../session.ts'
import { aDigest } from './a-digest.ts'
import { now, nowPlus } from './moments.ts'

/** A live session of `aUser`. */
export const aSessionRecord = (overrides: Partial<SessionRecord> = {}): SessionRecord => ({
  digest: aDigest('session-1'),
  sessionId: sessionId('session-1'),
  userId: userId('user-1'),
  userGeneration: 0,
  authTime: nowPlus(-120),
  acr: undefined,
  amr: ['pwd'],
  createdAt: now,
  idleExpiresAt: nowPlus(3600),
  expiresAt: nowPlus(86_400),
  revokedAt: undefined,
  ...overrides,
})
