import type { ClaimPurpose, ClaimStore } from '../claim.ts'
import type { EpochSeconds } from '../time.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import type { Pause } from './pause.ts'

/** When each claimed value may be claimed anew. */
export type ClaimTable = Map<ClaimPurpose, ExpiringRows<string, EpochSeconds>>

export const createClaimTable = (): ClaimTable => new Map()

export function createMemoryClaims(claims: ClaimTable, pause: Pause): ClaimStore {
  return {
    async claim({ purpose, value, expiresAt, now }) {
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
