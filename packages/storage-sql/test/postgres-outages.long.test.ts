import { StorageUnavailableError, type AdminStorage } from '@mintmark/storage-interface'
import {
  aClientRecord,
  aCodeRecord,
  aGrantRecord,
  aGroup,
  aProvisionedUser,
  aUser,
} from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import { Pool, type PoolConfig } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { TestDatabase } from './support/postgres-database.ts'
import type { PostgresStatement } from '../src/postgres/connection.ts'
import { changedPool } from './support/changed-pool.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const { digest, clientId, issuedAt: now } = aCodeRecord()

test('reports an outage without a retry when the answer to a write is lost, because a retry would report a replay', async () => {
  const { storage, dropNextResponse } = await openLosingResponses()
  await storage.codes.insert(aCodeRecord())
  dropNextResponse('update')

  await expect(storage.codes.consume(digest, clientId, now)).rejects.toBeInstanceOf(StorageUnavailableError)

  expect((await storage.codes.consume(digest, clientId, now)).outcome).toBe('replayed')
})

test('reports an outage, not a replay, when the answer to marking a value as used is lost (RFC 7523 §3)', async () => {
  const { storage, dropNextResponse } = await openLosingResponses()
  const claim = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: aCodeRecord().expiresAt, now } as const
  dropNextResponse('insert')

  await expect(storage.replays.markUsed(claim)).rejects.toBeInstanceOf(StorageUnavailableError)
})

test('closes all connections to a server that is no longer the primary, and repeats the write on a new connection', async () => {
  const pool = (await aMigratedDatabase()).pool({ max: 3 })
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  for (const client of clients) await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY')
  // The storage must have used each connection before. Lookups would be sent together on one.
  for (const client of clients) client.release()
  await Promise.all([1, 2, 3].map(() => storage.grants.listByUser(aGrantRecord().userId)))

  expect(await storage.codes.insert(aCodeRecord())).toEqual({ outcome: 'inserted' })

  await Promise.all([1, 2, 3].map(() => storage.grants.listByUser(aGrantRecord().userId)))
  const later = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  const states = await Promise.all(later.map((client) => client.query('SHOW transaction_read_only')))
  for (const client of later) client.release()
  expect(states.flatMap(({ rows }) => rows as unknown[])).not.toContainEqual({ transaction_read_only: 'on' })
})

test('a node that only reads leaves a connection whose server has become read-only, and keeps the others', async () => {
  const pool = (await aMigratedDatabase()).pool({ max: 2 })
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  await readOnBoth(storage)
  const clients = await Promise.all([pool.connect(), pool.connect()])
  const before = clients.map(processOf)
  await clients[0]?.query('SET default_transaction_read_only = on')
  for (const client of clients) client.release()

  await readOnBoth(storage)

  const later = await Promise.all([pool.connect(), pool.connect()])
  const states = await Promise.all(later.map((client) => client.query('SHOW transaction_read_only')))
  for (const client of later) client.release()
  expect(states.flatMap(({ rows }) => rows as unknown[])).not.toContainEqual({ transaction_read_only: 'on' })
  expect(later.map(processOf).filter((id) => before.includes(id))).toEqual([before[1]])
})

test('repeats a read on another connection when the server reports with the answer that it has become read-only', async () => {
  const pool = (await aMigratedDatabase()).pool({ max: 1 })
  const served: unknown[] = []
  let isDemoted = false
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    const demoting = async (statement: PostgresStatement) => {
      if (statement.text.startsWith('select') && isDemoted) {
        isDemoted = false
        await query('SET default_transaction_read_only = on')
      }
      if (statement.text.startsWith('select')) served.push(processOf(client))
      return query({ ...statement })
    }
    Object.assign(client, { query: demoting })
  })
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  await storage.codes.insert(aCodeRecord())
  served.length = 0
  isDemoted = true

  expect(await storage.codes.find(digest, clientId, now)).toEqual(aCodeRecord())

  expect(new Set(served).size).toBe(2)
})

/** Lists, because lookups would be sent together on one connection. */
const readOnBoth = (storage: AdminStorage): Promise<unknown> =>
  Promise.all([1, 2].map(() => storage.grants.listByUser(aGrantRecord().userId)))

const processOf = (client: object): unknown => Reflect.get(client, 'processID')

test('retries a read whose answer is lost', async () => {
  const { storage, dropNextResponse } = await openLosingResponses()
  await storage.codes.insert(aCodeRecord())
  dropNextResponse('select')

  expect(await storage.codes.find(digest, clientId, now)).toEqual(aCodeRecord())
})

