import { expect, it } from 'vitest'

import { expectRefused, startAdmin } from './admin-under-test.ts'

it('creates, changes and removes an organization and its members', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann' })
  const { organizations } = system.admin

  const acme = await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  await organizations.writeMember({ organizationId: 'acme', userId: 'ann' }, ['owner'])
  const member = await organizations.writeMember({ organizationId: 'acme', userId: 'ann', version: 1 }, ['staff'])

  expect(acme).toMatchObject({ organizationId: 'acme', displayName: 'Acme', version: 1 })
  expect(member).toMatchObject({ roles: ['staff'], version: 2 })
  expect(await organizations.listMembers('acme')).toEqual({ items: [member], next: undefined })
  expect(await organizations.listMemberships('ann')).toEqual([member])
  expect(await organizations.update({ organizationId: 'acme', version: 1 }, { displayName: 'ACME' })).toMatchObject({
    displayName: 'ACME',
    version: 2,
  })
  await organizations.removeMember({ organizationId: 'acme', userId: 'ann' })
  await organizations.remove({ organizationId: 'acme' })
  expect(await organizations.list()).toEqual({ items: [], next: undefined })
})

it('rejects unknown records, old versions, and invalid names and roles', async () => {
  const system = startAdmin()
  const { organizations } = system.admin
  await system.admin.users.create({ userId: 'ann' })
  await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  const key = { organizationId: 'acme', userId: 'ann' }

  await expectRefused(
    system,
    () => organizations.create({ organizationId: 'acme', displayName: 'Acme' }),
    'identifier_taken',
  )
  await expectRefused(
    system,
    () => organizations.create({ organizationId: '../x', displayName: 'Acme' }),
    'identifier_invalid',
  )
  for (const displayName of [' ', 'Acme\u200B', 'Acme\u202E'])
    await expectRefused(system, () => organizations.create({ displayName }), 'display_name_invalid')
  await expectRefused(
    system,
    () => organizations.update({ organizationId: 'acme', version: 9 }, { displayName: 'x' }),
    'version_mismatch',
  )
  await expectRefused(system, () => organizations.remove({ organizationId: 'acme', version: 9 }), 'version_mismatch')
  await expectRefused(system, () => organizations.read('none'), 'organization_unknown')
  await expectRefused(system, () => organizations.writeMember({ ...key, userId: 'none' }, []), 'user_unknown')
  await expectRefused(
    system,
    () => organizations.writeMember({ ...key, organizationId: 'none' }, []),
    'organization_unknown',
  )
  await expectRefused(system, () => organizations.writeMember({ ...key, version: 1 }, []), 'version_mismatch')
  await expectRefused(system, () => organizations.removeMember(key), 'membership_unknown')
  for (const roles of [['a b'], ['a', 'a'], [''], Array.from({ length: 51 }, (_, index) => `r${index}`)]) {
    await expectRefused(system, () => organizations.writeMember(key, roles), 'role_invalid')
  }
})

it('removes a member only in the expected version (RFC 9110 §13.1.1)', async () => {
  const { system, organizations, key } = await startWithOwner()
  await organizations.writeMember(key, ['staff'])

  await expectRefused(system, () => organizations.removeMember({ ...key, version: 1 }), 'version_mismatch')
  await organizations.removeMember({ ...key, version: 2 })

  expect(await organizations.listMemberships('ann')).toEqual([])
})

it('when an organization is removed twice at the same time, one removal succeeds', async () => {
  const { organizations } = startAdmin().admin
  await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  const acme = { organizationId: 'acme' }

  const ended = await Promise.allSettled([organizations.remove(acme), organizations.remove(acme)])

  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { reason: 'organization_unknown' },
  })
})

it('when a member is removed twice at the same time, one removal succeeds', async () => {
  const { organizations, key } = await startWithOwner()

  const ended = await Promise.allSettled([organizations.removeMember(key), organizations.removeMember(key)])

  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { reason: 'membership_unknown' } })
})

/** Starts an administration with an organization and its owner. */
async function startWithOwner() {
  const system = startAdmin()
  const { organizations, users } = system.admin
  await users.create({ userId: 'ann' })
  await organizations.create({ organizationId: 'acme', displayName: 'Acme' })
  const key = { organizationId: 'acme', userId: 'ann' }
  await organizations.writeMember(key, ['owner'])
  return { system, organizations, key }
}
