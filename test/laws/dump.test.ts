import { epochSeconds } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { allRecords } from '../../packages/storage-interface/src/contract/record-kinds.ts'
import { dumpDatabase } from '../support/dump-database.ts'

const issuer = 'https://as.test'

describe('law: the storage dump that tests compare contains every stored record', () => {
  it.each(allRecords.map((kind) => [kind.store, kind] as const))(
    'of the store %s',
    async (_, { make, insert, read }) => {
      const database = createMemoryDatabase()
      const storage = createMemoryStorage({ issuer, database })
      const id = 'shown-in-the-dump'

      await insert(storage, make(id))

      expect(await read(storage, id)).toBeDefined()
      expect(dumpDatabase(database, issuer)).toContain(id)
    },
  )

  it('of the store replays', async () => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer, database })

    await storage.replays.markUsed({
      purpose: 'client_assertion_jti',
      value: 'shown',
      expiresAt: epochSeconds(9),
      now: epochSeconds(1),
    })

    expect(dumpDatabase(database, issuer)).toContain('shown')
  })

  it('of the store revocations', async () => {
    const database = createMemoryDatabase()
    const storage = createMemoryStorage({ issuer, database })

    await storage.revocations.revokeToken({ tokenId: 'shown', expiresAt: epochSeconds(9), now: epochSeconds(1) })

    expect(dumpDatabase(database, issuer)).toContain('shown')
  })
})
