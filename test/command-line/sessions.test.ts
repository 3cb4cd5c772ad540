import { clientId, epochSeconds, sessionId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aDigest, aJoin, aSessionRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { withDatabase, type CommandLine } from './command-line.ts'

/** The time of the fixtures. */
const now = epochSeconds(1_700_000_000)

/** Inserts two sessions for Ann, one of which a client has joined, and one for Bob. */
async function withSessions(): Promise<{ readonly line: CommandLine; readonly storage: AdminStorage }> {
  const line = await withDatabase()
  const storage = await line.storage()
  await storage.clients.insert(aClientRecord({ clientId: clientId('app') }))
  for (const user of ['ann', 'bob']) await storage.users.insert(aUser({ userId: userId(user) }))
  for (const [id, user] of [
    ['s1', 'ann'],
    ['s2', 'ann'],
    ['s3', 'bob'],
  ] as const) {
    const session = {
      sessionId: sessionId(id),
      userId: userId(user),
      digest: aDigest(id),
      userAgent: 'Firefox on Linux',
    }
    await storage.sessions.insert(aSessionRecord(session))
  }
  await storage.sessions.join(
    aJoin({ sessionId: sessionId('s1'), userId: userId('ann'), clientId: clientId('app'), now }),
  )
  return { line: line.with({ clock: () => now }), storage }
}

test('lists the sessions of a user with browser, location, times and clients, as a table or as JSON', async () => {
  const { line } = await withSessions()

  const table = await line.run('session', 'list', '--user', 'ann')
  const json = await line.run('session', 'list', '--user', 'ann', '--json')

  expect(table.out).toMatch(/^ID +BROWSER +LOCATION +SIGNED IN +LAST SEEN +EXPIRES +CLIENTS\n/)
  expect(table.out).toMatch(/\ns1 +Firefox on Linux +- +2023-11-14T22:11:20Z +2023-11-14T22:13:20Z +\S+ +app/)
  const listed = JSON.parse(json.out) as readonly object[]
  expect(listed).toHaveLength(2)
  expect(listed).toContainEqual(expect.objectContaining({ sessionId: 's1', userId: 'ann', clientIds: ['app'] }))
  expect(listed).toContainEqual(expect.objectContaining({ sessionId: 's2', clientIds: [] }))
})

test('ends one session, in the name of an administrator', async () => {
  const { line, storage } = await withSessions()

  const ended = await line.run('session', 'end', '--session', 's1')
  const again = await line.run('session', 'end', '--session', 's1')

  expect(ended).toMatchObject({ code: 0, out: 'Session s1 has ended.' })
  expect(again).toMatchObject({ code: 1 })
  expect(await storage.sessions.find(sessionId('s1'))).toMatchObject({ revokedAt: now, endReason: 'administrator' })
  expect(await storage.sessions.find(sessionId('s2'))).toMatchObject({ revokedAt: undefined })
})

test('ends all sessions of a user and no other', async () => {
  const { line, storage } = await withSessions()

  const ended = await line.run('session', 'end', '--user', 'ann')

  expect(ended).toMatchObject({ code: 0, out: 'Ended 2 sessions of user ann.' })
  expect(await storage.sessions.listByUser(userId('ann'), now)).toEqual([])
  expect(await storage.sessions.listByUser(userId('bob'), now)).toHaveLength(1)
})

test.each([
  ['neither a session nor a user', []],
  ['both a session and a user', ['--session', 's1', '--user', 'ann']],
])('refuses to end sessions with %s', async (_case, flags) => {
  const { line, storage } = await withSessions()

  expect(await line.run('session', 'end', ...flags)).toMatchObject({ code: 2 })
  expect(await storage.sessions.listByUser(userId('ann'), now)).toHaveLength(2)
})
