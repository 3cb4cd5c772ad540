import { epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { aCodeRecord, aDigest, aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, test } from 'vitest'
import { aCountedPool } from './support/counted-pool.ts'

const issuer = 'https://issuer.example'
const now = epochSeconds(1_700_000_000)
const { clientId } = aCodeRecord()
const digests = Array.from({ length: 8 }, (_, number) => aDigest(`code ${number}`))

test('codes and token families of requests at the same time are written in one packet, and each code is redeemed once (RFC 6749 §4.1.2)', async () => {
  const { storage, packets } = await aStorage()
  const { codes, families } = storage
  await Promise.all(digests.map((digest) => codes.insert(aCodeRecord({ digest }))))
  const [used = aDigest(''), ...unused] = digests
  await codes.consume(used, clientId, now)
  const before = packets()

  const code = aCodeRecord({ digest: aDigest('new') })
  const [inserted, issued, ...redeemed] = await Promise.all([
    families.insert(aFamilyRecord()),
    codes.insert(code),
    ...unused.slice(0, 6).map((digest) => codes.consume(digest, clientId, now)),
  ])

  expect(packets() - before).toBe(1)
  expect([inserted, issued]).toEqual([{ outcome: 'inserted' }, { outcome: 'inserted' }])
  expect(redeemed.map(({ outcome }) => outcome)).toEqual(unused.slice(0, 6).map(() => 'won'))
  expect(await codes.consume(used, clientId, now)).toMatchObject({ outcome: 'replayed' })
})

test('law: a code is redeemed at most once, although two processes redeem the same codes together, and there is no deadlock', async () => {
  const { storage, other, database } = await aStorage({ deadlockTimeout: '1h' })
  const codes = digests.slice(0, 3).toSorted()
  await Promise.all(codes.map((digest) => storage.codes.insert(aCodeRecord({ digest }))))
  const watching = database.pool()
  const locking = await watching.connect()
  await locking.query('begin')
  // Without an order, one would hold the first code and wait for the second, and the other hold the third.
  await locking.query('select from mintmark_codes where digest = $1 for update', [codes[1]])

  const redeemed = Promise.all([
    ...codes.map((digest) => storage.codes.consume(digest, clientId, now)),
    ...codes.toReversed().map((digest) => other.codes.consume(digest, clientId, now)),
  ])
  const waits = `pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'update "mintmark_codes"%'
    and application_name = current_setting('application_name')`
  await expect.poll(async () => (await watching.query(`select ${waits}`)).rowCount).toBe(2)
  await locking.query('commit')

  const won = (await redeemed).flatMap((each) => (each.outcome === 'won' ? [each.record.digest] : []))
  expect(won.toSorted()).toEqual(codes)
  locking.release()
})

test('a write that fails does not make those fail that were sent with it, and each is written once', async () => {
  const { dialect, pool, write } = await aTable()
  const wrong = dialect.all('select 1 / $1::int', [0], { ownKey: 'wrong' })

  const outcomes = await Promise.allSettled([write('ada'), wrong, write('ben')])

  expect(outcomes).toMatchObject([{ value: [{}] }, { reason: { message: 'division by zero' } }, { value: [{}] }])
  expect((await pool.query('SELECT key FROM written ORDER BY key')).rows).toEqual([{ key: 'ada' }, { key: 'ben' }])
})

test('writes whose connection breaks fail together, and are not repeated', async () => {
  const { dialect, pool, database, write } = await aTable()
  const other = await database.pool().connect()
  await other.query('select pg_advisory_lock(2)')
  // Its text sorts after that of the other statement: that one has been executed, and not committed.
  const waiting = dialect.all('select pg_advisory_xact_lock($1::bigint)', [2], { ownKey: '' })
  const outcomes = Promise.allSettled([waiting, write('ada')])
  const waits = `pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`
  await expect.poll(async () => (await other.query(`select ${waits}`)).rowCount).toBe(1)

  await other.query(`select pg_terminate_backend(pid), ${waits}`)

  for (const outcome of await outcomes)
    expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StorageUnavailableError)
  expect((await pool.query('SELECT key FROM written')).rows).toEqual([])
  other.release()
})

/** Two storages of one database, as two processes have them. */
async function aStorage({ deadlockTimeout = '1s' } = {}) {
  const counted = await aCountedPool()
  const pools = [counted.pool, counted.database.pool()] as const
  for (const pool of pools)
    pool.on('connect', (client) => void client.query(`SET deadlock_timeout = '${deadlockTimeout}'`))
  const dialect = toPostgresDialect(pools[0], { migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer })
  const other = await createSqlStorage({ dialect: toPostgresDialect(pools[1]), issuer })
  return { ...counted, storage, other }
}

async function aTable() {
  const counted = await aCountedPool()
  const dialect = toPostgresDialect(counted.pool)
  await counted.pool.query('CREATE TABLE written (key TEXT PRIMARY KEY)')
  const write = async (key: string) =>
    dialect.all('insert into written (key) values ($1) on conflict do nothing returning 1 as inserted', [key], {
      ownKey: key,
    })
  return { ...counted, dialect, write }
}