test('adds members once when the connection breaks during the transaction that adds them', async () => {
  const { storage, dropNextResponse } = await openLosingResponses()
  await storage.provisionedUsers.insert(aProvisionedUser('ada'))
  await storage.groups.insert(aGroup('staff'))
  dropNextResponse('insert into mintmark_group_members')

  const changed = await storage.groups.change(adding('user-ada'))

  expect(changed).toMatchObject({ outcome: 'swapped', record: { version: 2 } })
  expect([...(await storage.groups.membersOf(aGroup('staff').providerId, [aGroup('staff').groupId])).values()]).toEqual(
    [[{ memberId: 'user-ada', type: 'User' }]],
  )
})

test('reports an outage without a retry when the result of a commit is unknown', async () => {
  const { storage, dropNextResponse } = await openLosingResponses()
  await storage.provisionedUsers.insert(aProvisionedUser('ada'))
  await storage.groups.insert(aGroup('staff'))
  dropNextResponse('COMMIT')

  await expect(storage.groups.change(adding('user-ada'))).rejects.toBeInstanceOf(StorageUnavailableError)

  expect(await storage.groups.change(adding('user-ada'))).toMatchObject({
    outcome: 'unchanged',
    record: { version: 2 },
  })
})

test('reports an outage and writes nothing when a group is locked for too long', async () => {
  const database = await aMigratedDatabase()
  const storage = await open(database, {}, { timeoutMilliseconds: 1000 })
  await storage.provisionedUsers.insert(aProvisionedUser('ada'))
  await storage.groups.insert(aGroup('staff'))
  const other = await database.pool().connect()
  await other.query('BEGIN')
  await other.query('SELECT * FROM mintmark_groups FOR UPDATE')

  await expect(storage.groups.change(adding('user-ada'))).rejects.toBeInstanceOf(StorageUnavailableError)

  await other.query('ROLLBACK')
  other.release()
  expect(await storage.groups.change(adding('user-ada'))).toMatchObject({ outcome: 'swapped', record: { version: 2 } })
})

test('a transaction that waits for too long releases its locks', async () => {
  const database = await aMigratedDatabase()
  const storage = await open(database, {}, { timeoutMilliseconds: 1000 })
  for (const label of ['ada', 'grace']) await storage.provisionedUsers.insert(aProvisionedUser(label))
  await storage.groups.insert(aGroup('staff'))
  const other = await database.pool().connect()
  await other.query('BEGIN')
  await other.query(`SELECT * FROM mintmark_users WHERE user_id = 'user-ada' FOR UPDATE`)

  await expect(storage.groups.change(adding('user-ada'))).rejects.toBeInstanceOf(StorageUnavailableError)

  expect(await storage.groups.change(adding('user-grace'))).toMatchObject({
    outcome: 'swapped',
    record: { version: 2 },
  })
  await other.query('ROLLBACK')
  other.release()
})

test('replaces connections that the server has closed, without a wrong answer', async () => {
  const database = await aMigratedDatabase()
  const pool = database.pool()
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  await Promise.all([1, 2, 3].map(() => storage.users.find(aUser().userId)))

  await database.pool({ max: 1 }).query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')`,
  )

  expect(await storage.users.find(aUser().userId)).toBeUndefined()
  await expect(storage.users.insert(aUser())).resolves.toEqual({ outcome: 'inserted' })
})

test('a connection that the server closes as soon as it is made does not end the process', async () => {
  const pool = (await aMigratedDatabase()).pool()
  const ending: PostgresPool = {
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
    connect: (taken) =>
      pool.connect((error, client) => {
        taken(error, client)
        // The driver does this when one packet says that the connection is ready, and the next that the server shuts down.
        client?.emit('error', new Error('terminating connection due to administrator command'))
      }),
  }

  const storage = await createSqlStorage({ dialect: toPostgresDialect(ending), issuer })

  expect(await storage.users.find(aUser().userId)).toBeUndefined()
})

test('reports an outage after three attempts when no server is listening', async () => {
  const pool = new Pool({ connectionString: 'postgres://postgres@127.0.0.1:1/postgres' })
  onTestFinished(() => pool.end())
  let attempts = 0
  const counting: PostgresPool = {
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
    connect: (taken) => {
      attempts += 1
      pool.connect(taken)
    },
  }

  await expect(createSqlStorage({ dialect: toPostgresDialect(counting), issuer })).rejects.toBeInstanceOf(
    StorageUnavailableError,
  )
  expect(attempts).toBe(3)
})

test.for([
  ['lock_timeout', '55P03'],
  ['statement_timeout', '57014'],
] as const)(
  'a row that is locked for longer than %s is an outage, and nothing was written',
  async ([setting, code]) => {
    const database = await aMigratedDatabase()
    const storage = await open(database, { options: `${database.options} -c ${setting}=1000` })
    await storage.codes.insert(aCodeRecord())
    const other = await database.pool().connect()
    await other.query('BEGIN')
    await other.query('SELECT * FROM mintmark_codes FOR UPDATE')

    await expect(storage.codes.consume(digest, clientId, now)).rejects.toMatchObject({
      name: 'StorageUnavailableError',
      cause: { code },
    })

    await other.query('ROLLBACK')
    other.release()
    expect((await storage.codes.consume(digest, clientId, now)).outcome).toBe('won')
  },
)

