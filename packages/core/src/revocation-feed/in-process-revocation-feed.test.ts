import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { storedKeys } from '../key/stored-keys.ts'
import { createAuthorizationServer } from '../server/create-authorization-server.ts'
import type { AuthorizationServerOptions } from '../server/options.ts'
import { inProcessRevocationFeed } from './in-process-revocation-feed.ts'

const issuer = 'https://as.test'
const storage = createMemoryStorage({ issuer })
const keys = storedKeys({ storage, sealingKey: 'A'.repeat(43) })

const serverWith = (change: Partial<AuthorizationServerOptions>) =>
  createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined), ...change })

it('a server with a feed uses the storage that the feed hears', () => {
  const feed = inProcessRevocationFeed(storage)

  expect(serverWith({ storage: feed.storage, revocationFeed: feed }).serves('/token/revocation-feed')).toBe(true)
  expect(() => serverWith({ revocationFeed: feed })).toThrow('Use revocationFeed.storage as the storage')
})

it('a feed remembers for longer than any access token lives, or the server does not start', () => {
  const feed = inProcessRevocationFeed(storage, { keepFor: 900 })
  const resources = { 'https://api.test': { scopes: [], accessTokenLifetime: 601 } }
  const withFeed = { storage: feed.storage, revocationFeed: feed }

  expect(() => serverWith(withFeed)).not.toThrow()
  expect(() => serverWith({ ...withFeed, lifetimes: { accessToken: 601 } })).toThrow('for 901 seconds')
  expect(() => serverWith({ ...withFeed, resources })).toThrow('for 901 seconds')
})

it('a server without a feed has no such path', () => {
  expect(serverWith({}).serves('/token/revocation-feed')).toBe(false)
})
