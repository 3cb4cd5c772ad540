import { codes, families, tableColumns } from '@mintmark/storage-interface/records'
import { epochSeconds, familyId, seconds, type AdminStorage } from '@mintmark/storage-interface'
import {
  aCodeRecord,
  aDigest,
  aFamilyRecord,
  anInteractionRecord,
  aPushedRequestRecord,
  aRefreshRecord,
} from '@mintmark/storage-interface/fixtures'
import type { PurgeOutcome } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { replayColumns } from '../src/tables.ts'
import { aFolder } from './sqlite-under-test.ts'
import { fillTable } from './support/fill-table.ts'
import { aMigratedEnglishDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const { issuedAt: now, clientId } = aCodeRecord()

const isTime = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'

// Leaves out replaced row versions: when PostgreSQL removes them depends on when it vacuums.
const rowsOfPostgres = 'SELECT sum(pg_column_size(family.*)) AS bytes FROM mintmark_families AS family'

describe.for([
  {
    name: 'SQLite',
    open: twoFileDialects,
    size: 'SELECT page_count * 4096 AS bytes FROM pragma_page_count',
  },
  { name: 'PostgreSQL', open: twoPools, size: rowsOfPostgres },
])('$name', ({ open, size }) => {
  test('two servers that purge during traffic remove every expired row once, and nothing else', async () => {
    const [first, second] = await open()
    const storages = [
      await createSqlStorage({ dialect: first, issuer }),
      await createSqlStorage({ dialect: second, issuer }),
    ]
    for (const [table, columns] of Object.entries(tables)) {
      await fillTable(first, { table, columns, rows: 1000, values: halfExpired })
    }

    const [removed, outcomes] = await Promise.all([
      Promise.all(storages.map(purgeAll)),
      Promise.all(storages.map((storage, server) => presentCodes(storage, server))),
    ])

    expect(removed.reduce((sum, each) => sum + each, 0)).toBe(1500)
    expect(new Set(outcomes.flat())).toEqual(new Set(['won']))
    for (const table of ['mintmark_replays', 'mintmark_families']) expect(await countOf(first, table)).toBe(500)
  })

  test('a server whose clock is two days ahead removes no revocation that other servers still have to read', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    const today = epochSeconds(Math.floor(Date.now() / 1000))
    const ahead = epochSeconds(today + 172_800)
    await storage.families.insert(aFamilyRecord({ expiresAt: ahead, refresh: undefined }))
    await storage.families.revoke(aFamilyRecord().familyId, today)

    expect(await storage.purge.purgeExpired({ now: ahead, limit: 100 })).toEqual({ removed: 0, done: true })
    expect((await storage.revocations.list({ from: undefined, revokedSince: today, limit: 10 })).records).toHaveLength(
      1,
    )
  })

  test('a server whose clock is ahead removes no replay mark or code that other servers still need', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    const today = epochSeconds(Math.floor(Date.now() / 1000))
    const expiresAt = epochSeconds(today + 3600)
    const ahead = epochSeconds(today + 7200)
    const mark = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt, now: today } as const
    await storage.replays.markUsed(mark)
    await storage.codes.insert({ ...aCodeRecord(), expiresAt })

    expect(await storage.purge.purgeExpired({ now: ahead, limit: 100 })).toEqual({ removed: 0, done: true })

    expect(await storage.replays.markUsed(mark)).toMatchObject({ outcome: 'seen' })
  })

  test('a completed sign-in stays completed for a server whose clock is five minutes behind (RFC 6749 §4.1.2)', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    const { digest, browserDigest, createdAt, expiresAt } = anInteractionRecord()
    await storage.interactions.insert(anInteractionRecord())
    await storage.interactions.consume(digest, browserDigest, createdAt)

    const early = await storage.purge.purgeExpired({ now: epochSeconds(expiresAt + 299), limit: 100 })
    const found = await storage.interactions.find(digest, browserDigest, epochSeconds(expiresAt - 1))
    const late = await storage.purge.purgeExpired({ now: epochSeconds(expiresAt + 300), limit: 100 })

    expect(found).toBe('consumed')
    expect([early.removed, late.removed]).toEqual([0, 1])
  })

  test('a pushed request stays used for a server whose clock is five minutes behind (RFC 9126 §4)', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    const { digest, clientId, createdAt, expiresAt } = aPushedRequestRecord()
    await storage.pushedRequests.insert(aPushedRequestRecord())
    await storage.pushedRequests.consume(digest, clientId, createdAt)

    const early = await storage.purge.purgeExpired({ now: epochSeconds(expiresAt + 299), limit: 100 })
    const found = await storage.pushedRequests.find(digest, clientId, epochSeconds(expiresAt - 1))
    const late = await storage.purge.purgeExpired({ now: epochSeconds(expiresAt + 300), limit: 100 })

    expect(found).toBe('consumed')
    expect([early.removed, late.removed]).toEqual([0, 1])
  })

  test('a revoked family is removed after a day, and others when they expire', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    const far = epochSeconds(aFamilyRecord().expiresAt)
    await storage.families.insert(aFamilyRecord())
    await storage.families.revoke(aFamilyRecord().familyId, now)

    const early = await storage.purge.purgeExpired({ now: epochSeconds(now + 86_399), limit: 100 })
    const late = await storage.purge.purgeExpired({ now: epochSeconds(now + 86_400), limit: 100 })

    expect(now + 86_400).toBeLessThan(far)
    expect([early.removed, late.removed]).toEqual([0, 1])
  })

  test('a family is removed a day after its refresh token has expired, whatever its key', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    const other = await createSqlStorage({ dialect, issuer: 'https://other.example' })
    for (let family = 0; family < 9; family += 1) {
      const expiresAt = epochSeconds(now + 1000 + (family % 3))
      const refresh = aRefreshRecord({ handleDigest: aDigest(`handle-${family}`), expiresAt })
      await storage.families.insert(aFamilyRecord({ familyId: familyId(`family-${family}`), refresh }))
    }
    await storage.families.insert(aFamilyRecord({ familyId: familyId('family-without'), refresh: undefined }))
    await other.families.insert(aFamilyRecord({ refresh: aRefreshRecord({ expiresAt: now }) }))

    const removedAt = async (at: number) => {
      // A pass begins once a day in each process.
      const { purge } = await createSqlStorage({ dialect, issuer })
      const calls: PurgeOutcome[] = []
      while (calls.at(-1)?.done !== true) calls.push(await purge.purgeExpired({ now: epochSeconds(at), limit: 2 }))
      expect(Math.max(...calls.map(({ removed }) => removed))).toBeLessThanOrEqual(2)
      return calls.reduce((total, { removed }) => total + removed, 0)
    }

    const day = 86_400
    expect(await removedAt(now + 999 + day)).toBe(0)
    expect(await removedAt(now + 1000 + day)).toBe(3)
    expect(await removedAt(now + 1002 + day)).toBe(6)
    expect(await countOf(dialect, 'mintmark_families')).toBe(2)
  })

  test('a purge examines idle families once a day', async () => {
    const [dialect] = await open()
    const ran: string[] = []
    const { families, purge } = await createSqlStorage({
      dialect: { ...dialect, all: async (statement, values) => (ran.push(statement), dialect.all(statement, values)) },
      issuer,
    })
    await families.insert(aFamilyRecord())
    const passesAt = async (at: number) => {
      ran.length = 0
      await purge.purgeExpired({ now: epochSeconds(at), limit: 100 })
      return ran.filter((statement) => statement.startsWith('select family_id')).length
    }

    expect([await passesAt(now), await passesAt(now + 86_399), await passesAt(now + 86_400)]).toEqual([1, 0, 1])
  })

  test('a purge runs one statement for each kind of row, however many rows there are', async () => {
    const [dialect] = await open()
    const ran: string[] = []
    const storage = await createSqlStorage({ dialect, issuer })
    const watched = await createSqlStorage({
      dialect: { ...dialect, all: async (statement, values) => (ran.push(statement), dialect.all(statement, values)) },
      issuer,
    })
    ran.length = 0
    await fillTable(dialect, { table: 'mintmark_replays', columns: replayColumns, rows: 1000, values: halfExpired })

    expect(await watched.purge.purgeExpired({ now, limit: 100 })).toEqual({ removed: 100, done: false })
    expect(ran.length).toBeLessThanOrEqual(8)
    expect(await purgeAll(storage)).toBe(400)
  })

  test('a full batch is followed by one that begins at its last row, and the last one by one that begins at the first', async () => {
    const [dialect] = await open()
    const sinceOfCodes: unknown[] = []
    const storage = await createSqlStorage({
      dialect: {
        ...dialect,
        all: async (statement, values) => {
          if (statement.startsWith('delete from "mintmark_codes"')) sinceOfCodes.push(values.find(isTime))
          return dialect.all(statement, values)
        },
      },
      issuer,
    })
    const insertCode = async (time: number) =>
      storage.codes.insert(aCodeRecord({ digest: aDigest(`code-${time}`), expiresAt: epochSeconds(time) }))
    for (let time = 10; time < 15; time += 1) await insertCode(time)

    const first = await storage.purge.purgeExpired({ now, limit: 2 })
    // Another connection held it, or its server was slow.
    await insertCode(5)
    const second = await storage.purge.purgeExpired({ now, limit: 2 })
    const third = await storage.purge.purgeExpired({ now, limit: 3 })

    expect([first.removed, second.removed, third.removed]).toEqual([2, 2, 2])
    expect(sinceOfCodes.map(Number)).toEqual([0, 11, 13, 0])
  })

  test('a family takes no more space after 600 rotations than after 200', async () => {
    const [dialect] = await open()
    const storage = await createSqlStorage({ dialect, issuer })
    await storage.families.insert(aFamilyRecord())

    await rotate(storage, { from: 1, to: 200 })
    const before = await bytes(dialect, size)
    await rotate(storage, { from: 200, to: 600 })

    expect(await bytes(dialect, size)).toBeLessThanOrEqual(before)
    expect(await countOf(dialect, 'mintmark_families')).toBe(1)
  })
})

