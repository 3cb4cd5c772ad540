import { groupId, providerId, type ScimStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect } from 'vitest'

import type { ScimRefusalReason, ToleranceProfile } from '../../src/index.ts'
import type { ScimErrorType } from '../../src/error/scim-error-type.ts'
import { idOf, issuer, startScim, type ScimReply, type ScimUnderTest } from './scim-under-test.ts'

/** A server with accounts in it, for groups. */
export interface Directory extends ScimUnderTest {
  /** Identifiers of accounts of T1. */
  readonly people: readonly string[]
  /** The identifier of an account of T2. */
  readonly stranger: string
  /** How often each method of the group store was called since the directory was started, or since `forgetCalls`. */
  readonly calls: Readonly<Record<'find' | 'membersOf' | 'change', number>>
  forgetCalls(): void
  /** From now on no group is stored. */
  failWith(error: Error): void
  /** Creates a group of T1 named Ops. @returns its identifier. */
  group(body?: object): Promise<string>
  patch(id: string, ...operations: readonly object[]): Promise<ScimReply>
  /** Who is in a group of T1, as storage has it. */
  members(id: string): Promise<readonly string[]>
  /** Everything that is stored, as text. */
  dump(): string
}

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const aGroup = (members: readonly string[] = []) => ({
  schemas: [groupSchema],
  displayName: 'Ops',
  members: members.map((value) => ({ value })),
})

/** @param size how many accounts T1 has. */
export async function startDirectory(size = 4, toleranceProfile: ToleranceProfile = 'general'): Promise<Directory> {
  const medium = createMemoryDatabase()
  const uncounted = createMemoryStorage({ issuer, database: medium })
  const { storage, calls, forgetCalls, failWith } = counting(uncounted)
  const scim = await startScim({ storage, toleranceProfile })
  const user = (provider: string, userName: string) =>
    scim.send({
      method: 'POST',
      path: '/Users',
      provider,
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName },
    })
  const people: string[] = []
  for (let index = 0; index < size; index += 1) people.push(idOf(await user('T1', `user-${index}`)))

  // The first use of a secret is noted: from now on nothing changes by looking.
  await scim.send({ path: '/Users?count=0' })

  return {
    ...scim,
    people,
    stranger: idOf(await user('T2', 'stranger')),
    calls,
    forgetCalls,
    failWith,
    group: async (body = aGroup()) => idOf(await scim.send({ method: 'POST', path: '/Groups', body })),
    patch: (id, ...operations) =>
      scim.send({ method: 'PATCH', path: `/Groups/${id}`, body: { schemas: [patchOp], Operations: operations } }),
    members: (id) => memberIdsOf(uncounted, id),
    dump: () => JSON.stringify(medium.tablesOf(issuer), inOrder, 1),
  }
}

/** Who is in a group of T1. */
export async function memberIdsOf(storage: ScimStorage, id: string): Promise<readonly string[]> {
  const members = await storage.groups.membersOf(providerId('T1'), [groupId(id)])
  return (members.get(groupId(id)) ?? []).map(({ memberId }) => memberId)
}

/** How a request is refused, and why. */
export interface Refused {
  readonly status: number
  readonly scimType?: ScimErrorType
  readonly reason: ScimRefusalReason
}

/** Sends what is to be refused: a SCIM error, for that reason, and nothing is written. */
export async function expectRefused(
  directory: Directory,
  send: () => Promise<ScimReply>,
  { status, scimType, reason }: Refused,
): Promise<void> {
  const before = directory.dump()

  const reply = await send()

  expect({ ...reply.body, scimType: reply.body?.['scimType'], reason: directory.lastReason() }).toMatchObject({
    status: String(status),
    scimType,
    reason,
  })
  expect(reply.status).toBe(status)
  expect(directory.dump()).toBe(before)
}

function counting(storage: ScimStorage) {
  const calls = { find: 0, membersOf: 0, change: 0 }
  const { groups } = storage
  let failure: Error | undefined
  const counted: ScimStorage['groups'] = {
    ...groups,
    find: (...of) => ((calls.find += 1), groups.find(...of)),
    membersOf: (...of) => ((calls.membersOf += 1), groups.membersOf(...of)),
    change: (...of) => ((calls.change += 1), groups.change(...of)),
    insert: (group) => (failure === undefined ? groups.insert(group) : Promise.reject(failure)),
  }
  return {
    storage: { ...storage, groups: counted },
    calls,
    forgetCalls: () => void Object.assign(calls, { find: 0, membersOf: 0, change: 0 }),
    failWith: (error: Error) => void (failure = error),
  }
}

function inOrder(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}
