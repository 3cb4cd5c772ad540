import type { ClaimPurpose, ClaimStore } from '../claim.ts'
import type { EpochSeconds } from '../time.ts'
import type { Pause } from './pause.ts'

/** When each claimed value may be claimed anew. */
export type ClaimTable = Map<ClaimPurpose, Map<string, EpochSeconds>>

export const createClaimTable = (): ClaimTable => new Map()

export function createMemoryClaims(claims: ClaimTable, pause: Pause): ClaimStore {
  return {
    async claim({ purpose, value, expiresAt, now }) {
      await pause()
      if (isClaimed(claims.get(purpose)?.get(value), now)) return { outcome: 'seen' }

      const ofPurpose = claims.get(purpose) ?? new Map<string, EpochSeconds>()
      claims.set(purpose, ofPurpose.set(value, expiresAt))
      return { outcome: 'fresh' }
    },

    async isClaimed(purpose, value, now) {
      await pause()
      return isClaimed(claims.get(purpose)?.get(value), now)
    },
  }
}

function isClaimed(expiresAt: EpochSeconds | undefined, now: EpochSeconds): boolean {
  return expiresAt !== undefined && now < expiresAt
}