const tables = {
  mintmark_codes: tableColumns(codes),
  mintmark_replays: replayColumns,
  mintmark_families: tableColumns(families),
}

const halfExpired = {
  issuer: `'${issuer}'`,
  expires_at: `${now} + CASE WHEN n % 2 = 0 THEN -n ELSE n END`,
  consumed_at: 'NULL',
  revoked_at: 'NULL',
  refresh_expires_at: 'NULL',
}

async function purgeAll(storage: AdminStorage): Promise<number> {
  let total = 0
  for (;;) {
    const { removed, done } = await storage.purge.purgeExpired({ now, limit: 50 })
    total += removed
    if (done) return total
  }
}

async function presentCodes(storage: AdminStorage, server: number): Promise<readonly string[]> {
  const outcomes: string[] = []
  for (let index = 0; index < 30; index += 1) {
    const code = aCodeRecord({ digest: aDigest(`live-${server}-${index}`), expiresAt: epochSeconds(now + 60) })
    await storage.codes.insert(code)
    outcomes.push((await storage.codes.consume(code.digest, clientId, now)).outcome)
  }
  return outcomes
}

async function rotate(
  storage: AdminStorage,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let index = from; index < to; index += 1) {
    const { outcome } = await storage.families.rotate({
      handleDigest: aDigest('handle-1'),
      presentedDigest: aDigest(`refresh-${index}`),
      clientId,
      successorDigest: aDigest(`refresh-${index + 1}`),
      successorSalt: `salt-${index}`,
      expiresAt: aFamilyRecord({ familyId: familyId('family-1') }).expiresAt,
      now,
      retryWindow: seconds(10),
    })
    expect(outcome).toBe('rotated')
  }
}

async function bytes(dialect: SqlDialect, query: string): Promise<number> {
  const [row] = await dialect.all(query, [])
  return Number(row?.values[0])
}

async function countOf(dialect: SqlDialect, table: string): Promise<number> {
  const [row] = await dialect.all(`SELECT count(*) AS count FROM ${table}`, [])
  return Number(row?.values[0])
}

async function twoFileDialects(): Promise<readonly [SqlDialect, SqlDialect]> {
  const folder = await aFolder()
  const openFile = () => openSqliteDialect(`${folder.path}/test.db`, { migrate: 'on-open', synchronous: 'normal' })
  const dialects = [openFile(), openFile()] as const
  onTestFinished(async () => {
    await Promise.all(dialects.map((dialect) => dialect.close()))
    await folder.remove()
  })
  return dialects
}

/**
 * Opens two pools on a separate database: in a shared one, the reads of another test would keep replaced rows in their
 * pages.
 */
async function twoPools(): Promise<readonly [SqlDialect, SqlDialect]> {
  const database = await aMigratedEnglishDatabase()
  onTestFinished(() => database.remove())
  return [toPostgresDialect(database.pool()), toPostgresDialect(database.pool())]
}
