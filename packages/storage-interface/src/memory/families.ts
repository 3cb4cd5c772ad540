import { epochSeconds, type FamilyId, type SecretDigest, type EpochSeconds } from '../values.ts'
import {
  type RefreshRecord,
  retryWindowsInTotal,
  type RotateOutcome,
  type RotateRequest,
  type TokenFamilyRecord,
  type TokenFamilyStore,
} from '../token-family.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

export interface FamilyTable {
  readonly byId: ExpiringRows<FamilyId, TokenFamilyRecord>
  readonly byHandle: Map<SecretDigest, FamilyId>
}

export const createFamilyTable = (): FamilyTable => ({
  byId: createExpiringRows(({ expiresAt, refresh }) =>
    refresh === undefined ? expiresAt : epochSeconds(Math.min(expiresAt, refresh.expiresAt + idleFamilyRetention)),
  ),
  byHandle: new Map(),
})

/** In seconds: access tokens that were issued with the last refresh token may stay valid after it has expired. */
const idleFamilyRetention = 86_400

interface FamilyTables {
  readonly families: FamilyTable
  readonly revocations: RevocationTable
}

export function createMemoryFamilies(tables: FamilyTables, scheduler: SchedulerHook): TokenFamilyStore {
  const { families } = tables

  return {
    async insert(family) {
      await scheduler()
      const handle = family.refresh?.handleDigest
      // The outcome of a handle collision is `revoked` too: its tokens must not be issued. Random handles never collide.
      if (families.byId.has(family.familyId) || (handle !== undefined && families.byHandle.has(handle))) {
        return { outcome: 'revoked' }
      }

      write(families, family)
      return { outcome: 'inserted' }
    },

    async rotate(request) {
      await scheduler()
      return rotate(tables, request)
    },

    async revoke(familyId, now) {
      await scheduler()
      const current = families.byId.get(familyId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.revokedAt !== undefined) return { outcome: 'unchanged' }

      revokeFamily(tables, current, now)
      return { outcome: 'revoked' }
    },

    async insertTombstone(family, now) {
      await scheduler()
      const existing = families.byId.get(family.familyId)
      if (existing?.revokedAt === undefined) revokeFamily(tables, existing ?? family, now)
    },
  }
}

/** Revokes all families for which a condition holds. */
export function revokeFamilies(
  tables: FamilyTables,
  isRevoked: (family: TokenFamilyRecord) => boolean,
  now: EpochSeconds,
): void {
  for (const family of tables.families.byId.rows.values())
    if (family.revokedAt === undefined && isRevoked(family)) revokeFamily(tables, family, now)
}

function revokeFamily(
  { families, revocations }: FamilyTables,
  family: TokenFamilyRecord,
  now: EpochSeconds,
): TokenFamilyRecord {
  writeRevocation(revocations, { kind: 'family', familyId: family.familyId }, now)
  return write(families, { ...family, revokedAt: now })
}

function rotate(tables: FamilyTables, request: RotateRequest): RotateOutcome {
  const { families } = tables
  const family = findByHandle(families, request.handleDigest)
  const refresh = family?.refresh
  if (family === undefined || refresh === undefined || !isRotatable(family, refresh, request))
    return { outcome: 'absent' }
  if (request.presentedDigest === refresh.currentDigest)
    return { outcome: 'rotated', record: advance(families, family, request) }
  if (isRetry(refresh, request)) {
    const retried = { ...refresh, retriedAt: request.now }
    return { outcome: 'retried', record: write(families, { ...family, refresh: retried }) }
  }

  // RFC 9700 §4.14.2: the server cannot tell whether the client or an attacker presented the replaced token.
  return { outcome: 'reused', record: revokeFamily(tables, family, request.now) }
}

function isRotatable(family: TokenFamilyRecord, refresh: RefreshRecord, { clientId, now }: RotateRequest): boolean {
  const isAlive = family.revokedAt === undefined && now < refresh.expiresAt && now < family.expiresAt
  return isAlive && family.clientId === clientId
}

function isRetry(refresh: RefreshRecord, { presentedDigest, now, retryWindow }: RotateRequest): boolean {
  const { rotatedAt, retriedAt = rotatedAt, previousDigest } = refresh
  if (rotatedAt === undefined || retriedAt === undefined || previousDigest !== presentedDigest) return false
  const closesAt = Math.min(retriedAt + retryWindow, rotatedAt + retryWindow * retryWindowsInTotal)
  return retryWindow > 0 && now < closesAt
}

function advance(families: FamilyTable, family: TokenFamilyRecord, request: RotateRequest): TokenFamilyRecord {
  const refresh: RefreshRecord = {
    handleDigest: request.handleDigest,
    currentDigest: request.successorDigest,
    previousDigest: request.presentedDigest,
    successorSalt: request.successorSalt,
    rotatedAt: request.now,
    retriedAt: undefined,
    expiresAt: request.expiresAt,
  }
  return write(families, { ...family, refresh })
}

/** Returns the family of a refresh token, whatever its state. */
export function findByHandle(families: FamilyTable, handleDigest: SecretDigest): TokenFamilyRecord | undefined {
  const id = families.byHandle.get(handleDigest)
  return id === undefined ? undefined : families.byId.get(id)
}

function write(families: FamilyTable, family: TokenFamilyRecord): TokenFamilyRecord {
  const record = frozenCopy(family)
  families.byId.set(record.familyId, record)
  if (record.refresh !== undefined) families.byHandle.set(record.refresh.handleDigest, record.familyId)
  return record
}

/** Removes a family and its index entries. */
export function removeFamily({ byId, byHandle }: FamilyTable, familyId: FamilyId): void {
  const handle = byId.get(familyId)?.refresh?.handleDigest
  if (handle !== undefined) byHandle.delete(handle)
  byId.delete(familyId)
}
