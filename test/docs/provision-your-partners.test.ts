import { toFetch } from '@mintmark/adapter-fetch'
import { createStoredKeys } from '@mintmark/core'
import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { providerId } from '@mintmark/storage-interface'
import { createProvisioning } from '@mintmark/provisioning'
import { expect, it } from 'vitest'

import { addPartner, goLive } from '../../docs/snippets/provision-your-partners/add-partner.ts'
import { createServer } from '../../docs/snippets/provision-your-partners/server.ts'

it('the page shows what would be sent, and then sends it', async () => {
  const issuer = 'https://login.example'
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const partnerStorage = createMemoryStorage({ issuer: 'https://crm.example' })
  const { secret } = await registerIdentityProvider({ providerId: 'us' }, { storage: partnerStorage })
  const partner = toFetch(
    createScimServer({ issuer: 'https://crm.example', storage: partnerStorage, onEvent: () => {} }),
  )
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { url } = new Request(input, init)
    return Promise.resolve(partner(new Request(url.replace('/scim/v2/', '/scim/v2/enterprise-idps/us/'), init)))
  }
  const { server } = createServer({ issuer, storage, keys, fetch, signedIn: async () => undefined })
  const provisioning = createProvisioning({ storage, keys, fetch })
  await storage.provisionedUsers.insert({ ...aProvisionedUser('p'), providerId: providerId('acme') })

  const preview = await addPartner(provisioning, secret)
  const queued = await goLive(provisioning)
  await server.deliverOnce()

  expect(preview).toMatchObject({ users: 1, groups: 0, requests: [{ method: 'POST', path: '/Users' }] })
  expect(queued).toEqual({ users: 1, groups: 0 })
  expect((await provisioning.compare('crm')).divergences).toEqual([])
})
