import { revocationRetention, type Revocation, type RevocationRecord } from '../revocation.ts'
import { after, type EpochSeconds } from '../values.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy } from './rows.ts'
import { createSortedRows, type SortedRows } from './sorted-rows.ts'

export interface RevocationTable {
  readonly byPosition: ExpiringRows<number, RevocationRecord>
  /** The positions that have a record. */
  readonly positions: SortedRows<number>
  /** The expiry of each access token that was revoked with `revokeToken`. */
  readonly tokens: ExpiringRows<string, EpochSeconds>
  lastPosition: number
}

export const createRevocationTable = (): RevocationTable => ({
  byPosition: createExpiringRows(({ revokedAt }) => after(revokedAt, revocationRetention)),
  positions: createSortedRows<number>((one, other) => one - other),
  tokens: createExpiringRows((expiresAt) => expiresAt),
  lastPosition: 0,
})

/** Writes a revocation. Call it in the step that revokes, so that both are atomic. */
export function writeRevocation(revocations: RevocationTable, revocation: Revocation, revokedAt: EpochSeconds): void {
  revocations.lastPosition += 1
  const { lastPosition: position } = revocations
  revocations.byPosition.set(position, frozenCopy({ position, revocation, revokedAt }))
  revocations.positions.add(position)
}

/** Whether the access token was revoked and has not expired. */
export function isTokenRevoked({ tokens }: RevocationTable, tokenId: string, now: EpochSeconds): boolean {
  const expiresAt = tokens.get(tokenId)
  return expiresAt !== undefined && now < expiresAt
}

/** Removes a revocation. Its position is not reused. */
export function removeRevocation({ byPosition, positions }: RevocationTable, position: number): void {
  byPosition.delete(position)
  positions.remove(position)
}
