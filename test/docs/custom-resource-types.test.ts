import { registerIdentityProvider, type ScimServer } from '@mintmark/scim'
import type { AdminStorage, JsonObject } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { createScim } from '../../docs/snippets/custom-resource-types/okta.ts'
import { devicesOf, scim, storage } from '../../docs/snippets/custom-resource-types/scim.ts'

it('a directory creates a device, and the program of the page reads it', async () => {
  const send = await connect(scim, storage)
  const body = { schemas: ['urn:example:params:scim:schemas:core:2.0:Device'], displayName: 'Laptop' }

  expect(await send('POST', '/Devices', body)).toMatchObject({ displayName: 'Laptop' })

  expect(await devicesOf('acme')).toMatchObject([{ displayName: 'Laptop' }])
  expect(await devicesOf('other')).toEqual([])

  for (let number = 1; number <= 100; number += 1)
    await send('POST', '/Devices', { ...body, displayName: `Phone ${number}` })
  expect(await devicesOf('acme')).toHaveLength(101)
})

it('a directory reads the roles and licences of the page, and assigns a role', async () => {
  const memory = createMemoryStorage({ issuer: 'http://localhost:3000' })
  const send = await connect(
    createScim(memory, async (provider) => [`${provider}-pro`]),
    memory,
  )

  expect(await send('GET', '/Roles')).toMatchObject({
    totalResults: 2,
    Resources: [{ id: 'editor' }, { id: 'viewer' }],
  })
  expect(await send('GET', '/Licenses')).toMatchObject({ Resources: [{ id: 'acme-pro', type: 'License' }] })
  const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'kim' }
  const { id } = await send('POST', '/Users', { ...user, roles: [{ value: 'editor' }, { value: 'owner' }] })
  expect((await memory.users.find(id as never))?.claims['roles']).toEqual(['editor'])
})

async function connect(server: ScimServer, to: AdminStorage) {
  const { secret } = await registerIdentityProvider({ providerId: 'acme' }, { storage: to })
  return async (method: string, path: string, body?: object): Promise<JsonObject> => {
    const response = await server.handle({
      method,
      url: new URL(`${to.issuer}/scim/v2/enterprise-idps/acme${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
    return JSON.parse(response.body as string) as JsonObject
  }
}
