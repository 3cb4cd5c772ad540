import {
  clientId,
  epochSeconds,
  grantId,
  seconds,
  type EpochSeconds,
  type AdminStorage,
} from '@mintmark/storage-interface'
import {
  type MemberChange,
  type ProvisionedState,
  type ProvisionedUserChange,
} from '@mintmark/storage-interface/stores'
import {
  aClientRecord,
  aCodeRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aGroup,
  aGroupState,
  anInteractionRecord,
  anOpaqueTokenRecord,
  aPushedRequestRecord,
  aProviderRecord,
  aProvisionedState,
  aProvisionedUser,
  aJoin,
  aSessionEnd,
  aSessionRecord,
  aUser,
} from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds } from '../../../test/support/rounds.ts'
import { migratedFiles } from './sqlite-under-test.ts'

// Between any two statements, the scheduler decides which caller continues, as with several processes on one database.
// Whatever it decides, the results must be those of the calls in some order, one after the other. The memory storage runs
// the calls in every order, which gives all possible results.

type Call = (storage: AdminStorage) => Promise<unknown>

const issuer = 'https://issuer.example'
const now = aCodeRecord().issuedAt
const later = (by: number): EpochSeconds => epochSeconds(now + by)

const { userId } = aUser()
const family = aFamilyRecord()
const { digest: codeDigest } = aCodeRecord()
const { digest: interactionDigest, browserDigest } = anInteractionRecord()
const owner = family.clientId
const secondGrant = aGrantRecord({ grantId: grantId('grant-2') })
const login = { userId, userGeneration: 0, authentication: aCodeRecord().authentication, inSession: false }

const rotate =
  (token: string, successor: string, at = now): Call =>
  (storage) =>
    storage.families.rotate({
      handleDigest: aDigest('handle-1'),
      presentedDigest: aDigest(token),
      clientId: owner,
      successorDigest: aDigest(successor),
      successorSalt: `salt of ${successor}`,
      expiresAt: family.expiresAt,
      now: at,
      retryWindow: seconds(10),
    })

const purge =
  (at: EpochSeconds): Call =>
  async (storage) =>
    (await storage.purge.purgeExpired({ now: at, limit: 10 })).removed

const connection = aProviderRecord()
const [ada, grace, staff] = [aProvisionedUser('ada'), aProvisionedUser('grace'), aGroup('staff')]
const { providerId: provider } = ada
const page = { kind: 'index', offset: 0, limit: 10 } as const

/** A change of the state of a user by the provider. */
const stateChange = (label: string, version: number, state: Partial<ProvisionedState>): ProvisionedUserChange => ({
  providerId: provider,
  userId: aProvisionedUser(label).userId,
  version,
  state: aProvisionedState(label, state),
  now: later(version),
})

/** A change of the members of `staff`. */
const memberChange = (
  members: MemberChange | undefined,
  version?: number,
): Parameters<AdminStorage['groups']['change']>[0] => ({
  providerId: provider,
  groupId: staff.groupId,
  version,
  state: undefined,
  members,
  now: later(4),
})

