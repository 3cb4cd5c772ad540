import {
  clientId,
  type EpochSeconds,
  providerId,
  userId,
  type AdminStorage,
  type UserId,
} from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'
import { jsonText } from '@mintmark/storage-interface/stores'

import { AdminError } from '../src/index.ts'
import { issuer, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

// In these tests another administrator changes the record between the read and the write of a change.

/**
 * Starts an administration whose storage has the stores that `overtake` returns, and another administration of the same
 * records.
 */
function startOvertaken(overtake: (storage: AdminStorage, other: AdminUnderTest) => Partial<AdminStorage>): {
  readonly admin: AdminUnderTest['admin']
  readonly other: AdminUnderTest
} {
  const storage = createMemoryStorage({ issuer })
  const other = startAdmin({ storage })
  return { admin: startAdmin({ storage: { ...storage, ...overtake(storage, other) } }).admin, other }
}

/** Returns `call`, which first runs `rival`. */
const afterRival =
  <Args extends readonly unknown[], Result>(
    rival: () => Promise<unknown>,
    call: (...args: Args) => Promise<Result>,
  ): ((...args: Args) => Promise<Result>) =>
  async (...args) => {
    await rival()
    return call(...args)
  }

const reasonOf = (thrown: unknown): unknown => (thrown instanceof AdminError ? thrown.reason : thrown)

it('a client that was removed meanwhile is unknown (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ clients }, { clock }) => ({
    clients: {
      ...clients,
      compareAndSwap: afterRival(
        () => clients.remove(clientId('app'), clock.now()),
        (client, version) => clients.compareAndSwap(client, version),
      ),
    },
  }))
  await other.admin.clients.create({ clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] })

  const disabled = await admin.clients.disable({ clientId: 'app' }).catch(reasonOf)

  expect(disabled).toBe('client_unknown')
})

it('a client that was removed meanwhile is unknown when another administrator removes it (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ clients }, { clock }) => ({
    clients: {
      ...clients,
      remove: afterRival(
        () => clients.remove(clientId('app'), clock.now()),
        (id, now) => clients.remove(id, now),
      ),
    },
  }))
  await other.admin.clients.create({ clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] })

  expect(await admin.clients.remove({ clientId: 'app' }).catch(reasonOf)).toBe('client_unknown')
})

it('a user who was removed meanwhile does not become a member (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ organizations, users }, { clock }) => ({
    organizations: {
      ...organizations,
      insertMember: afterRival(
        () => users.remove(userId('ann'), clock.now()),
        (member) => organizations.insertMember(member),
      ),
    },
  }))
  await other.admin.users.create({ userId: 'ann' })
  await other.admin.organizations.create({ organizationId: 'acme', displayName: 'Acme' })

  const written = await admin.organizations
    .writeMember({ organizationId: 'acme', userId: 'ann' }, ['owner'])
    .catch(reasonOf)

  expect(written).toBe('user_unknown')
  expect((await other.admin.organizations.listMembers('acme')).items).toEqual([])
})

it('an organization that was removed meanwhile gets no member (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ organizations }, { admin: { organizations: rival } }) => ({
    organizations: {
      ...organizations,
      insertMember: afterRival(
        () => rival.remove({ organizationId: 'acme' }),
        (member) => organizations.insertMember(member),
      ),
    },
  }))
  await other.admin.users.create({ userId: 'ann' })
  await other.admin.organizations.create({ organizationId: 'acme', displayName: 'Acme' })

  const written = await admin.organizations
    .writeMember({ organizationId: 'acme', userId: 'ann' }, ['owner'])
    .catch(reasonOf)

  expect(written).toBe('organization_unknown')
})

