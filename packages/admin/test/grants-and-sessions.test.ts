import { clientId, sessionId, userId } from '@mintmark/storage-interface'
import { aJoin } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { expectRefused, signIn, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

async function withPeople(): Promise<AdminUnderTest> {
  const under = startAdmin()
  for (const id of ['app', 'other']) await under.admin.clients.create({ clientId: id, clientName: id, grantTypes: [] })
  for (const id of ['ann', 'bob', 'cy']) await under.admin.users.create({ userId: id })
  for (const id of ['ann', 'bob']) await signIn(under, id)
  await signIn(under, 'ann', 'other')
  return under
}

it("revokes one grant, or all grants of a user, and no other user's (RFC 7009 §2)", async () => {
  const under = await withPeople()

  await expectRefused(
    under,
    () => under.admin.grants.revoke({ userId: 'bob', grantId: 'g-ann-app-0' }),
    'grant_unknown',
  )
  await under.admin.grants.revoke({ userId: 'ann', grantId: 'g-ann-app-0' })
  expect(await under.admin.grants.listOfUser('ann')).toMatchObject([
    { grantId: 'g-ann-other-0', clientId: 'other', resources: ['https://api.test'], honoured: true },
  ])
  expect(await under.admin.grants.revokeAllOfUser('ann')).toBe(1)
  expect(await under.admin.grants.listOfUser('ann')).toEqual([])
  expect(await under.admin.grants.listOfUser('bob')).toHaveLength(1)
})

it("lists and revokes a client's grants page by page, and no other client's", async () => {
  const under = await withPeople()
  const listed: string[] = []
  let next: string | undefined
  do {
    const page = await under.admin.grants.listOfClient('app', { limit: 1, after: next })
    listed.push(...page.items.map(({ userId }) => userId))
    next = page.next
  } while (next !== undefined)

  expect(listed).toEqual(['ann', 'bob'])
  expect(await under.admin.grants.revokeOfClient('app')).toEqual({ revoked: 2, next: undefined })
  expect((await under.admin.grants.listOfClient('app')).items).toEqual([])
  expect((await under.admin.grants.listOfClient('other')).items).toHaveLength(1)
  await expectRefused(under, () => under.admin.grants.revokeOfClient('none'), 'client_unknown')
})

it("revokes one session, or all sessions of a user, and no other user's", async () => {
  const under = await withPeople()

  await expectRefused(
    under,
    () => under.admin.sessions.revoke({ userId: 'bob', sessionId: 's-ann-app-0' }),
    'session_unknown',
  )
  await under.admin.sessions.revoke({ userId: 'ann', sessionId: 's-ann-app-0' })
  expect(await under.admin.sessions.listOfUser('ann')).toMatchObject([{ sessionId: 's-ann-other-0' }])
  expect(await under.admin.sessions.revokeAllOfUser('ann')).toBe(1)
  expect(await under.admin.sessions.listOfUser('bob')).toHaveLength(1)
  await expectRefused(under, () => under.admin.sessions.revokeAllOfUser('nobody'), 'account_unknown')
})

it('lists the clients that a user signed in to during each session', async () => {
  const under = await withPeople()
  for (const client of ['other', 'app'])
    await under.storage.sessions.join(
      aJoin({
        sessionId: sessionId('s-ann-app-0'),
        userId: userId('ann'),
        clientId: clientId(client),
        now: under.clock.now(),
      }),
    )

  const sessions = await under.admin.sessions.listOfUser('ann')

  expect(sessions).toContainEqual(expect.objectContaining({ sessionId: 's-ann-app-0', clientIds: ['app', 'other'] }))
  expect(sessions).toContainEqual(expect.objectContaining({ sessionId: 's-ann-other-0', clientIds: [] }))
})

it('revokes a session by its identifier alone, once', async () => {
  const under = await withPeople()

  await under.admin.sessions.revoke({ sessionId: 's-ann-app-0' })

  expect(await under.storage.sessions.find(sessionId('s-ann-app-0'))).toMatchObject({ endReason: 'administrator' })
  for (const id of ['s-ann-app-0', 'none'])
    await expectRefused(under, () => under.admin.sessions.revoke({ sessionId: id }), 'session_unknown')
})
