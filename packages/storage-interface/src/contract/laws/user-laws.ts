import { userId } from '../../values.ts'
import type { UserRecord } from '../../user.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { aUser, now, nowPlus } from '../fixtures.ts'

/**
 * Users: an identifier is never reused (OIDC Core §2), and the row is the kill switch for everything issued to the
 * user.
 */
export const userLaws: readonly StorageLaw[] = [
  law('users: a new user is active, with generation 0 and version 1', async ({ storage, same }) => {
    same(await storage.users.insert(user), { outcome: 'inserted' }, 'the insertion')
    same(await storage.users.find(user.userId), fresh, 'the user as read')
    same(await storage.users.find(userId('unknown')), undefined, 'a user that never existed')
  }),

  law(
    'users: an identifier is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).users.insert(aUser({ claims: { name: `name-${index}` } })),
      )
      const written = await storage.users.find(user.userId)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      same(
        await storage.users.insert(aUser({ claims: { name: 'later' } })),
        { outcome: 'taken' },
        'an insertion after that',
      )
      same(await storage.users.find(user.userId), written, 'the user after that insertion')
    },
  ),

  law('users: deactivation advances the generation once and is reported to one caller', async ({ storage, same }) => {
    await storage.users.insert(user)
    const inactive: UserRecord = { ...fresh, ...block, generation: 1, updatedAt: nowPlus(1), version: 2 }

    same(await storage.users.deactivate(user.userId, nowPlus(1)), { outcome: 'changed', record: inactive }, 'the first')
    same(
      await storage.users.deactivate(user.userId, nowPlus(2)),
      { outcome: 'unchanged', record: inactive },
      'the second',
    )
    same(await storage.users.find(user.userId), inactive, 'the user as read')
    same(await storage.users.deactivate(userId('unknown'), now), { outcome: 'absent' }, 'an unknown user')
  }),

  law('users: reactivation makes the user active and keeps the generation', async ({ storage, same }) => {
    await storage.users.insert(user)
    same(await storage.users.reactivate(user.userId, now), { outcome: 'unchanged', record: fresh }, 'an active user')
    await storage.users.deactivate(user.userId, nowPlus(1))
    const reactivated: UserRecord = { ...fresh, generation: 1, updatedAt: nowPlus(2), version: 3 }

    same(
      await storage.users.reactivate(user.userId, nowPlus(2)),
      { outcome: 'changed', record: reactivated },
      'after a deactivation',
    )
    same(await storage.users.find(user.userId), reactivated, 'the user as read')
    same(await storage.users.reactivate(userId('unknown'), now), { outcome: 'absent' }, 'an unknown user')
    const again = await storage.users.deactivate(user.userId, nowPlus(3))
    same(again.outcome === 'changed' && again.record.generation, 2, 'the generation after a second deactivation')
  }),

  law('users: a revocation of all access advances only the generation and the time', async ({ storage, same }) => {
    await storage.users.insert(user)
    const revoked: UserRecord = { ...fresh, generation: 1, updatedAt: nowPlus(1) }

    same(
      await storage.users.revokeAccess(user.userId, nowPlus(1)),
      { outcome: 'revoked', record: revoked },
      'the first',
    )
    same(await storage.users.find(user.userId), revoked, 'the user as read')
    same(
      await storage.users.revokeAccess(user.userId, nowPlus(2)),
      { outcome: 'revoked', record: { ...revoked, generation: 2, updatedAt: nowPlus(2) } },
      'the second',
    )
    same(await storage.users.revokeAccess(userId('unknown'), now), { outcome: 'absent' }, 'an unknown user')
    await storage.users.remove(user.userId, nowPlus(3))
    same(await storage.users.revokeAccess(user.userId, nowPlus(4)), { outcome: 'absent' }, 'a removed user')
  }),

  law('users: no concurrent revocation of all access is lost', async ({ storage, server, same }) => {
    await storage.users.insert(user)

    await atOnce(8, async (index) => {
      if (index === 4) return server(index).users.replaceClaims({ userId: user.userId, claims: {}, version: 1, now })
      return server(index).users.revokeAccess(user.userId, now)
    })

    const found = await storage.users.find(user.userId)
    same(
      { generation: found?.generation, version: found?.version, claims: found?.claims },
      { generation: 7, version: 2, claims: {} },
      'the user after 7 revocations and one change of claims',
    )
  }),

  law('users: of 8 concurrent deactivations one changes the user', async ({ storage, server, same }) => {
    await storage.users.insert(user)

    const results = await atOnce(8, (index) => server(index).users.deactivate(user.userId, now))

    same(tally(results), { changed: 1, unchanged: 7 }, 'outcomes')
    same((await storage.users.find(user.userId))?.generation, 1, 'the generation')
  }),

  law(
    'users: a removed user is absent for every method, and the identifier stays taken',
    async ({ storage, server, same }) => {
      await storage.users.insert(user)

      const removals = await atOnce(4, (index) => server(index).users.remove(user.userId, now))

      same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
      same(await storage.users.find(user.userId), undefined, 'the user as read')
      same(await storage.users.insert(user), { outcome: 'taken' }, 'an insertion of the same identifier')
      same(await storage.users.find(user.userId), undefined, 'the user after the insertion')
      same(await storage.users.deactivate(user.userId, now), { outcome: 'absent' }, 'deactivate')
      same(await storage.users.reactivate(user.userId, now), { outcome: 'absent' }, 'reactivate')
      for (const version of [1, 2]) {
        const change = { userId: user.userId, claims: {}, version, now }
        same(await storage.users.replaceClaims(change), { outcome: 'absent' }, `replaceClaims with version ${version}`)
      }
      same(await storage.users.remove(userId('unknown'), now), { outcome: 'absent' }, 'the removal of an unknown user')
    },
  ),

  law('users: replacing claims changes neither active nor generation', async ({ storage, same }) => {
    await storage.users.insert(user)
    await storage.users.deactivate(user.userId, nowPlus(1))
    const claims = { name: 'Grace Example' }

    const result = await storage.users.replaceClaims({ userId: user.userId, claims, version: 2, now: nowPlus(2) })

    const expected: UserRecord = { ...fresh, ...block, generation: 1, claims, updatedAt: nowPlus(2), version: 3 }
    same(result, { outcome: 'swapped', record: expected }, 'the outcome')
    same(await storage.users.find(user.userId), expected, 'the user as read')
  }),

  law(
    'users: of concurrent writers that read the same version of the claims, one succeeds',
    async ({ storage, server, same }) => {
      await storage.users.insert(user)
      const change = { userId: user.userId, version: 1, now }

      const results = await atOnce(8, (index) =>
        server(index).users.replaceClaims({ ...change, claims: { name: `n-${index}` } }),
      )
      const written = await storage.users.find(user.userId)

      same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
      same(await storage.users.replaceClaims({ ...change, claims: {} }), { outcome: 'conflict' }, 'a later writer')
      same(await storage.users.find(user.userId), written, 'the user after a conflict')
      const unknown = await storage.users.replaceClaims({ ...change, userId: userId('unknown'), claims: {} })
      same(unknown, { outcome: 'absent' }, 'an unknown user')
    },
  ),

  law('users: a deactivation that races with new claims is not lost', async ({ storage, server, same }) => {
    await storage.users.insert(user)

    await atOnce(8, async (index) => {
      if (index === 4) return server(index).users.deactivate(user.userId, now)
      return server(index).users.replaceClaims({ userId: user.userId, claims: { name: 'n' }, version: 1, now })
    })

    const found = await storage.users.find(user.userId)
    same(
      { active: found?.active, generation: found?.generation },
      { active: false, generation: 1 },
      'active and generation',
    )
  }),
]

const user = aUser()
const fresh: UserRecord = {
  ...user,
  active: true,
  providerId: undefined,
  blockedAt: undefined,
  activeAfterBlock: undefined,
  generation: 0,
  updatedAt: now,
  version: 1,
}

/** The members of a user who was deactivated at `nowPlus(1)`. */
const block = { active: false, blockedAt: nowPlus(1), activeAfterBlock: true }
