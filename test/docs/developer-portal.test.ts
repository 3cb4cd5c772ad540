import type { ServerEvent } from '@mintmark/core'
import { epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { createPortal, keepRefusals } from '../../docs/snippets/developer-portal/portal.ts'

const ann = { userId: 'ann', partnerId: 'acme' }
const eve = { userId: 'eve', partnerId: 'other' }

function openPortal() {
  const owners = new Map<string, string>()
  return createPortal(createMemoryStorage({ issuer: 'https://id.test' }), {
    add: async (partnerId, clientId) => void owners.set(clientId, partnerId),
    has: async (partnerId, clientId) => owners.get(clientId) === partnerId,
  })
}

it('a developer creates a client of the partner, and gives it a second secret', async () => {
  const portal = openPortal()

  const { clientId, clientSecret } = await portal.create(ann, {
    clientName: 'Shop',
    redirectUris: ['https://acme.test/callback'],
  })
  const second = await portal.rotateSecret(ann, clientId)
  const { secrets } = await portal.read(ann, clientId)

  expect(second).not.toBe(clientSecret)
  expect(secrets).toHaveLength(2)
})

it("a developer can neither read nor change another partner's client", async () => {
  const portal = openPortal()
  const { clientId } = await portal.create(ann, { clientName: 'Shop', redirectUris: ['https://acme.test/callback'] })

  await expect(portal.read(eve, clientId)).rejects.toThrow('no such client')
  await expect(portal.rotateSecret(eve, clientId)).rejects.toThrow('no such client')
  expect((await portal.read(ann, clientId)).secrets).toHaveLength(1)
})

it('a thousand clients that do not exist do not grow the list of refusals', () => {
  const refusals = keepRefusals()
  const refusal = (clientId: string): ServerEvent => ({
    type: 'request.refused',
    at: epochSeconds(0),
    correlationId: 'c',
    requestId: undefined,
    method: 'GET',
    path: '/auth',
    code: 'invalid_request',
    reason: 'client_unknown',
    context: { clientId },
    cause: undefined,
  })

  for (let index = 0; index <= 1000; index += 1) refusals.add(refusal(`c${index}`))

  expect(refusals.of('c0')).toHaveLength(1)
  expect(refusals.of('c1000')).toHaveLength(0)
})
