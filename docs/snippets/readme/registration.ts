import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createRegistrationServer } from '@mintmark/registration'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' })

/** Serves /register to holders of an initial access token. */
export const registration = createRegistrationServer({ issuer, storage, keys })

export const server = createAuthorizationServer({
  issuer,
  storage,
  keys,
  signedIn: async () => undefined,
  discovery: { registrationEndpoint: registration.endpoint },
})