test('reports at worst an outage for a conflict at the isolation level SERIALIZABLE (RFC 6749 §10.5)', async () => {
  const database = await aMigratedDatabase()
  const storage = await open(database, { options: `${database.options} -c default_transaction_isolation=serializable` })
  await storage.codes.insert(aCodeRecord())

  const results = await Promise.all(
    Array.from({ length: 8 }, () => storage.codes.consume(digest, clientId, now).catch(asOutage)),
  )

  const outcomes = results.map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1)
  expect(new Set(outcomes)).not.toContain('absent')
})

test('reports an outage even for a read when the server is a standby, whose rows may be old or be lost later', async () => {
  const database = await aMigratedDatabase()

  const opening = open(database, { options: `${database.options} -c default_transaction_read_only=on` })

  await expect(opening).rejects.toMatchObject({
    name: 'StorageUnavailableError',
    cause: { name: 'ReadOnlyServerError' },
  })
})

test('reports an outage when the pool has no free connection, and returns a connection that arrives too late', async () => {
  const database = await aMigratedDatabase()
  const pool = database.pool({ max: 1 })
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool, { timeoutMilliseconds: 1000 }), issuer })
  const taken = await pool.connect()

  await expect(storage.users.find(aUser().userId)).rejects.toBeInstanceOf(StorageUnavailableError)

  taken.release()
  expect(await storage.users.find(aUser().userId)).toBeUndefined()
  expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0])
})

test('reports an outage when the server does not answer, and closes the connection', async () => {
  const database = await aMigratedDatabase()
  const pool = database.pool()
  const storage = await open(database, {}, { timeoutMilliseconds: 1000 })
  await storage.codes.insert(aCodeRecord())
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT * FROM mintmark_codes FOR UPDATE')

  await expect(storage.codes.consume(digest, clientId, now)).rejects.toBeInstanceOf(StorageUnavailableError)

  await other.query('ROLLBACK')
  other.release()
})

test('cancels a statement whose caller has given up, and returns its connection to the pool', async () => {
  const database = await aMigratedDatabase()
  const pool = database.pool({ max: 2, application_name: 'late' })
  const dialect = toPostgresDialect(pool, { timeoutMilliseconds: 200 })
  const observer = database.pool({ max: 1 })
  const backends = async (): Promise<number> => {
    const { rows } = await observer.query(`SELECT FROM pg_stat_activity WHERE application_name = 'late'`)
    return rows.length
  }
  const counts: number[] = []

  for (let round = 0; round < 3; round += 1) {
    const late = await Promise.allSettled([
      dialect.all('SELECT pg_sleep(600)', []),
      dialect.all('SELECT pg_sleep(600)', [], { lifetime: 'passing' }),
    ])
    expect(late.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    counts.push(await backends())
  }

  expect(Math.max(...counts)).toBeLessThanOrEqual(2)
  // Both connections are free again: no statement is still sleeping.
  await expect.poll(() => pool.idleCount).toBe(pool.totalCount)
  const sleeping = await observer.query(
    `SELECT FROM pg_stat_activity WHERE application_name = 'late' AND state = 'active'`,
  )
  expect(sleeping.rows).toEqual([])
})

test('has at most one backend more than the pool when late statements occupy all of it, and cancels them', async () => {
  const database = await aMigratedDatabase()
  const pool = database.pool({ max: 2, application_name: 'all_late' })
  const dialect = toPostgresDialect(pool, { timeoutMilliseconds: 200 })
  const observer = database.pool({ max: 1 })
  const sleeping = async (): Promise<number> => {
    const { rows } = await observer.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'all_late' AND state = 'active'`,
    )
    return rows.length
  }
  const counts: number[] = []

  // Without a transaction, the server sets no time limit for these statements.
  for (let round = 0; round < 6; round += 1) {
    await Promise.allSettled([1, 2].map(() => dialect.all('SELECT pg_sleep(600)', [])))
    counts.push(await sleeping())
  }

  expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  await expect.poll(sleeping).toBe(0)
  expect(await dialect.all('SELECT 1 AS one', [])).toHaveLength(1)
})

test('ends a late statement that the cancellation has missed', async () => {
  const database = await aMigratedDatabase()
  const pool = database.pool({ max: 2, application_name: 'missed' })
  const observer = database.pool({ max: 1 })
  const running = async (): Promise<number> => {
    const { rows } = await observer.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'missed' AND state = 'active'`,
    )
    return rows.length
  }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (config: { text: string }) => unknown
    const missing = (config: { text: string }): unknown =>
      query({ ...config, text: config.text.replaceAll('pg_cancel_backend(id)', 'true') })
    Object.assign(client, { query: missing })
  })
  const dialect = toPostgresDialect(pool, { timeoutMilliseconds: 200 })

  await expect(dialect.all('SELECT pg_sleep(600)', [])).rejects.toBeInstanceOf(StorageUnavailableError)

  await expect.poll(running).toBe(0)
  expect(await dialect.all('SELECT 1 AS one', [])).toHaveLength(1)
})

