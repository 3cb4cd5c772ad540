import { epochSeconds, grantId, providerId, sessionId, userId, type UserRecord } from '@mintmark/storage-interface'
import { aClientRecord, aFamilyRecord, aGrantRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import type { BoundSession, FamilyStatus, Lineage } from '@mintmark/storage-interface/stores'
import { expect, it } from 'vitest'

import { findActiveFamily, isBindingActive, isFamilyActive, isUserActive } from './status.ts'

const now = epochSeconds(1_790_000_000)
const user: UserRecord = {
  userId: userId('U1'),
  providerId: undefined,
  blockedAt: undefined,
  activeAfterBlock: undefined,
  active: true,
  generation: 3,
  claims: {},
  createdAt: now,
  updatedAt: now,
  version: 1,
}

it('accepts an active user of the current generation (RFC 9068 §4)', () => {
  expect(isUserActive(user, 3)).toBe(true)
})

it.each<readonly [string, UserRecord | undefined, number]>([
  ['a missing user', undefined, 3],
  ['a user who is not active, in the current generation', { ...user, active: false }, 3],
  ['an older generation', user, 2],
  ['a later generation', user, 4],
  ['a row that lost its generation', { ...user, generation: undefined as never }, 3],
  ['a row that lost its active flag', { ...user, active: undefined as never }, 3],
  ['a row and a grant that both lost the generation', { ...user, generation: undefined as never }, undefined as never],
])('rejects %s (RFC 9068 §4)', (_, row, generation) => {
  expect(isUserActive(row, generation)).toBe(false)
})

const boundSessionId = sessionId('S1')
const session = { sessionId: boundSessionId, userId: user.userId, revokedAt: undefined }

it.each<readonly [string, Parameters<typeof isBindingActive>[0]['boundSessionId'], BoundSession | undefined]>([
  ['to no session', undefined, undefined],
  ['to a session that was not revoked', boundSessionId, session],
])('accepts tokens that are bound %s (OIDC Back-Channel Logout 1.0 §2.7)', (_, bound, row) => {
  expect(isBindingActive({ boundSessionId: bound, userId: user.userId }, row)).toBe(true)
})

it.each<readonly [string, BoundSession | undefined]>([
  ['a revoked session', { ...session, revokedAt: now }],
  ['a missing session', undefined],
  ["another user's session", { ...session, userId: userId('U2') }],
  ['a tombstone', { ...session, userId: undefined }],
  ['another session', { ...session, sessionId: sessionId('S2') }],
])('rejects tokens that are bound to %s (OIDC Back-Channel Logout 1.0 §2.7)', (_, row) => {
  expect(isBindingActive({ boundSessionId, userId: user.userId }, row)).toBe(false)
})

/** The rows of a family that expires a second from now. */
function aStatus(change: Partial<FamilyStatus> = {}): FamilyStatus {
  const client = aClientRecord()
  const grant = aGrantRecord({ clientId: client.clientId, userId: user.userId, userGeneration: user.generation })
  const family = aFamilyRecord({ grantId: grant.grantId, expiresAt: epochSeconds(now + 1) })
  return { family, grant, client, user, session: undefined, ...change }
}

it('accepts an active family (RFC 9068 §4)', () => {
  expect(isFamilyActive(aStatus(), now)).toBe(true)
})

it.each<readonly [string, FamilyStatus | undefined]>([
  ['a missing family', undefined],
  ['a family without a grant', aStatus({ grant: undefined })],
  ['a revoked family', aStatus({ family: { ...aStatus().family, revokedAt: now } })],
  ['a family that expires now', aStatus({ family: { ...aStatus().family, expiresAt: now } })],
  ['a family of another grant', aStatus({ family: { ...aStatus().family, grantId: grantId('other') } })],
  ['a revoked grant', aStatus({ grant: aGrantRecord({ ...aStatus().grant, revokedAt: now }) })],
  ['a missing client', aStatus({ client: undefined })],
  ['a disabled client', aStatus({ client: aClientRecord({ disabledAt: now }) })],
])('rejects %s (RFC 7009 §2)', (_, status) => {
  expect(isFamilyActive(status, now)).toBe(false)
})

it.each<readonly [string, Partial<Lineage>]>([
  ['a directory that does not exist', { parents: [], tokenIds: [], providerId: providerId('gone') }],
  ['a lineage that lost its directory', { parents: [], tokenIds: [] }],
  ['a lineage that lost its families', { tokenIds: [], providerId: providerId('acme') }],
  ['a lineage that lost its tokens', { parents: [aStatus().family.familyId], tokenIds: [] }],
])('rejects a family with %s (RFC 8693 §2.2.1)', async (_, lineage) => {
  const status = aStatus({ family: { ...aStatus().family, lineage: lineage as never } })

  expect(await findActiveFamily(aStatus(), now, createMemoryStorage({ issuer: 'https://as.test' }))).toBeDefined()
  expect(await findActiveFamily(status, now, createMemoryStorage({ issuer: 'https://as.test' }))).toBeUndefined()
})
