import { adminLaws } from '@mintmark/storage-interface/contract'
import { expect, test } from 'vitest'
import * as full from '../src/contract/complete-records.ts'
import { memoryUnderTest } from './memory-under-test.ts'
import { breakEveryMethod } from './broken-stores/break-store.ts'
import { brokenStores } from './broken-stores/oauth.ts'
import { LawViolationError } from '../src/contract/law.ts'

test('every law has a store that breaks it', () => {
  expect(Object.keys(brokenStores).toSorted()).toEqual(adminLaws.map(({ name }) => name).toSorted())
})

test.for(adminLaws)('a broken store is caught by the law $name', async (law) => {
  const breaks = brokenStores[law.name]
  const broken = await violationOf(law.run(async () => breaks?.(await memoryUnderTest()) ?? memoryUnderTest()))

  expect(broken.law).toBe(law.name)
  expect(broken.cause, 'the store answered; it did not throw').toBeUndefined()
  expect(broken.message).toContain('expected: ')
})

const membersOfAnyJson = new Set(['jwks', 'claims', 'claimsRequest', 'publicJwk', 'resource', 'comparable', 'content'])

const writes: readonly { readonly law: string; readonly method: string; readonly record: object }[] = [
  { law: 'round trip: clients', method: 'clients.insert', record: full.fullClient },
  { law: 'round trip: clients', method: 'clients.compareAndSwap', record: { ...full.fullClient, version: undefined } },
  { law: 'round trip: users', method: 'users.insert', record: full.fullUser },
  { law: 'round trip: grants', method: 'grants.insert', record: { ...full.fullGrant, revokedAt: undefined } },
  { law: 'round trip: grants that are inserted as revoked', method: 'grants.insert', record: full.fullGrant },
  { law: 'round trip: codes', method: 'codes.insert', record: full.fullCode },
  { law: 'round trip: families', method: 'families.insert', record: full.fullFamily },
  {
    law: 'round trip: tombstones of families',
    method: 'families.insertTombstone',
    record: { ...full.fullFamily, revokedAt: undefined },
  },
  { law: 'round trip: opaque tokens', method: 'opaqueTokens.insert', record: full.fullOpaqueToken },
  { law: 'round trip: pushed requests', method: 'pushedRequests.insert', record: full.fullPushedRequest },
  { law: 'round trip: decoupled requests', method: 'decoupledRequests.insert', record: full.fullDecoupledRequest },
  {
    law: 'round trip: approvals',
    method: 'decoupledRequests.decide',
    record: { decision: { approval: full.fullDecoupledRequest.approval } },
  },
  { law: 'round trip: interactions', method: 'interactions.insert', record: full.fullInteraction },
  { law: 'round trip: sessions', method: 'sessions.insert', record: { ...full.fullSession, revokedAt: undefined } },
  {
    law: 'round trip: sessions that are inserted as revoked',
    method: 'sessions.insert',
    record: full.fullSession,
  },
  {
    law: 'round trip: sessions of the host that a client joins',
    method: 'sessions.join',
    record: { session: full.joinedSession },
  },
  { law: 'round trip: signing keys', method: 'signingKeys.insert', record: full.fullSigningKey },
  { law: 'round trip: identity providers', method: 'identityProviders.insert', record: full.fullProvider },
  {
    law: 'round trip: identity providers',
    method: 'identityProviders.compareAndSwap',
    record: { ...full.fullProvider, version: undefined },
  },
  { law: 'round trip: provisioned users', method: 'provisionedUsers.insert', record: full.fullProvisionedUser },
  {
    law: 'round trip: provisioned users',
    method: 'provisionedUsers.compareAndSwap',
    record: { state: full.fullProvisionedUser.state },
  },
  {
    law: 'round trip: provisioned users who are adopted',
    method: 'provisionedUsers.adopt',
    record: { state: full.fullProvisionedUser.state },
  },
  { law: 'round trip: deliveries', method: 'deliveries.enqueue', record: [full.fullDelivery] },
  { law: 'round trip: groups', method: 'groups.insert', record: full.fullGroup },
  { law: 'round trip: groups', method: 'groups.change', record: { state: full.fullGroup.state } },
]

const drops = writes.flatMap((write) =>
  memberPathsOf(write.record).map((member) => ({ ...write, member, path: member.join('.') })),
)

test.for(drops)(
  'a store whose $method drops $path is caught by the law $law',
  async ({ law: name, method, member }) => {
    const law = adminLaws.find((candidate) => candidate.name === name)
    const dropping = breakEveryMethod((honest, call) =>
      honest(...(call.name === method ? call.args.map((value) => withoutMember(value, member)) : call.args)),
    )

    const broken = await violationOf(law?.run(async () => dropping(await memoryUnderTest())))

    expect(broken.law).toBe(name)
  },
)

test('a store that throws breaks the law, and the error is its cause', async () => {
  const failure = new Error('no connection')
  const failing = breakEveryMethod(() => Promise.reject(failure))

  const broken = await violationOf(adminLaws[0]?.run(async () => failing(await memoryUnderTest())))

  expect(broken.cause).toBe(failure)
})

test('a store is closed even when it breaks a law', async () => {
  let closeCount = 0
  const failing = breakEveryMethod(() => Promise.reject(new Error('no connection')))
  const makeStore = async () => ({ ...failing(await memoryUnderTest()), close: async () => void (closeCount += 1) })

  await violationOf(adminLaws[0]?.run(makeStore))

  expect(closeCount).toBe(1)
})

/** Returns the path of every member that is present. Does not descend into members that may hold any JSON. */
function memberPathsOf(value: object, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const here = [...path, key]
    if (member === undefined) return []
    if (typeof member !== 'object' || member === null || membersOfAnyJson.has(key)) return [here]
    return [here, ...memberPathsOf(member, here)]
  })
}

function withoutMember(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path
  if (typeof value !== 'object' || value === null || key === undefined) return value
  if (Array.isArray(value)) {
    return value.flatMap((member: unknown, index) =>
      String(index) !== key ? [member] : rest.length === 0 ? [] : [withoutMember(member, rest)],
    )
  }
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    return [name, name !== key ? member : rest.length === 0 ? undefined : withoutMember(member, rest)] as const
  })
  return Object.fromEntries(members)
}

async function violationOf(run: Promise<void> | undefined): Promise<LawViolationError> {
  const outcome: unknown = await run?.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  if (outcome instanceof LawViolationError) return outcome
  throw new Error(`Expected a LawViolationError, got: ${String(outcome)}`)
}