it.each(['deactivate', 'reactivate'] as const)(
  'a user who was removed meanwhile is unknown when another administrator tries to %s them (RFC 9110 §15.5.5)',
  async (change) => {
    const { admin, other } = startOvertaken(({ users }, { clock }) => ({
      users: {
        ...users,
        [change]: afterRival(
          () => users.remove(userId('ann'), clock.now()),
          (id: UserId, now: EpochSeconds) => users[change](id, now),
        ),
      },
    }))
    await other.admin.users.create({ userId: 'ann' })

    expect(await admin.users[change]('ann').catch(reasonOf)).toBe('user_unknown')
  },
)

it('a user who was removed meanwhile is unknown when another administrator removes them (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ users }, { clock }) => ({
    users: {
      ...users,
      remove: afterRival(
        () => users.remove(userId('ann'), clock.now()),
        (id, now) => users.remove(id, now),
      ),
    },
  }))
  await other.admin.users.create({ userId: 'ann' })

  expect(await admin.users.remove('ann').catch(reasonOf)).toBe('user_unknown')
})

it('a user who was removed meanwhile is unknown when another administrator changes their claims (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ users }, { clock }) => ({
    users: {
      ...users,
      replaceClaims: afterRival(
        () => users.remove(userId('ann'), clock.now()),
        (change) => users.replaceClaims(change),
      ),
    },
  }))
  await other.admin.users.create({ userId: 'ann' })

  expect(await admin.users.update({ userId: 'ann' }, { claims: { name: 'Ann' } }).catch(reasonOf)).toBe('user_unknown')
})

it('an identity provider that was removed meanwhile is unknown when another administrator removes it (RFC 9110 §15.5.5)', async () => {
  const { admin, other } = startOvertaken(({ identityProviders }, { clock }) => ({
    identityProviders: {
      ...identityProviders,
      remove: afterRival(
        () => identityProviders.remove(providerId('contoso'), clock.now()),
        (id, now) => identityProviders.remove(id, now),
      ),
    },
  }))
  await other.admin.identityProviders.register({ providerId: 'contoso' })

  expect(await admin.identityProviders.remove({ providerId: 'contoso' }).catch(reasonOf)).toBe('provider_unknown')
})

it('deactivateUsers of a removed provider counts a user whom another process removed meanwhile as deactivated', async () => {
  const { admin, other } = startOvertaken(({ provisionedUsers, users }, { clock }) => ({
    provisionedUsers: {
      ...provisionedUsers,
      list: async (query) => {
        const listed = await provisionedUsers.list(query)
        await users.remove(userId('ann'), clock.now())
        return listed
      },
    },
  }))
  await provisionContoso(other, ['ann', 'bob'])

  expect(await admin.identityProviders.deactivateUsers('contoso')).toEqual({
    deactivated: 2,
    kept: 0,
    next: undefined,
  })
})

it('a filter that storage refuses to evaluate is too broad (RFC 7644 §3.12)', async () => {
  const { admin } = startOvertaken(({ users }) => ({
    users: { ...users, list: () => Promise.resolve({ outcome: 'tooMany' }) },
  }))

  expect(await admin.users.list({ filter: 'active eq true' }).catch(reasonOf)).toBe('filter_too_broad')
})

it('a failure of the store is not mistaken for a removed user', async () => {
  const { admin, other } = startOvertaken(({ users }) => ({
    users: { ...users, deactivate: () => Promise.reject(new Error('disk full')) },
  }))
  await provisionContoso(other, ['ann'])

  expect(await admin.identityProviders.deactivateUsers('contoso').catch(reasonOf)).toBe('unexpected_failure')
})

/** Creates users of a provider, and removes the provider. */
async function provisionContoso(other: AdminUnderTest, ids: readonly string[]): Promise<void> {
  await other.admin.identityProviders.register({ providerId: 'contoso' })
  for (const id of ids) {
    const state = { active: true, externalId: id, renderKey: undefined, comparable: { userName: id }, claims: {} }
    await other.storage.provisionedUsers.insert({
      providerId: providerId('contoso'),
      userId: userId(id),
      state: { ...state, resource: jsonText({ userName: id }) },
      createdAt: other.clock.now(),
    })
  }
  await other.admin.identityProviders.remove({ providerId: 'contoso' })
}
