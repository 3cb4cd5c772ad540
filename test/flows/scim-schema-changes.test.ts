import {
  createScimServer,
  defineResourceType,
  defineSchema,
  registerIdentityProvider,
  type ResourceType,
  type AttributeOptions,
} from '@mintmark/scim'
import { epochSeconds, providerId, userId, type JsonObject, type AdminStorage } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { enterpriseUserSchema, userSchema } from '@mintmark/scim/engine'

import { stores } from '../support/stores.ts'

const issuer = 'https://as.test'
const badge = 'urn:example:params:scim:schemas:extension:badge:2.0:User'

test.for(stores)(
  'no longer shows an attribute that the host removed from a schema, on %s (RFC 7643 §7)',
  async ([, open]) => {
    const scim = await startScim(await open())
    const shown = { badge: '7', colour: 'red' }
    const id = await scim.create({ [badge]: shown })
    expect(await scim.badgeOf(id, typeWith({ badge: 'default', colour: 'default' }))).toEqual([shown, shown])

    for (const type of [
      typeWith({ badge: 'default' }),
      typeWith({ badge: 'default', colour: 'never' }),
      typeWith({ badge: 'default', colour: 'request' }),
    ]) {
      expect(await scim.badgeOf(id, type)).toEqual([{ badge: '7' }, { badge: '7' }])
    }
    expect(await scim.badgeOf(id, typeWith({}))).toEqual([undefined, undefined])
    expect(await scim.badgeOf(id, typeWith({ badge: 'default', colour: 'default' }))).toEqual([shown, shown])
  },
)

test.for(stores)(
  'reads a user stored without a cache key and shows only attributes that schemas define, on %s',
  async ([, open]) => {
    const storage = await open()
    const scim = await startScim(storage)
    const id = await scim.create({ [badge]: { badge: '7' } })
    const { resource, externalId, claims, version } =
      (await storage.provisionedUsers.find(providerId('T1'), userId(id))) ?? expect.fail('no account')
    const older = JSON.parse(resource) as JsonObject
    const text = JSON.stringify({ ...older, shoeSize: 40, [badge]: { height: 1, badge: '7' } }) as typeof resource
    const state = {
      active: true,
      externalId,
      resource: text,
      renderKey: undefined,
      comparable: { userName: 'kim' },
      claims,
    }

    const outcome = await storage.provisionedUsers.compareAndSwap({
      providerId: providerId('T1'),
      userId: userId(id),
      version,
      state,
      now,
    })

    expect(outcome).toMatchObject({ outcome: 'swapped', record: { resource: text } })
    expect(await scim.badgeOf(id, typeWith({ badge: 'default', colour: 'default' }))).toEqual([
      { badge: '7' },
      { badge: '7' },
    ])
    const { body } = await scim.send({ path: `/Users/${id}` })
    expect(body).toMatchObject({ id, userName: 'kim', active: true })
    expect(body).not.toHaveProperty('shoeSize')
  },
)

const now = epochSeconds(1_790_000_000)

const typeWith = (attributes: Readonly<Record<string, NonNullable<AttributeOptions['returned']>>>): ResourceType => {
  const defined = Object.entries(attributes).map(([name, returned]) => ({ name, returned }))
  const extensions = defined.length === 0 ? [] : [defineSchema({ id: badge, name: 'Badge', attributes: defined })]
  return defineResourceType({
    name: 'User',
    endpoint: '/Users',
    schema: userSchema,
    extensions: [enterpriseUserSchema, ...extensions],
  })
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: object
  readonly userType?: ResourceType
}

async function startScim(storage: AdminStorage) {
  const clock = () => now
  const { secret } = await registerIdentityProvider({ providerId: 'T1' }, { storage, clock })
  const fullType = typeWith({ badge: 'default', colour: 'default' })

  async function send({ method = 'GET', path, body, userType = fullType }: Sent) {
    const server = createScimServer({ issuer, storage, clock, userType })
    const response = await server.handle({
      method,
      url: new URL(`${issuer}/scim/v2/enterprise-idps/T1${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
    return { status: response.status, body: JSON.parse(String(response.body)) as JsonObject }
  }

  return {
    send,
    async create(members: JsonObject): Promise<string> {
      const { status, body } = await send({
        method: 'POST',
        path: '/Users',
        body: { schemas: [userSchema.id], userName: 'kim', ...members },
      })
      expect(status).toBe(201)
      return body['id'] as string
    },
    /** Returns the badge from a server with this schema, once for the user and once for the user in a list. */
    async badgeOf(id: string, userType: ResourceType) {
      const { body: account } = await send({ path: `/Users/${id}`, userType })
      const { body: list } = await send({ path: '/Users', userType })
      const [listed] = list['Resources'] as readonly JsonObject[]
      return [account[badge], listed?.[badge]]
    },
  }
}
