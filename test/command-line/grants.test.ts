import { clientId, grantId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aGrantRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { withDatabase, type CommandLine } from './command-line.ts'

/** Inserts three grants: Ann's for two clients, and Bob's for one of them. */
async function withGrants(): Promise<{ readonly line: CommandLine; readonly storage: AdminStorage }> {
  const line = await withDatabase()
  const storage = await line.storage()
  for (const id of ['app', 'other']) await storage.clients.insert(aClientRecord({ clientId: clientId(id) }))
  for (const user of ['ann', 'bob']) await storage.users.insert(aUser({ userId: userId(user) }))
  for (const [id, user, client] of [
    ['g1', 'ann', 'app'],
    ['g2', 'ann', 'other'],
    ['g3', 'bob', 'app'],
  ] as const) {
    await storage.grants.insert(
      aGrantRecord({
        grantId: grantId(id),
        userId: userId(user),
        clientId: clientId(client),
        userGeneration: 0,
        scopes: ['openid', 'notes.read'],
        resources: ['https://api.test'],
      }),
    )
  }
  return { line, storage }
}

const idsIn = (json: string): readonly unknown[] =>
  (JSON.parse(json) as readonly { readonly grantId: string }[]).map((grant) => grant.grantId).toSorted()

test('lists the grants of a user or of a client with scope values and APIs, as a table or as JSON', async () => {
  const { line } = await withGrants()

  const table = await line.run('grant', 'list', '--user', 'ann')

  expect(table.out).toMatch(/^ID +USER +CLIENT +SCOPE +RESOURCES +CREATED +HONOURED\n/)
  expect(table.out).toMatch(/\ng1 +ann +app +openid notes.read +https:\/\/api.test +\S+ +yes/)
  expect(idsIn((await line.run('grant', 'list', '--user', 'ann', '--json')).out)).toEqual(['g1', 'g2'])
  expect(idsIn((await line.run('grant', 'list', '--client', 'app', '--json')).out)).toEqual(['g1', 'g3'])
})

test('revokes one grant and no other', async () => {
  const { line, storage } = await withGrants()

  const revoked = await line.run('grant', 'revoke', '--user', 'ann', '--grant', 'g1')
  const again = await line.run('grant', 'revoke', '--user', 'bob', '--grant', 'g2')

  expect(revoked).toMatchObject({ code: 0, out: 'Grant g1 is revoked.' })
  expect(again).toMatchObject({ code: 1 })
  expect(await storage.grants.findUnrevoked(userId('ann'), clientId('app'))).toBeUndefined()
  expect(await storage.grants.findUnrevoked(userId('ann'), clientId('other'))).toBeDefined()
})

test('revokes all grants of a user and no other', async () => {
  const { line, storage } = await withGrants()

  expect(await line.run('grant', 'revoke', '--user', 'ann')).toMatchObject({
    code: 0,
    out: 'Revoked 2 grants of user ann.',
  })
  expect(await storage.grants.findUnrevoked(userId('bob'), clientId('app'))).toBeDefined()
})

test.each([
  ['neither a user nor a client', []],
  ['both a user and a client', ['--user', 'ann', '--client', 'app']],
])('refuses to list the grants of %s', async (_case, flags) => {
  const { line } = await withGrants()

  expect(await line.run('grant', 'list', ...flags)).toMatchObject({ code: 2 })
})
