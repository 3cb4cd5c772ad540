import { clientId, sessionId, userId } from '@mintmark/storage-interface'
import { aJoin } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { expectRefused, signIn, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

async function withUsers(): Promise<AdminUnderTest> {
  const system = startAdmin()
  for (const id of ['app', 'other']) await system.admin.clients.create({ clientId: id, clientName: id, grantTypes: [] })
  for (const id of ['ann', 'bob', 'cy']) await system.admin.users.create({ userId: id })
  for (const id of ['ann', 'bob']) await signIn(system, id)
  await signIn(system, 'ann', 'other')
  return system
}

it("revokes one grant, or all grants of a user, and no other user's (RFC 7009 §2)", async () => {
  const system = await withUsers()

  await expectRefused(
    system,
    () => system.admin.grants.revoke({ userId: 'bob', grantId: 'g-ann-app-0' }),
    'grant_unknown',
  )
  await system.admin.grants.revoke({ userId: 'ann', grantId: 'g-ann-app-0' })
  expect(await system.admin.grants.listOfUser('ann')).toMatchObject([
    { grantId: 'g-ann-other-0', clientId: 'other', resources: ['https://api.test'], honoured: true },
  ])
  expect(await system.admin.grants.revokeAllOfUser('ann')).toBe(1)
  expect(await system.admin.grants.listOfUser('ann')).toEqual([])
  expect(await system.admin.grants.listOfUser('bob')).toHaveLength(1)
})

it("lists and revokes a client's grants page by page, and no other client's", async () => {
  const system = await withUsers()
  const listed: string[] = []
  let next: string | undefined
  do {
    const page = await system.admin.grants.listOfClient('app', { limit: 1, after: next })
    listed.push(...page.items.map(({ userId }) => userId))
    next = page.next
  } while (next !== undefined)

  expect(listed).toEqual(['ann', 'bob'])
  expect(await system.admin.grants.revokeOfClient('app')).toEqual({ revoked: 2, next: undefined })
  expect((await system.admin.grants.listOfClient('app')).items).toEqual([])
  expect((await system.admin.grants.listOfClient('other')).items).toHaveLength(1)
  await expectRefused(system, () => system.admin.grants.revokeOfClient('none'), 'client_unknown')
})

it("revokes one session, or all sessions of a user, and no other user's", async () => {
  const system = await withUsers()

  await expectRefused(
    system,
    () => system.admin.sessions.revoke({ userId: 'bob', sessionId: 's-ann-app-0' }),
    'session_unknown',
  )
  await system.admin.sessions.revoke({ userId: 'ann', sessionId: 's-ann-app-0' })
  expect(await system.admin.sessions.listOfUser('ann')).toMatchObject([{ sessionId: 's-ann-other-0' }])
  expect(await system.admin.sessions.revokeAllOfUser('ann')).toBe(1)
  expect(await system.admin.sessions.listOfUser('bob')).toHaveLength(1)
  await expectRefused(system, () => system.admin.sessions.revokeAllOfUser('nobody'), 'user_unknown')
})

it('lists the clients that a user signed in to during each session', async () => {
  const system = await withUsers()
  for (const client of ['other', 'app'])
    await system.storage.sessions.join(
      aJoin({
        sessionId: sessionId('s-ann-app-0'),
        userId: userId('ann'),
        clientId: clientId(client),
        now: system.clock.now(),
      }),
    )

  const sessions = await system.admin.sessions.listOfUser('ann')

  expect(sessions).toContainEqual(expect.objectContaining({ sessionId: 's-ann-app-0', clientIds: ['app', 'other'] }))
  expect(sessions).toContainEqual(expect.objectContaining({ sessionId: 's-ann-other-0', clientIds: [] }))
})

it('revokes a session by its identifier alone, and refuses to revoke it again', async () => {
  const system = await withUsers()

  await system.admin.sessions.revoke({ sessionId: 's-ann-app-0' })

  expect(await system.storage.sessions.find(sessionId('s-ann-app-0'))).toMatchObject({ endReason: 'administrator' })
  for (const id of ['s-ann-app-0', 'none'])
    await expectRefused(system, () => system.admin.sessions.revoke({ sessionId: id }), 'session_unknown')
})
