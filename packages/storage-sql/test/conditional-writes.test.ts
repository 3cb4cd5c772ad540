import { familyId, type TokenFamilyRecord } from '@mintmark/storage-interface'
import type { RefreshRecord } from '@mintmark/storage-interface/stores'
import { aCodeRecord, aDigest, aFamilyRecord, aPresentation } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'

const engines = [
  {
    name: 'SQLite',
    open: async () => {
      const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
      onTestFinished(() => dialect.close())
      return dialect
    },
  },
  {
    // READ COMMITTED: each statement sees what was committed before it began.
    name: 'PostgreSQL',
    open: async () => {
      const database = await aMigratedDatabase()
      onTestFinished(() => database.remove())
      return toPostgresDialect(database.pool())
    },
  },
]

describe.for(engines)('on $name', ({ open }) => {
  test('tries again when a family rotates between the read and the revocation (RFC 9700 §4.14.2)', async () => {
    const { dialect, interrupt } = interruptible(await open())
    const storage = await createSqlStorage({ dialect, issuer })
    await storage.families.insert(aFamilyRecord())
    interrupt('update "mintmark_families" set "revoked_at"', () =>
      storage.families.rotate(aPresentation('refresh-1', 'refresh-2')),
    )

    const result = await storage.families.rotate(aPresentation('refresh-2', 'refresh-3'))

    expect(result).toMatchObject({ outcome: 'rotated', record: { revokedAt: undefined } })
  })

  test('revokes a family that is written between the revocation and the read (RFC 6749 §4.1.2)', async () => {
    const { dialect, interrupt } = interruptible(await open())
    const storage = await createSqlStorage({ dialect, issuer })
    const family = aFamilyRecord()
    interrupt('select "revoked_at" from "mintmark_families"', () => storage.families.insert(family))

    const result = await storage.families.revoke(family.familyId, family.createdAt)

    expect(result).toEqual({ outcome: 'revoked' })
    expect((await storage.status.ofFamily(family.familyId))?.family.revokedAt).toBe(family.createdAt)
  })

  test('a family that is written, rotated and given a tombstone at once is revoked afterwards (RFC 6749 §4.1.2)', async () => {
    const storage = await createSqlStorage({ dialect: await open(), issuer })

    for (let round = 0; round < 40; round += 1) {
      const handleDigest = aDigest(`handle-${round}`)
      const refresh = { ...refreshOf(aFamilyRecord()), handleDigest }
      const family = aFamilyRecord({ familyId: familyId(`family-${round}`), refresh })
      await Promise.all([
        storage.families.insert(family),
        storage.families.insertTombstone(family, family.createdAt),
        storage.families.rotate({ ...aPresentation('refresh-1', 'refresh-2'), handleDigest }),
      ])

      expect((await storage.status.ofFamily(family.familyId))?.family.revokedAt).toBe(family.createdAt)
    }
  })

  test('consumes a code that is written between the update and the read, without reporting a replay (RFC 6749 §10.5)', async () => {
    const { dialect, interrupt } = interruptible(await open())
    const storage = await createSqlStorage({ dialect, issuer })
    const { digest, clientId, issuedAt } = aCodeRecord()
    interrupt('select ', () => storage.codes.insert(aCodeRecord()))

    expect((await storage.codes.consume(digest, clientId, issuedAt)).outcome).toBe('won')
  })
})

/** A database in which an event happens once, just before the first statement with a given beginning. */
function interruptible(database: SqlDialect): {
  readonly dialect: SqlDialect
  interrupt: (beginning: string, event: () => Promise<unknown>) => void
} {
  let pending: { readonly beginning: string; readonly event: () => Promise<unknown> } | undefined

  return {
    interrupt: (beginning, event) => {
      pending = { beginning, event }
    },
    dialect: {
      ...database,
      all: async (statement, parameters) => {
        const due = pending
        if (due !== undefined && statement.startsWith(due.beginning)) {
          pending = undefined
          await due.event()
        }
        return database.all(statement, parameters)
      },
    },
  }
}

function refreshOf({ refresh }: TokenFamilyRecord): RefreshRecord {
  if (refresh === undefined) throw new Error('The family has no refresh token.')
  return refresh
}