/** Calls that read and write the same rows. */
const callsByRecord: Readonly<Record<string, readonly Call[]>> = {
  families: [
    (storage) => storage.families.insert(family),
    rotate('refresh-1', 'refresh-2'),
    rotate('refresh-1', 'forked'),
    rotate('refresh-2', 'refresh-3'),
    rotate('refresh-1', 'late', later(30)),
    (storage) => storage.families.revoke(family.familyId, later(1)),
    (storage) => storage.families.insertTombstone(family, later(2)),
    (storage) => storage.status.ofRefreshHandle(aDigest('handle-1')),
  ],
  codes: [
    (storage) => storage.codes.insert(aCodeRecord()),
    (storage) => storage.codes.consume(codeDigest, owner, now),
    (storage) => storage.codes.consume(codeDigest, owner, later(59)),
    (storage) => storage.codes.consume(codeDigest, clientId('client-2'), now),
    (storage) => storage.codes.find(codeDigest, owner, now),
    purge(aCodeRecord().expiresAt),
  ],
  grants: [
    (storage) => storage.grants.insert(aGrantRecord()),
    (storage) => storage.grants.insert(secondGrant),
    (storage) => storage.grants.revoke(aGrantRecord().grantId, now),
    (storage) => storage.grants.revoke(secondGrant.grantId, now),
    (storage) =>
      storage.grants.replaceConsent({
        grantId: aGrantRecord().grantId,
        scopes: ['a'],
        resources: [],
        authorizationDetails: [],
        clientDigest: undefined,
        version: 1,
      }),
    (storage) =>
      storage.grants.replaceConsent({
        grantId: aGrantRecord().grantId,
        scopes: ['b'],
        resources: [],
        authorizationDetails: [],
        clientDigest: undefined,
        version: 2,
      }),
    (storage) => storage.grants.findUnrevoked(userId, owner),
    (storage) => storage.status.ofGrant(aGrantRecord().grantId),
    purge(now),
  ],
  users: [
    (storage) => storage.users.insert(aUser()),
    (storage) => storage.users.deactivate(userId, later(1)),
    (storage) => storage.users.reactivate(userId, later(2)),
    (storage) => storage.users.remove(userId, later(3)),
    (storage) => storage.users.replaceClaims({ userId, claims: { name: 'a' }, version: 1, now: later(4) }),
    (storage) => storage.users.replaceClaims({ userId, claims: { name: 'b' }, version: 2, now: later(5) }),
    (storage) => storage.users.find(userId),
  ],
  clients: [
    (storage) => storage.clients.insert(aClientRecord()),
    (storage) => storage.clients.compareAndSwap(aClientRecord({ clientName: 'a' }), 1),
    (storage) => storage.clients.compareAndSwap(aClientRecord({ clientName: 'b' }), 2),
    (storage) => storage.clients.find(owner),
  ],
  interactions: [
    (storage) => storage.interactions.insert(anInteractionRecord()),
    (storage) => storage.interactions.recordLogin({ digest: interactionDigest, browserDigest, login, version: 1, now }),
    (storage) => storage.interactions.recordLogin({ digest: interactionDigest, browserDigest, login, version: 2, now }),
    (storage) => storage.interactions.consume(interactionDigest, browserDigest, now),
    (storage) => storage.interactions.find(interactionDigest, browserDigest, now),
  ],
  pushedRequests: [
    (storage) => storage.pushedRequests.insert(aPushedRequestRecord()),
    (storage) => storage.pushedRequests.find(aPushedRequestRecord().digest, owner, now),
    (storage) => storage.pushedRequests.consume(aPushedRequestRecord().digest, owner, now),
    (storage) => storage.pushedRequests.consume(aPushedRequestRecord().digest, owner, later(1)),
  ],
  sessions: [
    (storage) => storage.sessions.insert(aSessionRecord()),
    (storage) => storage.sessions.touch(aSessionRecord().digest, { idleExpiresAt: later(9), lastSeenAt: later(1) }),
    (storage) => storage.sessions.join(aJoin()),
    (storage) => storage.sessions.participants(aSessionRecord().sessionId),
    (storage) => storage.sessions.revoke(aSessionEnd()),
    (storage) => storage.sessions.revoke(aSessionEnd({ now: later(1), tombstoneUntil: later(9) })),
    (storage) => storage.status.ofSession(aSessionRecord().digest),
  ],
  'opaque tokens': [
    (storage) => storage.opaqueTokens.insert(anOpaqueTokenRecord()),
    (storage) => storage.opaqueTokens.revoke(anOpaqueTokenRecord().digest, owner, now),
    (storage) => storage.opaqueTokens.revoke(anOpaqueTokenRecord().digest, clientId('client-2'), now),
    (storage) => storage.opaqueTokens.find(anOpaqueTokenRecord().digest, now),
  ],
  'identity providers': [
    (storage) => storage.identityProviders.insert(connection),
    (storage) => storage.identityProviders.compareAndSwap(aProviderRecord({ displayName: 'a' }), 1),
    (storage) => storage.identityProviders.compareAndSwap(aProviderRecord({ displayName: 'b' }), 2),
    (storage) => storage.identityProviders.remove(connection.providerId, now),
    (storage) => storage.identityProviders.find(connection.providerId),
  ],
  'provisioned users': [
    (storage) => storage.users.insert(aUser({ userId: ada.userId })),
    (storage) => storage.provisionedUsers.insert(ada),
    (storage) => storage.provisionedUsers.insert({ ...grace, state: aProvisionedState('ada') }),
    (storage) =>
      storage.provisionedUsers.insert({ ...grace, state: { ...grace.state, externalId: ada.state.externalId } }),
    (storage) => storage.provisionedUsers.adopt(stateChange('ada', 1, { active: false })),
    (storage) => storage.provisionedUsers.compareAndSwap(stateChange('ada', 1, { active: false })),
    (storage) => storage.provisionedUsers.compareAndSwap(stateChange('ada', 2, { active: true })),
    (storage) => storage.provisionedUsers.compareAndSwap(stateChange('grace', 1, { externalId: ada.state.externalId })),
    (storage) => storage.users.deactivate(ada.userId, later(1)),
    (storage) =>
      storage.provisionedUsers.release({ providerId: provider, userId: ada.userId, version: undefined, now: later(2) }),
    (storage) =>
      storage.provisionedUsers.remove({ providerId: provider, userId: ada.userId, version: 2, now: later(3) }),
    (storage) => storage.provisionedUsers.findByExternalId(provider, 'external-ada'),
    (storage) => storage.provisionedUsers.list({ providerId: provider, filter: undefined, sort: undefined, page }),
  ],
  groups: [
    (storage) => storage.provisionedUsers.insert(ada),
    (storage) => storage.groups.insert(staff),
    (storage) => storage.groups.insert(aGroup('other', { state: staff.state, memberIds: ['group-staff'] })),
    (storage) => storage.groups.change(memberChange({ kind: 'delta', add: [ada.userId], remove: [] })),
    (storage) => storage.groups.change(memberChange({ kind: 'delta', add: [], remove: [ada.userId] })),
    (storage) => storage.groups.change(memberChange({ kind: 'replace', memberIds: [ada.userId] }, 1)),
    (storage) =>
      storage.groups.change({
        ...memberChange(undefined, 2),
        state: aGroupState('staff', { externalId: 'external-new' }),
      }),
    (storage) =>
      storage.groups.remove({ providerId: provider, groupId: staff.groupId, version: undefined, now: later(5) }),
    (storage) => storage.users.remove(ada.userId, later(6)),
    async (storage) => [...(await storage.groups.membersOf(provider, [staff.groupId])).values()],
    (storage) => storage.groups.list({ providerId: provider, filter: undefined, sort: undefined, page }),
  ],
  'replay marks': [
    (storage) =>
      storage.replays.markUsed({ purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: later(5), now }),
    (storage) =>
      storage.replays.markUsed({ purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: later(9), now: later(5) }),
    purge(later(5)),
  ],
}

