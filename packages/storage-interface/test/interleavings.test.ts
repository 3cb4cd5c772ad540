import { seconds, type AdminStorage } from '@mintmark/storage-interface'
import {
  aCodeRecord,
  aFamilyRecord,
  aGrantRecord,
  aGroup,
  anInteractionRecord,
  aPresentation,
  aProvisionedState,
  aProvisionedUser,
  aUser,
} from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('law: a code is won at most once under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor, presenters) => {
    const { digest, clientId, issuedAt } = aCodeRecord()
    await waitFor([storage.codes.insert(aCodeRecord())])

    const results = await waitFor(times(presenters, () => storage.codes.consume(digest, clientId, issuedAt)))

    expect(results.filter(({ outcome }) => outcome === 'won')).toHaveLength(1)
  })
})

test('law: an interaction is completed at most once under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor, tabs) => {
    const { digest, browserDigest, createdAt } = anInteractionRecord()
    await waitFor([storage.interactions.insert(anInteractionRecord())])

    const results = await waitFor(times(tabs, () => storage.interactions.consume(digest, browserDigest, createdAt)))

    expect(results.filter(({ outcome }) => outcome === 'won')).toHaveLength(1)
  })
})

test('law: exactly one caller marks a value as used under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor, callers) => {
    const { issuedAt: now, expiresAt } = aCodeRecord()
    const claim = () => storage.replays.markUsed({ purpose: 'client_assertion_jti', value: 'jti-1', expiresAt, now })

    const results = await waitFor(times(callers, claim))

    expect(results.filter(({ outcome }) => outcome === 'fresh')).toHaveLength(1)
  })
})

test('law: a refresh token rotates exactly once under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor, presenters) => {
    await waitFor([storage.families.insert(aFamilyRecord())])

    const results = await waitFor(
      times(presenters, (index) => storage.families.rotate(aPresentation('refresh-1', `child-${index}`))),
    )

    expect(results.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1)
    expect(results.filter(({ outcome }) => outcome === 'retried')).toHaveLength(presenters - 1)
  })
})

test('law: once an old token has been reused no token of the family rotates, under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor) => {
    await waitFor([storage.families.insert(aFamilyRecord())])
    await waitFor([storage.families.rotate(aPresentation('refresh-1', 'refresh-2'))])

    await waitFor([
      storage.families.rotate({ ...aPresentation('refresh-1', 'forked'), retryWindow: seconds(0) }),
      storage.families.rotate(aPresentation('refresh-2', 'refresh-3')),
    ])

    const late = await waitFor(
      ['refresh-2', 'refresh-3', 'forked'].map((token) => storage.families.rotate(aPresentation(token, 'late'))),
    )
    expect(late).toEqual([{ outcome: 'absent' }, { outcome: 'absent' }, { outcome: 'absent' }])
  })
})

test('law: a family with a tombstone is revoked under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor) => {
    const family = aFamilyRecord()

    await waitFor<unknown>([
      storage.families.insert(family),
      storage.families.insertTombstone(family, family.createdAt),
    ])

    const [status] = await waitFor([storage.status.ofFamily(family.familyId)])
    expect(status?.family.revokedAt).toBe(family.createdAt)
  })
})

test('law: a user and a client have at most one unrevoked grant under any interleaving of writers', async () => {
  await underAnyInterleaving(async (storage, waitFor, writers) => {
    const results = await waitFor(
      times(writers, (index) => storage.grants.insert(aGrantRecord({ grantId: `grant-${index}` as never }))),
    )

    expect(results.filter(({ outcome }) => outcome === 'inserted')).toHaveLength(1)
  })
})

test('law: a deactivation survives any interleaving with new claims', async () => {
  await underAnyInterleaving(async (storage, waitFor) => {
    const { userId, createdAt: now } = aUser()
    await waitFor([storage.users.insert(aUser())])

    await waitFor<unknown>([
      storage.users.replaceClaims({ userId, claims: {}, version: 1, now }),
      storage.users.deactivate(userId, now),
    ])

    const [user] = await waitFor([storage.users.find(userId)])
    expect(user).toMatchObject({ active: false, generation: 1 })
  })
})

test('law: a successful deactivation by the provider survives any interleaving with new claims', async () => {
  await underAnyInterleaving(async (storage, waitFor) => {
    const ada = aProvisionedUser('ada')
    const { providerId, userId, createdAt: now } = ada
    await waitFor([storage.provisionedUsers.insert(ada)])
    const state = aProvisionedState('ada', { active: false })

    const [swap] = await waitFor<{ readonly outcome: string }>([
      storage.provisionedUsers.compareAndSwap({ providerId, userId, version: 1, state, now }),
      storage.users.replaceClaims({ userId, claims: {}, version: 1, now }),
    ])

    const [found] = await waitFor([storage.users.find(userId)])
    const isDone = swap?.outcome === 'swapped'
    expect(found).toMatchObject({ active: !isDone, generation: isDone ? 1 : 0, version: 2 })
  })
})

test('law: exactly one of several users gets a userName under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor, writers) => {
    const { comparable } = aProvisionedState('ada')
    const results = await waitFor(
      times(writers, (index) =>
        storage.provisionedUsers.insert(
          aProvisionedUser(`${index}`, { state: aProvisionedState(`${index}`, { comparable }) }),
        ),
      ),
    )

    expect(results.filter(({ outcome }) => outcome === 'inserted')).toHaveLength(1)
  })
})

test('law: no member is lost and no removed user is a member under any interleaving', async () => {
  await underAnyInterleaving(async (storage, waitFor, callers) => {
    const { providerId, groupId, createdAt: now } = aGroup('staff')
    const users = Array.from({ length: callers + 1 }, (_, index) => aProvisionedUser(`${index}`))
    await waitFor(users.map((user) => storage.provisionedUsers.insert(user)))
    await waitFor([storage.groups.insert(aGroup('staff'))])

    await waitFor<unknown>([
      ...users.map(({ userId }) => {
        const members = { kind: 'delta', add: [userId], remove: [] } as const
        return storage.groups.change({ providerId, groupId, version: undefined, state: undefined, members, now })
      }),
      storage.provisionedUsers.remove({ ...aProvisionedUser('0'), version: undefined, now }),
    ])

    const [members] = await waitFor([storage.groups.membersOf(providerId, [groupId])])
    const stayed = users.slice(1).map(({ userId }) => ({ memberId: userId, type: 'User' }))
    expect(members?.get(groupId)).toEqual(stayed)
  })
})

type WaitFor = <T>(promises: readonly Promise<T>[]) => Promise<T[]>

/** Runs the property with a scheduler that decides, whenever the store waits, which task continues. */
async function underAnyInterleaving(
  property: (storage: AdminStorage, waitFor: WaitFor, callers: number) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 4 }), async (scheduler, callers) => {
      const storage = createMemoryStorage({
        issuer: 'https://issuer.example',
        scheduler: scheduler.scheduleFunction(async () => {}),
      })
      await property(storage, (promises) => scheduler.waitFor(Promise.all(promises)), callers)
    }),
  )
}

const times = <T>(count: number, start: (index: number) => Promise<T>): Promise<T>[] =>
  Array.from({ length: count }, (_, index) => start(index))
