import {
  epochSeconds,
  groupId,
  providerId,
  StorageUnavailableError,
  userId,
  type AdminStorage,
} from '@mintmark/storage-interface'
import { aGroup, aGroupState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { PostgresClient } from '../src/postgres/connection.ts'
import { changedPool } from './support/changed-pool.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const provider = providerId('provider-1')
const issuer = 'https://as.example'
const now = epochSeconds(1_800_000_000)
const userOf = (label: string) => userId(`user-${label}`)

/** Operations that use transactions. A second run of an operation changes nothing. */
const operations: Readonly<Record<string, (storage: AdminStorage) => Promise<unknown>>> = {
  'a new group with members': ({ groups }) =>
    groups.insert(aGroup('new', { memberIds: [userOf('a'), userOf('b'), 'group-inner'] })),
  'a replacement of members': ({ groups }) =>
    groups.change({
      ...ofStaff,
      version: undefined,
      state: undefined,
      members: { kind: 'replace', memberIds: [userOf('b'), 'group-inner'] },
    }),
  'a change of members and name': ({ groups }) =>
    groups.change({
      ...ofStaff,
      version: 1,
      state: aGroupState('other'),
      members: { kind: 'delta', add: [userOf('b')], remove: [userOf('a')] },
    }),
  'the removal of a group': ({ groups }) => groups.remove({ ...ofStaff, version: undefined }),
}
const ofStaff = { providerId: provider, groupId: groupId('group-staff'), now }

/**
 * The positions of BEGIN, four or five statements, and COMMIT. A cut before a statement is the same as a cut after the previous
 * one, except for COMMIT.
 */
const positions = Array.from({ length: 7 }, (_, index) => index)
const cuts = [
  ...positions.map((position) => ({ position, when: 'after' }) as const),
  ...positions.slice(5).map((position) => ({ position, when: 'before' }) as const),
]

test.for(Object.entries(operations))(
  'law: %s on PostgreSQL is written completely or not at all when the connection is cut between any two statements',
  async ([, operation]) => {
    const database = await aMigratedDatabase()
    onTestFinished(() => database.remove())
    const pools = { pool: database.pool({ max: 8 }), observer: database.pool({ max: 2 }) }
    const dialect = toPostgresDialect(pools.pool)
    await createSqlStorage({ dialect, issuer: 'any' })

    const outcomes = await Promise.all(cuts.map((cut) => outcomeOf(operation, cut, { ...pools, dialect })))

    expect(outcomes.filter(({ isWhole }) => !isWhole)).toEqual([])
    // Every attempt is cut. Only a commit whose confirmation was lost has written the change.
    const broken = outcomes.filter(({ isAnswered }) => !isAnswered)
    expect(broken.length).toBeGreaterThanOrEqual(7)
    expect(broken.filter(({ isDone }) => isDone).map(({ cut: { when } }) => when)).toEqual(['after'])
  },
)

test('leaves no transaction open on a connection when the statement that begins it is cancelled', async () => {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool({ max: 1 })
  await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  const cancelled = await createSqlStorage({ dialect: toPostgresDialect(cancelling(pool)), issuer })
  const sound = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })

  await sound.groups.insert(aGroup('staff'))

  await expect(cancelled.groups.remove({ ...ofStaff, version: undefined })).rejects.toBeInstanceOf(
    StorageUnavailableError,
  )

  expect(await sound.groups.find(provider, ofStaff.groupId)).toMatchObject({ groupId: 'group-staff' })
  expect(await sound.groups.remove({ ...ofStaff, version: undefined })).toEqual({ outcome: 'removed' })
})

