import { organizationId, userId } from '@mintmark/storage-interface'
import { aUser } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { withDatabase } from './command-line.ts'

async function withUsers() {
  const line = await withDatabase()
  const storage = await line.storage()
  for (const user of ['ann', 'bob']) await storage.users.insert(aUser({ userId: userId(user) }))
  const json = async (...argv: readonly string[]): Promise<unknown> =>
    JSON.parse((await line.run('organization', ...argv, '--json')).out)
  return { line, storage, json }
}

test('creates, lists, renames and removes organizations', async () => {
  const { line, storage, json } = await withUsers()

  const created = await line.run('organization', 'create', 'Acme Ltd', '--id', 'acme')
  expect(created).toMatchObject({ code: 0, out: 'Organization acme is created.' })
  expect(await json('create', 'Other')).toMatchObject({ displayName: 'Other', version: 1 })
  expect((await line.run('organization', 'list')).out).toMatch(/^ID +NAME +CREATED +UPDATED\n[^]*acme +Acme Ltd +\d{4}/)
  expect(await json('list')).toHaveLength(2)

  expect((await line.run('organization', 'rename', 'acme', 'Acme Inc')).out).toBe('Organization acme is renamed.')
  expect(await json('show', 'acme')).toMatchObject({ organizationId: 'acme', displayName: 'Acme Inc', version: 2 })

  const unconfirmed = await line.run('organization', 'remove', 'acme')
  expect(unconfirmed).toMatchObject({ code: 2 })
  expect(unconfirmed.err).toContain('Add --yes')
  expect(await storage.organizations.find(organizationId('acme'))).toBeDefined()
  expect(await json('remove', 'acme', '--yes')).toEqual({ organizationId: 'acme' })
  expect(await storage.organizations.find(organizationId('acme'))).toBeUndefined()
})

test('adds members with roles, replaces the roles, lists members and memberships, and removes members', async () => {
  const { line, storage, json } = await withUsers()
  await json('create', 'Acme', '--id', 'acme')

  const added = await line.run('organization', 'member', 'add', 'acme', 'ann', '--role', 'admin', 'billing')
  expect(added.out).toBe('User ann is a member of organization acme, as admin, billing.')
  expect(await json('member', 'add', 'acme', 'bob')).toMatchObject({ userId: 'bob', roles: [] })
  expect(await json('member', 'add', 'acme', 'ann', '--role', 'reader')).toMatchObject({ roles: ['reader'] })

  const table = await line.run('organization', 'member', 'list', 'acme')
  expect(table.out).toMatch(/^ORGANIZATION +USER +ROLES +SINCE\nacme +ann +reader +\S+\nacme +bob +\d{4}/)
  expect(await json('list', '--user', 'ann')).toMatchObject([{ organizationId: 'acme', roles: ['reader'] }])

  const removed = await line.run('organization', 'member', 'remove', 'acme', 'ann')
  expect(removed.out).toBe('User ann is no longer a member of organization acme.')
  expect(await storage.organizations.findMember(organizationId('acme'), userId('ann'))).toBeUndefined()
  expect(await storage.users.find(userId('ann'))).toBeDefined()
})

test.each([
  ['an unknown organization', ['member', 'list', 'none'], 'no such organization'],
  ['an unknown user', ['member', 'add', 'acme', 'nobody'], 'no such user'],
  ['a role with a space', ['member', 'add', 'acme', 'ann', '--role', 'two words'], 'at most 50 roles'],
  ['to remove a user who is not a member', ['member', 'remove', 'acme', 'ann'], 'not a member'],
  ['an identifier that is in use', ['create', 'Acme', '--id', 'acme'], 'Choose another identifier'],
])('refuses %s, with a sentence that says why', async (_, argv, sentence) => {
  const { line, json } = await withUsers()
  await json('create', 'Acme', '--id', 'acme')

  const refused = await line.run('organization', ...argv)

  expect(refused.code).toBe(1)
  expect(refused.err).toContain(sentence)
})

test('completes organization commands and their flags', async () => {
  const { line } = await withUsers()

  expect((await line.run('__complete', '--', 'organization', 'm')).out).toBe('member')
  expect((await line.run('__complete', '--', 'organization', 'member', 'add', '--r')).out).toBe('--role')
})
