import type { EpochSeconds, ScimStorage, UserRecord } from '@mintmark/storage-interface'

import type { RevokedAccess } from './scim-event.ts'

/**
 * What was honoured of a person's until now: the grants and sessions of the generation that has just ended.
 * @param before the account as it was.
 * @returns undefined when storage does not tell: the account has ended, and nothing may undo that.
 */
export async function revokedAccess(
  { userId, generation }: UserRecord,
  now: EpochSeconds,
  storage: Pick<ScimStorage, 'grants' | 'sessions'>,
): Promise<RevokedAccess | undefined> {
  try {
    const [grants, sessions] = await Promise.all([
      storage.grants.listByUser(userId),
      storage.sessions.listByUser(userId, now),
    ])
    return {
      grants: grants
        .filter(({ userGeneration }) => userGeneration === generation)
        .map(({ grantId, clientId }) => ({ grantId, clientId })),
      sessionIds: sessions
        .filter(({ userGeneration }) => userGeneration === generation)
        .map(({ sessionId }) => sessionId),
    }
  } catch {
    // The receipt is for people; the deactivation it tells of is done.
    return undefined
  }
}