let files: Awaited<ReturnType<typeof migratedFiles>>
beforeAll(async () => void (files = await migratedFiles()))
afterAll(() => files.remove())

test.for(Object.entries(callsByRecord))(
  'law: concurrent calls on %s have the results of some sequential order',
  async ([, calls]) => {
    const aCall = fc.constantFrom(...calls.keys())
    const before = fc.array(aCall, { maxLength: 3 })
    const atOnce = fc.array(aCall, { minLength: 2, maxLength: 3 })

    await fc.assert(
      fc.asyncProperty(fc.scheduler(), before, atOnce, async (scheduler, history, race) => {
        const dialect = openSqliteDialect(await files.create(), { synchronous: 'normal' })
        const alone = await createSqlStorage({ dialect, issuer })
        await runInOrder(alone, history, calls)
        const waitForTurn = scheduler.scheduleFunction(async () => {})
        const raced = await createSqlStorage({ dialect: withScheduler(dialect, waitForTurn), issuer })

        const answers = await scheduler.waitFor(Promise.all(race.map((index) => answerOf(raced, calls[index]))))
        const after = await runInOrder(alone, [...calls.keys()], calls)
        await dialect.close()

        const possible = await Promise.all(
          permutations(race.map((_, place) => place)).map((order) => answersOf({ history, race, order, calls })),
        )
        expect(possible).toContainEqual({ answers, after })
      }),
      { numRuns: rounds({ fast: 10, long: 30 }) },
    )
  },
)

/** Returns the results of the calls of a race in a certain order, and the results of all calls after the race. */
async function answersOf({
  history,
  race,
  order,
  calls,
}: {
  readonly history: readonly number[]
  readonly race: readonly number[]
  readonly order: readonly number[]
  readonly calls: readonly Call[]
}): Promise<{ readonly answers: readonly unknown[]; readonly after: readonly unknown[] }> {
  const storage = createMemoryStorage({ issuer })
  await runInOrder(storage, history, calls)

  const answers = new Map<number, unknown>()
  for (const place of order) answers.set(place, await answerOf(storage, calls[race[place] ?? 0]))
  return {
    answers: race.map((_, place) => answers.get(place)),
    after: await runInOrder(storage, [...calls.keys()], calls),
  }
}

/**
 * Returns the result of a call, or the name of the error that it throws, as when the identifier of a revoked grant is
 * inserted again.
 */
async function answerOf(storage: AdminStorage, call: Call | undefined): Promise<unknown> {
  try {
    return await call?.(storage)
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
}

async function runInOrder(
  storage: AdminStorage,
  indexes: readonly number[],
  calls: readonly Call[],
): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const index of indexes) answers.push(await answerOf(storage, calls[index]))
  return answers
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length <= 1) return [items]
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

/** Waits for the scheduler before each statement of a store, but not before the check of the schema. */
function withScheduler(dialect: SqlDialect, waitForTurn: () => Promise<void>): SqlDialect {
  return {
    ...dialect,
    all: async (statement, parameters, lifetime) => {
      if (/mintmark_(?!migrations)/.test(statement)) await waitForTurn()
      return dialect.all(statement, parameters, lifetime)
    },
    transact: async (steps) => {
      await waitForTurn()
      return dialect.transact(steps)
    },
  }
}
