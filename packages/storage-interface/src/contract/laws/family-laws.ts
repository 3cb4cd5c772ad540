// One file, because rotation and revocation are about the same record, and race with each other.
import { clientId, type EpochSeconds, familyId, seconds } from '../../values.ts'
import type { OAuthStorage } from '../../storage.ts'
import type { RotateOutcome, RotateRequest } from '../../token-family.ts'
import { aDigest, aFamilyRecord, aRefreshRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Rotation of refresh tokens, and presentations of a token that was replaced (RFC 6749 §10.4, RFC 9700 §4.14.2). */
export const rotationLaws: readonly StorageLaw[] = [
  law('families: the current token rotates', async ({ storage, same }) => {
    await storage.families.insert(family)

    const result = await storage.families.rotate(present('refresh-1'))

    same(result, { outcome: 'rotated', record: rotatedFamily }, 'the outcome, with the family as it is after it')
    same((await storage.status.ofFamily(family.familyId))?.family, rotatedFamily, 'the family as read')
    const next = await storage.families.rotate(present('refresh-2', { successorDigest: aDigest('refresh-3') }))
    same(next.outcome, 'rotated', 'the successor, presented in its turn')
  }),

  law(
    'families: the previous token gets the same successor again within the retry window',
    async ({ storage, same }) => {
      await storage.families.insert(family)
      await storage.families.rotate(present('refresh-1'))
      const retry = present('refresh-1', {
        successorDigest: aDigest('other'),
        successorSalt: 'other',
        expiresAt: nowPlus(9),
      })

      for (const later of [0, 1, 9]) {
        const result = await storage.families.rotate({ ...retry, now: nowPlus(later) })
        const record = retriedFamily(nowPlus(later))
        same(result, { outcome: 'retried', record }, `a retry ${later} s after the rotation`)
      }
      const stored = (await storage.status.ofFamily(family.familyId))?.family
      same(stored, retriedFamily(nowPlus(9)), 'the family after the retries')
      same((await storage.families.rotate(present('refresh-2'))).outcome, 'rotated', 'the successor after the retries')
    },
  ),

  law(
    'families: presenting the previous token after the retry window is reuse and revokes the family',
    async ({ storage, same }) => {
      await storage.families.insert(family)
      await storage.families.rotate(present('refresh-1'))

      const result = await storage.families.rotate(present('refresh-1', { now: nowPlus(10) }))

      same(result, { outcome: 'reused', record: { ...rotatedFamily, revokedAt: nowPlus(10) } }, 'the previous token')
      same(
        await storage.families.rotate(present('refresh-2', { now: nowPlus(11) })),
        { outcome: 'absent' },
        'the current one after it',
      )
      same((await storage.status.ofFamily(family.familyId))?.family.revokedAt, nowPlus(10), 'revocation as read')
    },
  ),

  law('families: a window of 0 never allows a retry', async ({ storage, same }) => {
    await storage.families.insert(family)
    await storage.families.rotate(present('refresh-1'))

    // Another server's clock may be behind: the presentation can seem to be older than the rotation.
    const result = await storage.families.rotate(present('refresh-1', { now: nowPlus(-1), retryWindow: seconds(0) }))

    same(result.outcome, 'reused', 'the previous token')
  }),

  law(
    'families: presenting a token older than the previous one is reuse and revokes the family, even within the retry window',
    async ({ storage, same }) => {
      await storage.families.insert(family)
      await storage.families.rotate(present('refresh-1'))
      await storage.families.rotate(present('refresh-2', { successorDigest: aDigest('refresh-3') }))

      const result = await storage.families.rotate(present('refresh-1'))

      same(result.outcome, 'reused', 'the token before the previous one')
      for (const token of ['refresh-1', 'refresh-2', 'refresh-3']) {
        same(await storage.families.rotate(present(token)), { outcome: 'absent' }, `${token} after the reuse`)
      }
    },
  ),

  law(
    'families: presenting a token that was never issued, with a valid handle, is reuse',
    async ({ storage, same }) => {
      await storage.families.insert(family)

      same((await storage.families.rotate(present('forged'))).outcome, 'reused', 'the forged token')
      same(await storage.families.rotate(present('refresh-1')), { outcome: 'absent' }, 'the current token after it')
    },
  ),

  law(
    'families: a rotation with an unknown handle, by another client or of an expired family is absent and changes nothing',
    async ({ storage, same }) => {
      await storage.families.insert(family)
      const absent: readonly (readonly [string, RotateRequest])[] = [
        ['an unknown handle', present('refresh-1', { handleDigest: aDigest('unknown') })],
        ['another client', present('refresh-1', { clientId: clientId('client-2') })],
        ['another client, with a forged token', present('forged', { clientId: clientId('client-2') })],
        ['the second of the sliding expiry', present('refresh-1', { now: aRefreshRecord().expiresAt })],
        ['a forged token after the sliding expiry', present('forged', { now: aRefreshRecord().expiresAt })],
      ]

      for (const [about, request] of absent) same(await storage.families.rotate(request), { outcome: 'absent' }, about)
      same((await storage.status.ofFamily(family.familyId))?.family, family, 'the family after them')
    },
  ),

  law(
    'families: no refresh token is rotated once the expiry time of the family is reached',
    async ({ storage, same }) => {
      const ending = aFamilyRecord({ expiresAt: nowPlus(60) })
      await storage.families.insert(ending)

      same(
        await storage.families.rotate(present('refresh-1', { now: nowPlus(60) })),
        { outcome: 'absent' },
        'at expiry',
      )
      same(
        await storage.families.rotate(present('forged', { now: nowPlus(60) })),
        { outcome: 'absent' },
        'a forged token at expiry',
      )
      same((await storage.status.ofFamily(family.familyId))?.family, ending, 'the family after it')
      same(
        (await storage.families.rotate(present('refresh-1', { now: nowPlus(59) }))).outcome,
        'rotated',
        'one second before',
      )
    },
  ),

  law('families: of 16 concurrent rotations of one token exactly one rotates', async ({ storage, server, same }) => {
    await storage.families.insert(family)

    const results = await atOnce(16, (index) =>
      server(index).families.rotate(
        present('refresh-1', { successorDigest: aDigest(`child-${index}`), successorSalt: `salt-${index}` }),
      ),
    )

    same(tally(results), { rotated: 1, retried: 15 }, 'outcomes')
    const salts = new Set(
      results.map((result) => (result.outcome === 'absent' ? undefined : result.record.refresh?.successorSalt)),
    )
    same(salts.size, 1, 'the number of different successors')
  }),

  law(
    'families: a token that is its own successor stays current, even in 16 concurrent presentations',
    async (trial) => {
      const { storage, server, same } = trial
      await storage.families.insert(family)
      await storage.families.rotate(present('refresh-1'))
      const keep = (expiresAt: number): RotateRequest =>
        present('refresh-2', { successorDigest: aDigest('refresh-2'), expiresAt: nowPlus(expiresAt), now: nowPlus(20) })

      const results = await atOnce(16, (index) => server(index).families.rotate(keep(100_000)))
      same(tally(results), { rotated: 16 }, 'outcomes')
      const last = await storage.families.rotate(keep(200_000))
      same(last.outcome === 'rotated' && last.record.refresh?.expiresAt, nowPlus(200_000), 'the sliding expiry')
      const older = await storage.families.rotate(present('refresh-1', { now: nowPlus(20) }))
      same(older.outcome, 'reused', 'a token that was rotated before')
      same(await storage.families.rotate(keep(200_000)), { outcome: 'absent' }, 'the kept token after that')
    },
  ),

  law(
    'families: after a reuse that races with a rotation, no token rotates again',
    async ({ storage, server, same }) => {
      await storage.families.insert(family)
      await storage.families.rotate(present('refresh-1'))
      const old = present('refresh-1', { retryWindow: seconds(0) })
      const current = present('refresh-2', { successorDigest: aDigest('refresh-3'), retryWindow: seconds(0) })

      const results = await atOnce(8, (index) => server(index).families.rotate(index % 2 === 0 ? current : old))

      same(results.filter(({ outcome }) => outcome === 'reused').length, 1, 'how many received `reused`')
      for (const token of ['refresh-2', 'refresh-3']) {
        same(await storage.families.rotate(present(token)), { outcome: 'absent' }, `${token} after the race`)
      }
    },
  ),
]

export const family = aFamilyRecord()

const rotatedFamily = aFamilyRecord({
  refresh: {
    handleDigest: aDigest('handle-1'),
    currentDigest: aDigest('refresh-2'),
    previousDigest: aDigest('refresh-1'),
    successorSalt: 'salt-1',
    rotatedAt: now,
    retriedAt: undefined,
    expiresAt: nowPlus(90_000),
  },
})

/** Presents a refresh token of the family, to be replaced by `refresh-2`, with a window of ten seconds. */
export const retriedFamily = (retriedAt: EpochSeconds) =>
  rotatedFamily.refresh === undefined
    ? rotatedFamily
    : aFamilyRecord({ ...rotatedFamily, refresh: { ...rotatedFamily.refresh, retriedAt } })

export function present(token: string, overrides: Partial<RotateRequest> = {}): RotateRequest {
  return {
    handleDigest: aDigest('handle-1'),
    presentedDigest: aDigest(token),
    clientId: clientId('client-1'),
    successorDigest: aDigest('refresh-2'),
    successorSalt: 'salt-1',
    expiresAt: nowPlus(90_000),
    now,
    retryWindow: seconds(10),
    ...overrides,
  }
}

/**
 * A family is written once and revoked once, whatever runs concurrently with the revocation (RFC 6749 §4.1.2, RFC 7009
 * §2.1).
 */
export const familyRevocationLaws: readonly StorageLaw[] = [
  law('families: an identifier or a handle is inserted at most once', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) =>
      server(index).families.insert(aFamilyRecord({ scopes: [`scope-${index}`] })),
    )
    const written = await storage.status.ofFamily(family.familyId)
    const sameHandle = await storage.families.insert(aFamilyRecord({ familyId: familyId('family-2') }))
    const sameId = await storage.families.insert(
      aFamilyRecord({ refresh: aRefreshRecord({ handleDigest: aDigest('handle-2') }) }),
    )

    same(tally(inserts), { inserted: 1, revoked: 7 }, '8 insertions at once')
    same(sameHandle, { outcome: 'revoked' }, 'another family with the same handle')
    same(sameId, { outcome: 'revoked' }, 'the same family with another handle')
    same(await storage.status.ofFamily(family.familyId), written, 'the family after the refused insertions')
    same(await storage.status.ofFamily(familyId('family-2')), undefined, 'the refused family')
    same(await storage.status.ofRefreshHandle(aDigest('handle-2')), undefined, 'the refused handle')
  }),

  law('families: families without a refresh token do not conflict', async ({ storage, same }) => {
    same(
      await storage.families.insert(bare('family-1')),
      { outcome: 'inserted' },
      'the first family without a refresh token',
    )
    same(await storage.families.insert(bare('family-2')), { outcome: 'inserted' }, 'the second')
  }),

  law('families: a family whose tombstone was inserted first is never active', async ({ storage, same }) => {
    await storage.families.insertTombstone(aFamilyRecord({ refresh: undefined }), now)

    same(await storage.families.insert(family), { outcome: 'revoked' }, 'the insertion after the tombstone')
    same(await rotateFirst(storage), { outcome: 'absent' }, 'its refresh token')
    same((await storage.status.ofFamily(family.familyId))?.family.revokedAt, now, 'when it was revoked')
  }),

  law(
    'families: a tombstone revokes a family that was inserted before, and a second one does not change the time',
    async ({ storage, same }) => {
      await storage.families.insert(family)
      await storage.families.insertTombstone(aFamilyRecord({ refresh: undefined, scopes: [] }), nowPlus(1))
      await storage.families.insertTombstone(family, nowPlus(2))

      const status = await storage.status.ofFamily(family.familyId)
      same(status?.family, { ...family, revokedAt: nowPlus(1) }, 'the family after two tombstones')
      same(await rotateFirst(storage), { outcome: 'absent' }, 'its refresh token')
      same(
        await storage.families.revoke(family.familyId, nowPlus(3)),
        { outcome: 'unchanged' },
        'a revocation after that',
      )
    },
  ),

  law(
    'families: the family is revoked whichever of insertion and tombstone comes first',
    async ({ storage, server, same }) => {
      const races = Array.from({ length: 8 }, (_, index) =>
        aFamilyRecord({
          familyId: familyId(`family-${index}`),
          refresh: aRefreshRecord({ handleDigest: aDigest(`handle-${index}`) }),
        }),
      )

      await atOnce(16, async (index) => {
        const raced = races[index >> 1] ?? family
        const startsWithInsert = [0, 3].includes(index % 4)
        return startsWithInsert
          ? server(0).families.insert(raced)
          : server(1).families.insertTombstone({ ...raced, refresh: undefined }, now)
      })

      for (const { familyId: id } of races) {
        const status = await storage.status.ofFamily(id)
        same(status?.family.revokedAt, now, `when ${id} was revoked`)
      }
    },
  ),

  law(
    'families: a revocation is reported once, a later one does not change its time, and no token rotates after it',
    async ({ storage, same }) => {
      await storage.families.insert(family)

      same(await storage.families.revoke(familyId('unknown'), now), { outcome: 'absent' }, 'an unknown family')
      same(await storage.families.revoke(family.familyId, now), { outcome: 'revoked' }, 'the first revocation')
      same(await storage.families.revoke(family.familyId, nowPlus(5)), { outcome: 'unchanged' }, 'the second')
      same(
        (await storage.status.ofFamily(family.familyId))?.family,
        { ...family, revokedAt: now },
        'the family as read',
      )
      same(await rotateFirst(storage), { outcome: 'absent' }, 'its refresh token')
    },
  ),

  law('families: after a revocation that races with rotations, no token rotates', async ({ storage, server, same }) => {
    await storage.families.insert(family)

    const results = await atOnce(9, async (index) =>
      index === 4 ? server(index).families.revoke(family.familyId, now) : rotateFirst(server(index), `child-${index}`),
    )

    same(results.filter(({ outcome }) => outcome === 'revoked').length, 1, 'how many revoked the family')
    for (const token of ['refresh-1', ...Array.from({ length: 9 }, (_, index) => `child-${index}`)]) {
      same(await rotate(storage, token, 'late'), { outcome: 'absent' }, `${token} after the race`)
    }
  }),
]

const bare = (id: string) => aFamilyRecord({ familyId: familyId(id), refresh: undefined })

const rotateFirst = (storage: OAuthStorage, successor = 'refresh-2'): Promise<RotateOutcome> =>
  rotate(storage, 'refresh-1', successor)

function rotate(storage: OAuthStorage, token: string, successor: string): Promise<RotateOutcome> {
  return storage.families.rotate({
    handleDigest: aDigest('handle-1'),
    presentedDigest: aDigest(token),
    clientId: family.clientId,
    successorDigest: aDigest(successor),
    successorSalt: 'salt-1',
    expiresAt: nowPlus(90_000),
    now,
    retryWindow: seconds(10),
  })
}
