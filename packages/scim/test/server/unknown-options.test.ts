import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { providerId } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { createScimServer, registerIdentityProvider, type ScimServerOptions } from '../../src/index.ts'
import { issuer } from '../fixtures/scim-under-test.ts'

test.each([
  [{ offboarding: { users: 1 } }, 'createScimServer: offboarding is not an option.'],
  [
    { deprovisioningLimit: { accounts: 1 } },
    'createScimServer: deprovisioningLimit.accounts is not an option; the options are users, percent, window.',
  ],
  [{ constructor: 1 }, 'createScimServer: constructor is not an option.'],
])('createScimServer rejects %o', (option, message) => {
  const options = Object.assign<ScimServerOptions, object>({ issuer, storage: createMemoryStorage({ issuer }) }, option)

  expect(() => createScimServer(options)).toThrow(message)
})

test('registerIdentityProvider rejects an unknown option, and registers nothing', async () => {
  const storage = createMemoryStorage({ issuer })
  const registration = { providerId: 'T1', profile: 'entra' }

  await expect(registerIdentityProvider(registration, { storage })).rejects.toThrow(
    'registerIdentityProvider: profile is not an option.',
  )

  expect(await storage.identityProviders.find(providerId('T1'))).toBeUndefined()
})