test('reports an outage when the storage was closed or its pool was ended', async () => {
  const database = await aMigratedDatabase()
  const [first, second] = [toPostgresDialect(database.pool()), database.pool()]
  const closed = await createSqlStorage({ dialect: first, issuer })
  const ended = await createSqlStorage({ dialect: toPostgresDialect(second), issuer })

  await first.close()
  await second.end()

  await expect(closed.users.find(aUser().userId)).rejects.toBeInstanceOf(StorageUnavailableError)
  await expect(ended.users.insert(aUser())).rejects.toBeInstanceOf(StorageUnavailableError)
})

test('does not report a mistake in SQL as an outage of PostgreSQL', async () => {
  const dialect = toPostgresDialect((await aMigratedDatabase()).pool())

  for (const statement of ['SELECT x FROM nowhere', 'SELECT 1 / 0', 'SELEKT']) {
    const mistake = await dialect.all(statement, []).catch((error: unknown) => error)
    expect(mistake).toBeInstanceOf(Error)
    expect(mistake).not.toBeInstanceOf(StorageUnavailableError)
  }
})

test('reads back every string unchanged, including characters that PostgreSQL cannot store', async () => {
  const storage = await open(await aMigratedDatabase())
  const texts = ['\0', 'a\0b', '\u001A', '\u001A0', '\u001As', '\0\u001A\u001As0', '\u0001\u001F\u007F']

  for (const nonce of texts) {
    const code = aCodeRecord({ digest: `digest ${nonce}` as never, nonce })
    await storage.codes.insert(code)
    expect(await storage.codes.find(code.digest, clientId, now)).toEqual(code)
  }
  for (const text of texts) {
    expect(await storage.clients.find(text as never)).toBeUndefined()
    const client = aClientRecord({ clientId: text as never, clientName: text })
    expect(await storage.clients.insert(client)).toEqual({ outcome: 'inserted' })
    expect(await storage.clients.find(client.clientId)).toEqual(client)
    // Rows that are read together with the client are unchanged as well.
    const grant = aGrantRecord({ grantId: text as never, clientId: client.clientId })
    await storage.grants.insert(grant)
    const status = await storage.status.ofGrant(grant.grantId)
    expect(status).toMatchObject({ grant, client: { clientId: client.clientId } })
    expect(client).toMatchObject({ ...status?.client })
  }
})

/** A change that adds a member to the group `staff`. */
function adding(memberId: string): Parameters<AdminStorage['groups']['change']>[0] {
  const { providerId, groupId, createdAt } = aGroup('staff')
  const members = { kind: 'delta', add: [memberId], remove: [] } as const
  return { providerId, groupId, version: undefined, state: undefined, members, now: createdAt }
}

function asOutage(error: unknown): { readonly outcome: 'outage' } {
  if (error instanceof StorageUnavailableError) return { outcome: 'outage' }
  throw error
}

async function aMigratedDatabase(): Promise<TestDatabase> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const dialect = toPostgresDialect(database.pool({ max: 1 }), { migrate: 'on-open' })
  await createSqlStorage({ dialect, issuer })
  return database
}

async function open(
  database: TestDatabase,
  pool: PoolConfig = {},
  options: Parameters<typeof toPostgresDialect>[1] = {},
): Promise<AdminStorage> {
  return createSqlStorage({ dialect: toPostgresDialect(database.pool(pool), options), issuer })
}

/**
 * Opens a storage. `dropNextResponse` breaks its connection after the server has carried out the next statement with a
 * certain beginning.
 */
async function openLosingResponses(): Promise<{
  readonly storage: AdminStorage
  readonly dropNextResponse: (beginning: string) => void
}> {
  const pool = (await aMigratedDatabase()).pool()
  let due: string | undefined
  const breaking = changedPool(pool, (client) => async (statement) => {
    const answer = await client.query(statement)
    if (due === undefined || !statement.text.startsWith(due)) return answer
    due = undefined
    throw new Error('Connection terminated unexpectedly')
  })
  const storage = await createSqlStorage({ dialect: toPostgresDialect(breaking), issuer })
  return { storage, dropNextResponse: (beginning) => void (due = beginning) }
}
