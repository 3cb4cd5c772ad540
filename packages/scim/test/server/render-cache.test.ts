import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { defineResourceType, defineSchema } from '../../src/index.ts'
import { enterpriseUserSchema, groupSchema, userSchema } from '../../src/engine.ts'
import { idOf, startScim } from '../fixtures/scim-under-test.ts'

const badge = defineSchema({
  id: 'urn:example:params:scim:schemas:extension:badge:2.0:User',
  name: 'Badge',
  attributes: [{ name: 'number' }, { name: 'colour', returned: 'request' }],
})
const userType = defineResourceType({
  name: 'User',
  endpoint: '/Users',
  schema: userSchema,
  extensions: [enterpriseUserSchema, badge],
})
const kim = { schemas: [userSchema.id], userName: 'kim' }

test('stores attributes that responses omit by default, and shows them on request (RFC 7643 §7 returned)', async () => {
  const scim = await startScim({ userType })
  const id = idOf(
    await scim.send({ method: 'POST', path: '/Users', body: { ...kim, [badge.id]: { number: '1', colour: 'red' } } }),
  )

  expect((await scim.send({ path: `/Users/${id}` })).body?.[badge.id]).toEqual({ number: '1' })
  expect((await scim.send({ path: `/Users/${id}?attributes=${badge.id}:colour` })).body?.[badge.id]).toEqual({
    colour: 'red',
  })
})

test("shows server-assigned attributes only as the host's schema defines them (RFC 7643 §7 returned)", async () => {
  const attributes = userSchema.attributes
    .filter(({ name }) => name !== 'groups')
    .map((attribute) => (attribute.name === 'active' ? { ...attribute, returned: 'request' as const } : attribute))
  const scim = await startScim({
    userType: defineResourceType({
      name: 'User',
      endpoint: '/Users',
      schema: defineSchema({ ...userSchema, attributes }),
    }),
  })
  const created = await scim.send({ method: 'POST', path: '/Users', body: { ...kim, externalId: 'x' } })
  const id = idOf(created)
  await scim.send({
    method: 'POST',
    path: '/Groups',
    body: { schemas: [groupSchema.id], displayName: 'Sales', members: [{ value: id }] },
  })

  expect(Object.keys(created.body ?? {})).toEqual(['schemas', 'userName', 'id', 'externalId', 'meta'])
  expect(Object.keys((await scim.send({ path: `/Users/${id}` })).body ?? {})).toEqual([
    'schemas',
    'userName',
    'id',
    'externalId',
    'meta',
  ])
  expect((await scim.send({ path: `/Users/${id}?attributes=active` })).body?.['active']).toBe(true)
})

test('a write without changes keeps the version, even if the server would store the attributes in another order (RFC 7644 §3.5.2.1)', async () => {
  const scim = await startScim({ userType })
  const body = { ...kim, [enterpriseUserSchema.id]: { department: 'Sales' }, [badge.id]: { number: '1' } }
  const id = idOf(await scim.send({ method: 'POST', path: '/Users', body }))
  const other = scim.startAnother({
    userType: defineResourceType({ ...userType, extensions: [badge, enterpriseUserSchema] }),
  })

  const replaced = await other.send({ method: 'PUT', path: `/Users/${id}`, body })
  const changed = await other.send({ method: 'PUT', path: `/Users/${id}`, body: { ...body, title: 'Boss' } })

  expect([replaced.status, replaced.headers.get('etag')]).toEqual([200, 'W/"1"'])
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, 'W/"2"'])
})

test('the host receives the resource that the provider wrote, without the computed manager.$ref', async () => {
  const seen: JsonObject[] = []
  const scim = await startScim({ claims: (resource) => (seen.push(resource), {}) })
  const manager = { value: 'm1' }
  const id = idOf(
    await scim.send({ method: 'POST', path: '/Users', body: { ...kim, [enterpriseUserSchema.id]: { manager } } }),
  )

  const patch = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'add', value: { title: 'Boss' } }],
  }
  const { body } = await scim.send({ method: 'PATCH', path: `/Users/${id}`, body: patch })

  expect(seen.map((resource) => resource[enterpriseUserSchema.id])).toEqual([{ manager }, { manager }])
  expect(body?.[enterpriseUserSchema.id]).toEqual({
    manager: { ...manager, $ref: 'https://as.test/scim/v2/enterprise-idps/T1/Users/m1' },
  })
})
