import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { createStoredKeys } from '../keys/stored-keys.ts'
import { createAuthorizationServer } from './create-authorization-server.ts'
import type { AuthorizationServerOptions } from './options.ts'

const issuer = 'https://as.test'
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })

const serverWith = (change: Partial<AuthorizationServerOptions>) =>
  createAuthorizationServer({ issuer, storage, keys, signedIn: () => Promise.resolve(undefined), ...change })

it('a server has the path of the feed where the host wants one, and nowhere else', () => {
  expect(serverWith({ revocationFeed: true }).serves('/token/revocation-feed')).toBe(true)
  expect(serverWith({ revocationFeed: false }).serves('/token/revocation-feed')).toBe(false)
  expect(serverWith({}).serves('/token/revocation-feed')).toBe(false)
})

it('endings are remembered for longer than any access token lives, or the server does not start', () => {
  const resources = { 'https://api.test': { scopes: [], accessTokenLifetime: 89_701 } }

  expect(() => serverWith({ revocationFeed: true, lifetimes: { accessToken: 89_700 } })).not.toThrow()
  expect(() => serverWith({ revocationFeed: true, lifetimes: { accessToken: 89_701 } })).toThrow(
    'longer than 89700 seconds',
  )
  expect(() => serverWith({ revocationFeed: true, resources })).toThrow('longer than 89700 seconds')
  expect(() => serverWith({ resources })).not.toThrow()
})
