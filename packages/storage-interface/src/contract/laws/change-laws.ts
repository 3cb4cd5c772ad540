import type { ChangeRecord } from '../../change.ts'
import type { AdminStorage, CompleteOAuthStorage } from '../../storage.ts'
import { jsonText, providerId, userId } from '../../values.ts'
import { fullWebhook, sparseWebhook } from '../complete-records.ts'
import { aGrantRecord, aSessionEnd, aSessionRecord, aUser, now, nowPlus } from '../fixtures.ts'
import { atOnce, law, type StorageLaw, tally, type Trial } from '../law.ts'
import { aGroup, aProvisionedState, aProvisionedUser, delta, aWebhook } from '../provisioning-fixtures.ts'
import { isolation } from './isolation-laws.ts'

/** Changes for webhooks: each is recorded in the same step in which it happens, and is listed once and in order. */
export const changeLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law(
    'changes: methods that change users of the host record the changes, with the names of the changed claims',
    async (trial) => {
      const { storage, same } = trial
      const changed = await startRecording(trial)
      const { users } = storage
      await users.insert(aUser({ userId: userId('a'), claims: { name: 'A', email: 'a@x.test', vip: true } }))
      same(await changed(), ['user.created a'], 'users.insert')
      const claims = { name: 'A2', vip: true, locale: 'en' }
      await users.replaceClaims({ userId: userId('a'), claims, version: 1, now })
      same(await changed(), ['user.changed a email,locale,name'], 'users.replaceClaims')
      await users.deactivate(userId('a'), now)
      same(await changed(), ['user.deactivated a'], 'users.deactivate')
      await users.reactivate(userId('a'), now)
      same(await changed(), ['user.reactivated a'], 'users.reactivate')
      await users.revokeAccess(userId('a'), now)
      same(await changed(), ['user.access_revoked a'], 'users.revokeAccess')
      await users.remove(userId('a'), now)
      same(await changed(), ['user.removed a'], 'users.remove')
    },
  ),

  law('changes: methods that revoke sessions, or create or revoke grants, record the changes', async (trial) => {
    const { storage, same } = trial
    await storage.users.insert(aUser())
    const changed = await startRecording(trial)
    const session = aSessionRecord()

    await storage.grants.insert(aGrantRecord())
    same(await changed(), ['grant.created user-1 client-1 grant-1'], 'grants.insert')
    await storage.grants.revoke(aGrantRecord().grantId, now)
    same(await changed(), ['grant.revoked user-1 client-1 grant-1'], 'grants.revoke')
    await storage.sessions.insert(session)
    same(await changed(), [], 'sessions.insert')
    await storage.sessions.revoke(aSessionEnd())
    same(await changed(), ['session.ended user-1 session-1'], 'sessions.revoke')
  }),

  law('changes: nothing is recorded without a webhook, nor by a method that changes nothing', async (trial) => {
    const { storage, same } = trial
    await storage.users.insert(aUser())
    const changed = await startRecording(trial)

    same(await changed(), [], 'before the webhook')
    await storage.users.insert(aUser())
    await storage.users.replaceClaims({ userId: aUser().userId, claims: aUser().claims, version: 1, now })
    await storage.users.reactivate(aUser().userId, now)
    await storage.users.deactivate(userId('unknown'), now)
    same(await changed(), [], 'methods that change nothing')
    await storage.webhooks.remove(aWebhook().webhookId)
    await storage.users.deactivate(aUser().userId, now)
    same(await changed(), [], 'after the webhook was removed')
  }),

  law(
    'changes: a reader that continues after the last change misses none, and gets the changes of a user in order',
    async (trial) => {
      const { storage, server, same } = trial
      await storage.webhooks.insert(aWebhook())
      const ids = ['a', 'b', 'c', 'd']
      for (const id of ids) await storage.users.insert(aUser({ userId: userId(id) }))
      const seen: ChangeRecord[] = []
      const read = async (): Promise<void> => {
        const page = await server(1).changes.list({ after: seen.at(-1)?.position ?? 0, limit: 3 })
        seen.push(...page)
      }

      await atOnce(ids.length + 1, async (index) => {
        const id = ids[index]
        if (id === undefined) for (let round = 0; round < 12; round += 1) await read()
        else
          for (let round = 0; round < 4; round += 1) {
            await server(index + round).users.deactivate(userId(id), now)
            await server(index + round).users.reactivate(userId(id), now)
          }
      })
      for (let before = -1; before < seen.length;) {
        before = seen.length
        await read()
      }

      const positions = seen.map(({ position }) => position)
      same(
        positions,
        [...new Set(positions)].toSorted((one, other) => one - other),
        'the positions',
      )
      same(new Set(seen.map(({ changeId }) => changeId)).size, 4 + 4 * 8, 'the number of changes')
      const alternating = [
        'user.created',
        ...Array.from({ length: 4 }, () => ['user.deactivated', 'user.reactivated']).flat(),
      ]
      for (const id of ids)
        same(
          seen.filter((change) => change.userId === id).map(({ type }) => type),
          alternating,
          `the changes of ${id}`,
        )
      same(await storage.changes.lastPosition(), positions.at(-1), 'the last position')
    },
  ),

  law('webhooks: of concurrent writers that read the same version, one succeeds', async ({ storage, server, same }) => {
    await storage.webhooks.insert(aWebhook())

    const results = await atOnce(8, (index) =>
      server(index).webhooks.compareAndSwap(
        aWebhook({ url: `https://${index}.example`, updatedAt: nowPlus(index) }),
        1,
      ),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    same((await storage.webhooks.find('webhook-1'))?.version, 2, 'the version')
    const unknown = { ...aWebhook(), webhookId: 'unknown' }
    same(await storage.webhooks.compareAndSwap(unknown, 1), { outcome: 'absent' }, 'an unknown webhook')
  }),

  law('webhooks: a change stores every member that can change', async ({ storage, same }) => {
    const { webhookId, createdAt, version } = aWebhook()
    await storage.webhooks.insert(aWebhook())
    for (const [index, complete] of [fullWebhook, sparseWebhook].entries()) {
      const changed = { ...complete, webhookId, createdAt, version: version + index + 1 }
      const result = await storage.webhooks.compareAndSwap(changed, version + index)
      same(result, { outcome: 'swapped', record: changed }, `change ${index}`)
      same(await storage.webhooks.find(webhookId), changed, `the webhook after change ${index}`)
    }
  }),

  law('webhooks: a list is in the order of identifiers, without removed webhooks', async ({ storage, same }) => {
    for (const id of ['c', 'a', 'B', 'd']) await storage.webhooks.insert(aWebhook({ webhookId: id }))
    same(await storage.webhooks.insert(aWebhook({ webhookId: 'a' })), { outcome: 'taken' }, 'an identifier again')
    same(await storage.webhooks.remove('d'), { outcome: 'removed' }, 'a removal')
    same(await storage.webhooks.remove('d'), { outcome: 'absent' }, 'the same removal again')

    same(
      (await storage.webhooks.list()).map(({ webhookId }) => webhookId),
      ['B', 'a', 'c'],
      'the list',
    )
  }),

  isolation<CompleteOAuthStorage>('changes are listed', async ({ storage, same }, other) => {
    await storage.webhooks.insert(aWebhook())
    await storage.users.insert(aUser())
    await other.users.insert(aUser())

    same(await other.changes.list({ after: 0, limit: 9 }), [], "the other issuer's changes")
    same(await other.changes.lastPosition(), 0, "the other issuer's last position")
    same((await storage.changes.list({ after: 0, limit: 9 })).length, 1, "the first issuer's changes")
  }),
]