test('sends nothing more on a connection whose last statement was not answered in time', async () => {
  const sent: string[][] = []
  const connect: PostgresPool['connect'] = (taken) => {
    const texts: string[] = []
    sent.push(texts)
    const query: PostgresClient['query'] = ({ text }) =>
      texts.push(text) === 2 ? new Promise(() => {}) : Promise.resolve({ fields: [], rows: [] })
    taken(undefined, { on: () => {}, off: () => {}, release: () => {}, query })
  }
  const dialect = toPostgresDialect({ on: () => {}, off: () => {}, connect }, { timeoutMilliseconds: 20 })

  const written = dialect.transact([{ statement: 'SELECT 1', parameters: [], role: 'step' }])

  await expect(written).rejects.toBeInstanceOf(StorageUnavailableError)
  expect(sent[0]).toEqual([expect.stringContaining('BEGIN'), 'SELECT 1'])
})

type Cut = (typeof cuts)[number]

/** The observer reads rows and ends connections. It has a separate pool, so that it does not wait for the others. */
interface Pools {
  readonly pool: Pool
  readonly observer: Pool
}

/** Runs the operation for a separate issuer, on connections that are cut, and then again on a sound connection. */
async function outcomeOf(
  operation: (storage: AdminStorage) => Promise<unknown>,
  cut: Cut,
  { dialect, ...pools }: Pools & { readonly dialect: SqlDialect },
) {
  const { observer } = pools
  const issuer = `https://${cut.when}-${cut.position}.example`
  const sound = await createSqlStorage({ dialect, issuer })
  const cutDialect = toPostgresDialect(cutting(pools, cut))
  const breaking = await createSqlStorage({ dialect: cutDialect, issuer })
  for (const label of ['a', 'b']) await sound.provisionedUsers.insert(aProvisionedUser(label))
  await sound.groups.insert(aGroup('inner'))
  await sound.groups.insert(aGroup('staff', { memberIds: [userOf('a')] }))
  await sound.groups.insert(aGroup('outer', { memberIds: ['group-staff'] }))

  const before = await rowsOf(observer, issuer)
  const isAnswered = await operation(breaking).then(
    () => true,
    () => false,
  )
  await cutDialect.close()
  const found = await rowsOf(observer, issuer)
  await operation(sound)
  const after = await rowsOf(observer, issuer)

  const isDone = found === after
  return { cut, isAnswered, isDone, isWhole: isDone || (!isAnswered && found === before) }
}

/** Returns all rows about the groups of an issuer, as JSON. */
async function rowsOf(pool: Pool, issuer: string): Promise<string> {
  const tables = ['mintmark_groups', 'mintmark_group_members', 'mintmark_provider_totals']
  const found = tables.map((table) =>
    pool.query<{ readonly row: unknown }>(
      `SELECT to_jsonb(found) AS row FROM ${table} AS found WHERE issuer = $1 ORDER BY to_jsonb(found)::text`,
      [issuer],
    ),
  )
  return JSON.stringify((await Promise.all(found)).map(({ rows }) => rows))
}

/** A pool where each statement that begins a transaction is cancelled, as an operator could do. */
const cancelling = (pool: Pool): PostgresPool =>
  changedPool(pool, (client) => async (statement) => {
    const cancel = statement.text.startsWith('BEGIN') ? '; SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)' : ''
    return client.query({ ...statement, text: statement.text + cancel })
  })

/** A pool whose connections the server ends at the position of the cut, in every transaction. */
function cutting({ pool, observer }: Pools, { position, when }: Cut): PostgresPool {
  return changedPool(pool, (client) => {
    let next = positions.length
    return async (statement) => {
      if (statement.text.startsWith('BEGIN')) next = 0
      const isDue = next === position
      next += 1
      if (!isDue) return client.query(statement)

      const { rows } = await client.query({ text: 'SELECT pg_backend_pid()', rowMode: 'array' })
      const end = () => observer.query('SELECT pg_terminate_backend($1, 5000)', rows[0] as unknown[])
      if (when === 'before') await end()
      await client.query(statement)
      await end()
      // The error of the driver when it waits for a result.
      throw new Error('Connection terminated unexpectedly')
    }
  })
}
