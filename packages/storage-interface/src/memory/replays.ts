import type { ReplayPurpose, ReplayStore } from '../replay.ts'
import type { EpochSeconds } from '../time.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import type { SchedulerHook } from './scheduler-hook.ts'

/** When each claimed value may be claimed anew. */
export type ReplayTable = Map<ReplayPurpose, ExpiringRows<string, EpochSeconds>>

export const createReplayTable = (): ReplayTable => new Map()

export function createMemoryReplays(claims: ReplayTable, pause: SchedulerHook): ReplayStore {
  return {
    async markUsed({ purpose, value, expiresAt, now }) {
      await pause()
      const ofPurpose = claims.get(purpose) ?? createExpiringRows<string, EpochSeconds>((until) => until)
      claims.set(purpose, ofPurpose)
      const claimedUntil = ofPurpose.get(value)
      if (claimedUntil !== undefined && now < claimedUntil) return { outcome: 'seen' }

      ofPurpose.set(value, expiresAt)
      return { outcome: 'fresh' }
    },
  }
}
