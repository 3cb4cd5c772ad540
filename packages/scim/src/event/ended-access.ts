import type { EpochSeconds, ScimStorage, UserRecord } from '@mintmark/storage-interface'

import type { RevokedAccess } from './scim-event.ts'

/**
 * Lists the grants and sessions that a deprovisioning revoked: those of the user's generation before it.
 * @param before the user before the deprovisioning.
 * @returns undefined when storage fails, because the deprovisioning is already done.
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
    // The list is informational; the deprovisioning is already done.
    return undefined
  }
}
