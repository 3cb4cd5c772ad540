import type { ScimStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { aGroup, memberIdsOf, patchOp } from '../fixtures/directory-under-test.ts'
import { idOf, issuer, startScim, type ScimUnderTest } from '../fixtures/scim-under-test.ts'
import { rounds } from '../../../../test/support/rounds.ts'

const join = (value: string) => ({ op: 'add', path: 'members', value: [{ value }] })
const leave = (value: string) => ({ op: 'remove', path: `members[value eq "${value}"]` })
const rename = (value: string) => ({ op: 'replace', path: 'displayName', value })

test('law: no change is lost when 50 members are added and 50 removed at once, under any interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { scim, storage, staying, leaving, joining, id } = await startRace(scheduler)
      const changes = [...joining.map(join), ...leaving.map(leave)]

      const replies = await scheduler.waitFor(Promise.all(changes.map((change) => patch(scim, id, change))))

      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]))
      expect(await scheduler.waitFor(memberIdsOf(storage, id))).toEqual([...staying, ...joining].toSorted())
    }),
    { numRuns: rounds({ fast: 5, long: 20 }) },
  )
})

test('law: no membership change is lost to a concurrent rename, and the name is one of the new names', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { scim, storage, staying, leaving, joining, id } = await startRace(scheduler)
      const names = ['A', 'B', 'C', 'D']
      const changes = [...joining.map(join), ...names.map(rename), ...leaving.map(leave)]

      const replies = await scheduler.waitFor(Promise.all(changes.map((change) => patch(scim, id, change))))

      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]))
      expect(await scheduler.waitFor(memberIdsOf(storage, id))).toEqual([...staying, ...joining].toSorted())
      const group = await scheduler.waitFor(scim.send({ path: `/Groups/${id}?attributes=displayName` }))
      expect(names).toContain(group.body?.['displayName'])
    }),
    { numRuns: rounds({ fast: 2, long: 10 }) },
  )
})

test('law: no membership change is lost to a concurrent request that reads the members', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { scim, storage, staying, leaving, joining, id } = await startRace(scheduler, 6)
      const changes = [...joining.map(join), { op: 'remove', path: 'members[type eq "Group"]' }, ...leaving.map(leave)]

      const replies = await scheduler.waitFor(Promise.all(changes.map((change) => patch(scim, id, change))))

      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]))
      const users = await scheduler.waitFor(memberIdsOf(storage, id))
      expect(users).toEqual([...staying.slice(1), ...joining].toSorted())
    }),
    { numRuns: rounds({ fast: 12, long: 50 }) },
  )
})

test('law: concurrent changes of different attributes are both applied', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { scim, id } = await startRace(scheduler, 0)
      const changes = [rename('Dev'), { op: 'add', path: 'externalId', value: 'g1' }]

      await scheduler.waitFor(Promise.all(changes.map((change) => patch(scim, id, change))))

      expect(await scheduler.waitFor(scim.send({ path: `/Groups/${id}` }))).toMatchObject({
        body: { displayName: 'Dev', externalId: 'g1' },
      })
    }),
    { numRuns: rounds({ fast: 25, long: 100 }) },
  )
})

test('law: a DELETE with an outdated version removes nothing (RFC 9110 §13.1.1)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { scim, id } = await startRace(scheduler, 0)
      const removal = scim.send({ method: 'DELETE', path: `/Groups/${id}`, headers: { 'if-match': 'W/"1"' } })

      const [removed, renamed] = await scheduler.waitFor(Promise.all([removal, patch(scim, id, rename('Dev'))]))

      expect([
        [204, 404],
        [412, 204],
      ]).toContainEqual([removed.status, renamed.status])
    }),
    { numRuns: rounds({ fast: 25, long: 100 }) },
  )
})

interface Race {
  readonly scim: ScimUnderTest
  readonly storage: ScimStorage
  /** The id of the group. */
  readonly id: string
  /** A group, followed by users. */
  readonly staying: readonly string[]
  readonly leaving: readonly string[]
  readonly joining: readonly string[]
}

/** Creates a group, with members that stay and members that will be removed. Storage calls interleave from then on. */
async function startRace(scheduler: fc.Scheduler, size = 50): Promise<Race> {
  let isRacing = false
  const pause = scheduler.scheduleFunction(() => Promise.resolve())
  const storage = createMemoryStorage({ issuer, scheduler: () => (isRacing ? pause() : Promise.resolve()) })
  const scim = await startScim({ storage })
  const users: string[] = []
  for (let index = 0; index < 2 * size + 2; index += 1) users.push(await createUser(scim, index))
  const inner = idOf(await scim.send({ method: 'POST', path: '/Groups', body: aGroup() }))
  const [staying, leaving, joining] = [[inner, ...users.slice(0, 2)], users.slice(2, size + 2), users.slice(size + 2)]
  const id = idOf(await scim.send({ method: 'POST', path: '/Groups', body: aGroup([...staying, ...leaving]) }))
  isRacing = true
  return { scim, storage, id, staying, leaving, joining }
}

const createUser = async (scim: ScimUnderTest, index: number): Promise<string> =>
  idOf(
    await scim.send({
      method: 'POST',
      path: '/Users',
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: `user-${index}` },
    }),
  )

const patch = (scim: ScimUnderTest, id: string, operation: object) =>
  scim.send({ method: 'PATCH', path: `/Groups/${id}`, body: { schemas: [patchOp], Operations: [operation] } })
