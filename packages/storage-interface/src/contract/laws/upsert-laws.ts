import type { AdminStorage } from '../../storage.ts'
import type { HostUser } from '../../user.ts'
import { clientId, userId, type UserId } from '../../values.ts'
import { aClientRecord, aUser, now, nowPlus } from '../fixtures.ts'
import { atOnce, law, type StorageLaw, tally } from '../law.ts'
import { aProvisionedUser } from '../provisioning-fixtures.ts'
import { isolation } from './isolation-laws.ts'

/** Users that are copied from the host's own table. */
export const upsertLaws: readonly StorageLaw<AdminStorage>[] = [
  law('upsert: users are created, updated or left unchanged, and the outcomes say which', async ({ storage, same }) => {
    await storage.users.insert(aUser({ userId: userId('same'), claims: { name: 'Same', level: 1 } }))
    await storage.users.insert(aUser({ userId: userId('old'), claims: { name: 'Old', email: 'old@x.test' } }))
    await storage.users.insert(aUser({ userId: userId('blocked'), claims: {} }))
    await storage.users.deactivate(userId('blocked'), nowPlus(1))
    const before = await find(['same', 'blocked'])
    const users = [
      hostUser('same', { name: 'Same', level: 1 }),
      hostUser('old', { name: 'New' }),
      hostUser('blocked', { name: 'B' }),
      hostUser('fresh', { name: 'Fresh \u0000 😀', address: { locality: "O'Hare" } }),
      hostUser('inactive', {}, false),
    ]

    const outcomes = await storage.users.upsert({ users, now: nowPlus(5) })

    same(
      outcomes,
      [
        { outcome: 'unchanged', active: true },
        { outcome: 'updated', active: true },
        { outcome: 'updated', active: false },
        { outcome: 'created', active: true },
        { outcome: 'created', active: false },
      ],
      'the outcomes',
    )
    const [sameAfter, old, blocked, fresh, inactive] = await find(['same', 'old', 'blocked', 'fresh', 'inactive'])
    same(sameAfter, before[0], 'the user who was the same')
    same([old?.claims, old?.version, old?.updatedAt], [{ name: 'New' }, 2, nowPlus(5)], 'the user who was updated')
    same(
      [blocked?.active, blocked?.blockedAt, blocked?.generation, blocked?.claims],
      [false, nowPlus(1), 1, { name: 'B' }],
      'active, block and generation of a user who was updated',
    )
    same(fresh, { ...created('fresh'), claims: users[3]?.claims }, 'a new user')
    same(
      inactive,
      { ...created('inactive'), claims: {}, active: false, blockedAt: nowPlus(5), activeAfterBlock: true },
      'a new user who is blocked',
    )
    same(
      await storage.users.upsert({ users: users.slice(0, 2), now: nowPlus(9) }),
      [
        { outcome: 'unchanged', active: true },
        { outcome: 'unchanged', active: true },
      ],
      'the same users again',
    )

    function find(ids: readonly string[]) {
      return Promise.all(ids.map((id) => storage.users.find(userId(id))))
    }
  }),

  law(
    'upsert: users of providers, removed users and identifiers of clients are not written',
    async ({ storage, same }) => {
      const provisioned = aProvisionedUser('p')
      await storage.provisionedUsers.insert(provisioned)
      await storage.users.insert(aUser({ userId: userId('removed') }))
      await storage.users.remove(userId('removed'), now)
      await storage.clients.insert(aClientRecord({ clientId: clientId('app') }))
      await storage.clients.insert(aClientRecord({ clientId: clientId('old-app') }))
      await storage.clients.remove(clientId('old-app'), now)
      const before = await storage.users.find(provisioned.userId)
      const users = [provisioned.userId, 'removed', 'app', 'old-app', 'new'].map((id) => hostUser(id, { name: 'X' }))
      const expected = ['provisioned', 'removed', 'client', 'client'].map((outcome) => ({ outcome }))
      const all = [...expected, { outcome: 'created', active: true }]

      same(await storage.users.compare(users), all, 'the comparison')
      same(await storage.users.upsert({ users, now: nowPlus(5) }), all, 'the outcomes')
      same(await storage.users.find(provisioned.userId), before, 'the user of a provider')
      for (const id of ['removed', 'app', 'old-app']) same(await storage.users.find(userId(id)), undefined, id)
    },
  ),

  law('upsert: of concurrent batches, one creates each user', async ({ server, same }) => {
    const ids = Array.from({ length: 20 }, (_, index) => `u${index}`)

    const batches = await atOnce(6, (index) => {
      const users = ids.map((id) => hostUser(id, { name: id }))
      return server(index).users.upsert({ users: index % 2 === 0 ? users : users.toReversed(), now })
    })

    same(tally(batches.flat()), { created: 20, unchanged: 100 }, 'outcomes of 6 batches')
  }),

  law('upsert: compare returns what upsert would return, and writes nothing', async ({ storage, same }) => {
    await storage.users.insert(aUser({ userId: userId('same'), claims: { name: 'Same' } }))
    await storage.users.insert(aUser({ userId: userId('old'), claims: { name: 'Old' } }))
    const before = await storage.users.find(userId('old'))
    const users = [hostUser('same', { name: 'Same' }), hostUser('old', { name: 'New' }), hostUser('fresh', {}, false)]

    const compared = await storage.users.compare(users)

    same(await storage.users.find(userId('old')), before, 'the user who differs')
    same(await storage.users.find(userId('fresh')), undefined, 'the user who does not exist')
    same(await storage.users.upsert({ users, now }), compared, 'the outcomes of the upsert')
    same(await storage.users.upsert({ users: [], now }), [], 'no users')
  }),

  isolation<AdminStorage>('users are upserted and compared', async ({ storage, same }, other) => {
    const users = [hostUser('u', { name: 'Mine' })]
    await storage.users.upsert({ users, now })
    const before = await storage.users.find(userId('u'))

    same(await other.users.compare(users), [{ outcome: 'created', active: true }], 'the comparison')
    await other.users.upsert({ users: [hostUser('u', { name: 'Theirs' })], now: nowPlus(1) })
    same(await storage.users.find(userId('u')), before, "the first issuer's user")
  }),
]

const hostUser = (id: UserId | string, claims: HostUser['claims'], active = true): HostUser => ({
  userId: userId(id),
  claims,
  active,
})

const created = (id: string) => ({
  userId: userId(id),
  active: true,
  generation: 0,
  createdAt: nowPlus(5),
  updatedAt: nowPlus(5),
  version: 1,
})
