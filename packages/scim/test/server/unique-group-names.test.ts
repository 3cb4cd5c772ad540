import { providerId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, test } from 'vitest'

import { idOf, issuer, type ScimReply, type ScimUnderTest, startScim } from '../fixtures/scim-under-test.ts'

const group = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const create = (scim: ScimUnderTest, displayName: string, provider = 'T1'): Promise<ScimReply> =>
  scim.send({ method: 'POST', path: '/Groups', provider, body: { schemas: [group], displayName } })

const rename = (scim: ScimUnderTest, id: string, displayName: string): Promise<ScimReply> =>
  scim.send({
    method: 'PATCH',
    path: `/Groups/${id}`,
    body: { schemas: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value: displayName }] },
  })

describe('with uniqueGroupNames', () => {
  test('refuses the name of another group of the same provider, in any case (RFC 7644 §3.12)', async () => {
    const scim = await startScim({ uniqueGroupNames: (providerId) => providerId === 'T1' })
    const ops = idOf(await create(scim, 'Ops'))
    const sales = idOf(await create(scim, 'Sales'))

    for (const reply of [await create(scim, 'OPS'), await rename(scim, sales, 'ops')]) {
      expect(reply).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
      expect(scim.lastReason()).toBe('group_name_taken')
    }
    expect(await scim.send({ path: '/Groups?sortBy=displayName' })).toMatchObject({
      body: { totalResults: 2, Resources: [{ displayName: 'Ops' }, { displayName: 'Sales' }] },
    })
    expect(await rename(scim, ops, 'OPS')).toMatchObject({ status: 204 })
    expect(await create(scim, 'Ops', 'T2')).toMatchObject({ status: 201 })
    expect(await create(scim, 'Ops', 'T2')).toMatchObject({ status: 201 })
  })
})

test('treats a name as taken if storage refuses to search for it', async () => {
  const storage = createMemoryStorage({ issuer })
  const { groups } = storage
  const refuseSearches: typeof groups.list = (query) =>
    query.filter === undefined ? groups.list(query) : Promise.resolve({ outcome: 'tooMany' })
  const scim = await startScim({
    storage: { ...storage, groups: { ...groups, list: refuseSearches } },
    uniqueGroupNames: () => true,
  })

  expect(await create(scim, 'Ops')).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
  expect(scim.lastReason()).toBe('group_name_taken')
  const all = { filter: undefined, sort: undefined, page: { kind: 'index', offset: 0, limit: 1 } } as const
  expect(await storage.groups.list({ providerId: providerId('T1'), ...all })).toMatchObject({ total: 0 })
})

test('two groups may have the same name by default (RFC 7643 §4.2)', async () => {
  const scim = await startScim({ toleranceProfile: 'entra' })

  expect(await create(scim, 'Ops')).toMatchObject({ status: 201 })
  expect(await create(scim, 'Ops')).toMatchObject({ status: 201 })
})