/** Changes of users and groups of directories, and of upserted users. */
export const directoryChangeLaws: readonly StorageLaw<AdminStorage>[] = [
  law('changes: methods that change provisioned users, and upserts, record the changes', async (trial) => {
    const { storage, same } = trial
    const changed = await startRecording(trial)
    const { users, provisionedUsers } = storage
    const provider = providerId('provider-1')
    const id = userId('user-p')
    const version = async () => (await users.find(id))?.version ?? 0

    await users.insert(aUser({ userId: userId('a'), claims: { name: 'A2', vip: true, locale: 'en' } }))
    same(await changed(), ['user.created a'], 'users.insert')
    const hostUsers = ['a', 'b'].map((each) => ({ userId: userId(each), claims: { name: 'B' }, active: true }))
    await users.upsert({ users: hostUsers, now })
    same(await changed(), ['user.changed a locale,name,vip', 'user.created b'], 'users.upsert')
    await provisionedUsers.insert(aProvisionedUser('p'))
    same(await changed(), ['user.created user-p'], 'provisionedUsers.insert')
    const state = aProvisionedState('p', { active: false, claims: { name: 'P' } })
    await provisionedUsers.compareAndSwap({ providerId: provider, userId: id, version: 1, state, now })
    same(
      await changed(),
      ['user.changed user-p email,name', 'user.deactivated user-p'],
      'provisionedUsers.compareAndSwap',
    )
    const titled = { ...state, resource: jsonText({ userName: 'p', title: 'T' }) }
    await provisionedUsers.compareAndSwap({
      providerId: provider,
      userId: id,
      version: await version(),
      state: titled,
      now,
    })
    same(await changed(), ['user.changed user-p'], 'provisionedUsers.compareAndSwap of an attribute without a claim')
    await provisionedUsers.release({ providerId: provider, userId: id, version: await version(), now })
    same(await changed(), [], 'provisionedUsers.release of an inactive user')
    const adopted = aProvisionedState('p', { claims: { name: 'P' } })
    await provisionedUsers.adopt({ providerId: provider, userId: id, version: await version(), state: adopted, now })
    same(await changed(), ['user.reactivated user-p'], 'provisionedUsers.adopt')
    await provisionedUsers.remove({ providerId: provider, userId: id, version: undefined, now })
    same(await changed(), ['user.removed user-p'], 'provisionedUsers.remove')
  }),

  law('changes: methods that change groups and their members record the changes', async (trial) => {
    const { storage, same } = trial
    for (const label of 'abc') await storage.provisionedUsers.insert(aProvisionedUser(label))
    const changed = await startRecording(trial)
    const { groups } = storage
    const group = { providerId: providerId('provider-1'), groupId: aGroup('g').groupId, version: undefined, now }

    await groups.insert(aGroup('g', { memberIds: ['user-a', 'user-b'] }))
    same(
      await changed(),
      ['group.created group-g', 'membership.added group-g user-a', 'membership.added group-g user-b'],
      'groups.insert',
    )
    await groups.change({ ...group, state: undefined, members: delta(['user-c'], ['user-a']) })
    same(
      await changed(),
      ['membership.added group-g user-c', 'membership.removed group-g user-a'],
      'groups.change of members',
    )
    await groups.change({ ...group, state: { ...aGroup('g').state, displayName: 'New' }, members: undefined })
    same(await changed(), ['group.changed group-g displayName'], 'groups.change of the name')
    await storage.users.remove(userId('user-b'), now)
    same(await changed(), ['membership.removed group-g user-b', 'user.removed user-b'], 'users.remove of a member')
    await groups.remove(group)
    same(await changed(), ['group.removed group-g', 'membership.removed group-g user-c'], 'groups.remove')
  }),
]

/** Inserts a webhook. @returns a function that reads the changes since the last call, as sorted strings. */
async function startRecording({ storage }: Trial<CompleteOAuthStorage>): Promise<() => Promise<readonly string[]>> {
  await storage.webhooks.insert(aWebhook())
  let after = 0
  return async () => {
    const changes = await storage.changes.list({ after, limit: 100 })
    after = changes.at(-1)?.position ?? after
    return changes.map(textOf).toSorted()
  }
}

const textOf = ({ type, userId, groupId, clientId, sessionId, grantId, names }: ChangeRecord): string =>
  [type, groupId, userId, clientId, sessionId, grantId, names.toSorted().join(',')]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
