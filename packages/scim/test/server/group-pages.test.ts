import { epochSeconds, groupId, providerId, userId, type JsonObject } from '@mintmark/storage-interface'
import { aGroup, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { expectRefusal, startDirectory, type Directory } from '../fixtures/directory-under-test.ts'
import type { ScimReply } from '../fixtures/scim-under-test.ts'

const t1 = providerId('T1')

test('reads the members of a hundred groups in one read, and no members when the response does not show them', async () => {
  const directory = await startDirectory(3)
  await addGroups(directory, { count: 100, memberIds: directory.users })

  const shown = await directory.send({ path: '/Groups?count=100' })
  expect([shown.body?.['itemsPerPage'], directory.calls.membersOf]).toEqual([100, 1])

  directory.forgetCalls()
  const excluded = await directory.send({ path: '/Groups?count=100&excludedAttributes=members' })
  expect([excluded.body?.['itemsPerPage'], directory.calls.membersOf]).toEqual([100, 0])
})

test('refuses a page by index with too many members, because a client that adds count to startIndex would miss groups (RFC 7644 §3.4.2.4)', async () => {
  const directory = await startDirectory(0)
  const memberIds = await addPeople(directory, 5000)
  await addGroups(directory, { count: 9, memberIds })
  const all = Array.from({ length: 9 }, (_, index) => `group-${index}`)

  await expectRefusal(directory, () => directory.send({ path: '/Groups?count=100' }), {
    status: 400,
    scimType: 'tooMany',
    reason: 'too_many_members',
  })
  const first = await directory.send({ path: '/Groups?count=8' })
  const second = await directory.send({ path: '/Groups?count=8&startIndex=9' })
  expect([...idsOf(first), ...idsOf(second)]).toEqual(all)
  const without = await directory.send({ path: '/Groups?count=100&excludedAttributes=members' })
  expect(idsOf(without)).toEqual(all)
})

test('shortens a page by cursor with too many members, and the next page continues after it (RFC 9865 §2)', async () => {
  const directory = await startDirectory(0)
  await addGroups(directory, { count: 3, memberIds: await addPeople(directory, 5000) })
  const all = Array.from({ length: 3 }, (_, index) => `group-${index}`)

  const firstPage = await directory.send({ path: '/Groups?count=100&cursor' })
  const secondPage = await directory.send({
    path: `/Groups?count=100&cursor=${firstPage.body?.['nextCursor'] as string}`,
  })
  expect([...idsOf(firstPage), ...idsOf(secondPage)]).toEqual(all)
  expect([idsOf(firstPage).length, secondPage.body?.['nextCursor']]).toEqual([2, undefined])
})

test('Okta: imports a hundred groups of 250 members by index', async () => {
  const directory = await startDirectory(0)
  await addGroups(directory, { count: 100, memberIds: await addPeople(directory, 250) })

  for (const path of ['/Groups?startIndex=1&count=100', '/Groups']) {
    const page = await directory.send({ path })
    expect(idsOf(page).length).toBe(100)
    const groups = page.body?.['Resources'] as readonly JsonObject[]
    expect(groups.every(({ members }) => (members as readonly unknown[]).length === 250)).toBe(true)
  }
})

test('refuses a page by index whose users are too large, and shortens a page by cursor (RFC 7644 §3.4.2.4)', async () => {
  const directory = await startDirectory(0, 'general', { pageLimits: { bytes: 10_000 } })
  await addGroups(directory, { count: 30, memberIds: await addPeople(directory, 3) })

  await expectRefusal(directory, () => directory.send({ path: '/Users?count=3' }), {
    status: 400,
    scimType: 'tooMany',
    reason: 'page_too_large',
  })
  const firstPage = await directory.send({ path: '/Users?count=3&cursor' })
  const secondPage = await directory.send({ path: `/Users?count=3&cursor=${firstPage.body?.['nextCursor'] as string}` })
  expect([idsOf(firstPage), idsOf(secondPage)]).toEqual([['0', '1'], ['2']])
})

test('excluded groups do not count towards the size of a page, and the users are shown without a version (RFC 7644 §3.9)', async () => {
  const directory = await startDirectory(0, 'general', { pageLimits: { bytes: 10_000 } })
  await addGroups(directory, { count: 30, memberIds: await addPeople(directory, 3) })

  const page = await directory.send({ path: '/Users?count=3&excludedAttributes=groups' })

  expect(idsOf(page)).toEqual(['0', '1', '2'])
  const [user] = (page.body?.['Resources'] ?? []) as readonly JsonObject[]
  expect(user).not.toHaveProperty('groups')
  expect(user?.['meta']).not.toHaveProperty('version')
})

async function addPeople({ storage }: Directory, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${index}`)
  for (const id of ids)
    await storage.provisionedUsers.insert(aProvisionedUser(id, { providerId: t1, userId: userId(id) }))
  return ids
}

async function addGroups(
  { storage }: Directory,
  { count, memberIds }: { readonly count: number; readonly memberIds: readonly string[] },
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const createdAt = epochSeconds(1_790_000_000 + index)
    await storage.groups.insert(
      aGroup(`${index}`, { providerId: t1, groupId: groupId(`group-${index}`), memberIds, createdAt }),
    )
  }
}

const idsOf = ({ body }: ScimReply): readonly unknown[] => {
  const resources = body?.['Resources'] ?? []
  return (resources as readonly JsonObject[]).map(({ id }) => id)
}
