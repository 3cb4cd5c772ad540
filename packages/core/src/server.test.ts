import { StorageUnavailableError } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { issuer, sealingKey } from '../test/ring-under-test.ts'
import { createStoredKeys } from './keys/stored-keys.ts'
import { type AuthorizationServer, createAuthorizationServer } from './server.ts'

describe('ready', () => {
  it('resolves when the signing keys open, and creates them the first time', async () => {
    const storage = createMemoryStorage({ issuer })

    await aServer(storage).ready()
    await aServer(storage).ready()

    expect((await storage.signingKeys.list()).map(({ algorithm }) => algorithm).toSorted()).toEqual(['ES256', 'RS256'])
  })

  it('rejects with what to change when another sealing key sealed the keys, and writes nothing', async () => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer, database })
    await aServer(storage).ready()
    const before = await storage.signingKeys.list()

    await expect(aServer(storage, 'B'.repeat(42) + 'A').ready()).rejects.toThrow(
      /sealed with another sealing key.*Start with the key that sealed them/s,
    )
    expect(await storage.signingKeys.list()).toEqual(before)
  })

  it('rejects while storage does not answer, and resolves when it does', async () => {
    const storage = createMemoryStorage({ issuer })
    let isDown = true
    const list = () =>
      isDown ? Promise.reject(new StorageUnavailableError('The database is down.')) : storage.signingKeys.list()
    const server = aServer({ ...storage, signingKeys: { ...storage.signingKeys, list } })

    await expect(server.ready()).rejects.toThrow(StorageUnavailableError)
    isDown = false
    await expect(server.ready()).resolves.toBeUndefined()
  })
})

const aServer = (storage: ReturnType<typeof createMemoryStorage>, key = sealingKey): AuthorizationServer =>
  createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: key }),
    signedIn: () => Promise.resolve(undefined),
  })
