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
import { aDatabase } from './support/postgres-of-the-run.ts'

const provider = providerId('provider-1')
const issuer = 'https://as.example'
const now = epochSeconds(1_800_000_000)
const person = (label: string) => userId(`user-${label}`)

/** What is done in transactions. Done a second time, none of them changes anything. */
const deeds: Readonly<Record<string, (storage: AdminStorage) => Promise<unknown>>> = {
  'a group with members': ({ groups }) =>
    groups.insert(aGroup('new', { memberIds: [person('a'), person('b'), 'group-inner'] })),
  'members for others': ({ groups }) =>
    groups.change({
      ...ofStaff,
      version: undefined,
      state: undefined,
      members: { kind: 'replace', memberIds: [person('b'), 'group-inner'] },
    }),
  'members and a name': ({ groups }) =>
    groups.change({
      ...ofStaff,
      version: 1,
      state: aGroupState('other'),
      members: { kind: 'delta', add: [person('b')], remove: [person('a')] },
    }),
  'the end of a group': ({ groups }) => groups.remove({ ...ofStaff, version: undefined }),
}
const ofStaff = { providerId: provider, groupId: groupId('group-staff'), now }

/** BEGIN, four or five statements, COMMIT. A cut before a statement is one after that which came before it, but for COMMIT. */
const places = Array.from({ length: 7 }, (_, index) => index)
const cuts = [
  ...places.map((place) => ({ place, when: 'after' }) as const),
  ...places.slice(5).map((place) => ({ place, when: 'before' }) as const),
]

test.for(Object.entries(deeds))(
  'law: %s on PostgreSQL is written as a whole or not at all when the connection is cut between any two statements',
  async ([, deed]) => {
    const database = await aDatabase()
    onTestFinished(() => database.remove())
    const pools = { pool: database.pool({ max: 8 }), onlooker: database.pool({ max: 2 }) }
    const dialect = toPostgresDialect(pools.pool, { migrate: 'on-open' })
    await createSqlStorage({ dialect, issuer: 'any' })

    const outcomes = await Promise.all(cuts.map((cut) => outcomeOf(deed, cut, { ...pools, dialect })))

    expect(outcomes.filter(({ isWhole }) => !isWhole)).toEqual([])
    // It is tried again, and cut again, but for the end that nobody heard of: then it is done.
    const broken = outcomes.filter(({ isAnswered }) => !isAnswered)
    expect(broken.length).toBeGreaterThanOrEqual(7)
    expect(broken.filter(({ isDone }) => isDone).map(({ cut: { when } }) => when)).toEqual(['after'])
  },
)

test('a transaction that is cancelled while it begins leaves its connection clean', async () => {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool({ max: 1 })
  await createSqlStorage({ dialect: toPostgresDialect(pool, { migrate: 'on-open' }), issuer })
  const cancelled = await createSqlStorage({ dialect: toPostgresDialect(cancelling(pool)), issuer })
  const sound = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })

  await sound.groups.insert(aGroup('staff'))

  await expect(cancelled.groups.remove({ ...ofStaff, version: undefined })).rejects.toBeInstanceOf(
    StorageUnavailableError,
  )

  expect(await sound.groups.find(provider, ofStaff.groupId)).toMatchObject({ groupId: 'group-staff' })
  expect(await sound.groups.remove({ ...ofStaff, version: undefined })).toEqual({ outcome: 'removed' })
})

type Cut = (typeof cuts)[number]

/** Who looks on, and ends connections, does not wait for those that are at work. */
interface Pools {
  readonly pool: Pool
  readonly onlooker: Pool
}

/** Does the deed for an issuer of its own, on connections that are cut, and then again on a sound one. */
async function outcomeOf(
  deed: (storage: AdminStorage) => Promise<unknown>,
  cut: Cut,
  { dialect, ...pools }: Pools & { readonly dialect: SqlDialect },
) {
  const { onlooker } = pools
  const issuer = `https://${cut.when}-${cut.place}.example`
  const sound = await createSqlStorage({ dialect, issuer })
  const cutDialect = toPostgresDialect(cutting(pools, cut))
  const breaking = await createSqlStorage({ dialect: cutDialect, issuer })
  for (const label of ['a', 'b']) await sound.provisionedUsers.insert(aProvisionedUser(label))
  await sound.groups.insert(aGroup('inner'))
  await sound.groups.insert(aGroup('staff', { memberIds: [person('a')] }))
  await sound.groups.insert(aGroup('outer', { memberIds: ['group-staff'] }))

  const before = await rowsOf(onlooker, issuer)
  const isAnswered = await deed(breaking).then(
    () => true,
    () => false,
  )
  await cutDialect.close()
  const found = await rowsOf(onlooker, issuer)
  await deed(sound)
  const after = await rowsOf(onlooker, issuer)

  const isDone = found === after
  return { cut, isAnswered, isDone, isWhole: isDone || (!isAnswered && found === before) }
}

/** All that an issuer's groups are, as text. */
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

/** A pool whose statements are cancelled, as by an operator, right after what begins a transaction. */
const cancelling = (pool: Pool): PostgresPool =>
  changing(pool, (client) => async (statement) => {
    const cancel = statement.text.startsWith('BEGIN') ? '; SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)' : ''
    return client.query({ ...statement, text: statement.text + cancel })
  })

/** A pool whose connections are ended by the server at the place in a transaction, however often it is begun. */
function cutting({ pool, onlooker }: Pools, { place, when }: Cut): PostgresPool {
  return changing(pool, (client) => {
    let next = places.length
    return async (statement) => {
      if (statement.text.startsWith('BEGIN')) next = 0
      const isDue = next === place
      next += 1
      if (!isDue) return client.query(statement)

      const { rows } = await client.query({ text: 'SELECT pg_backend_pid()', rowMode: 'array' })
      const end = () => onlooker.query('SELECT pg_terminate_backend($1, 5000)', rows[0] as unknown[])
      if (when === 'before') await end()
      await client.query(statement)
      await end()
      // What the driver says when it waits for the answer.
      throw new Error('Connection terminated unexpectedly')
    }
  })
}

/** The pool, with another `query` for each connection that is taken. */
function changing(pool: Pool, queryOf: (client: PostgresClient) => PostgresClient['query']): PostgresPool {
  const changed = (client: PostgresClient): PostgresClient => ({
    on: (event, listener) => client.on(event, listener),
    off: (event, listener) => client.off(event, listener),
    release: (end) => client.release(end),
    query: queryOf(client),
  })
  return {
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
    connect: (taken) =>
      pool.connect((error, client) =>
        client === undefined ? taken(error, undefined) : taken(undefined, changed(client)),
      ),
  }
}
