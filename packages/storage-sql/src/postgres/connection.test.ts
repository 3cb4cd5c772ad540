import { expect, test } from 'vitest'

import { UniqueViolationError } from '../dialect.ts'
import { asStorageError, failureOf, type PostgresClient, watchConnections } from './connection.ts'

test.each([
  ['serialization_failure', '40001', 'conflict'],
  ['deadlock_detected', '40P01', 'conflict'],
  ['unique_violation', '23505', 'duplicate'],
  ['connection_failure', '08006', 'lost'],
  ['admin_shutdown', '57P01', 'lost'],
  ['read_only_sql_transaction', '25006', 'read_only'],
  ['undefined_table', '42P01', 'mistake'],
])('classifies %s (%s) as %s (PostgreSQL, appendix A)', (_, code, kind) => {
  expect(failureOf(Object.assign(new Error('refused'), { code }))).toBe(kind)
})

test.each([
  ['an error of the operating system', Object.assign(new Error('read ECONNRESET'), { syscall: 'read' }), 'lost'],
  ['a connection that broke', new Error('Connection terminated unexpectedly'), 'lost'],
  ['a time limit of the driver', new Error('Query read timeout'), 'lost'],
  [
    'a connection that had broken before',
    new Error('Client has encountered a connection error and is not queryable'),
    'unsent',
  ],
  ['an error of the driver about the statement', new TypeError('Cannot convert a value'), 'mistake'],
  ['an error of the driver with a code of its own', Object.assign(new Error('no'), { code: 'ERR_NO' }), 'mistake'],
  ['a value that is not an error', 'no', 'mistake'],
])('classifies %s', (_, thrown, failure) => {
  expect(failureOf(thrown)).toBe(failure)
})

test('reports a duplicate key as such', () => {
  const cause = new Error('duplicate key value violates unique constraint')

  expect(asStorageError('duplicate', cause)).toBeInstanceOf(UniqueViolationError)
  expect(asStorageError('duplicate', cause)).toMatchObject({ cause })
})

test('does not report a wrong statement as an outage', () => {
  const error = new Error('relation "nowhere" does not exist')

  expect(asStorageError('mistake', error)).toBe(error)
})

test.each([
  ['on', true],
  ['off', false],
] as const)('a connection whose server has transaction_read_only %s is outdated: %s', async (state, outdated) => {
  const watch = watchConnections()
  const client = aConnection({ state })

  await watch.inspect(client)

  expect([watch.isReadOnly(client), watch.isOutdated(client)]).toEqual([outdated, outdated])
})

test.each([
  ['the number of its server process', 7, false],
  ['another number', 8, true],
])('a connection that has %s is one to a pooler (%i, %s)', async (_, processID, hasPooler) => {
  const watch = watchConnections()
  const client = aConnection({ state: 'off', processID })

  await watch.inspect(client)

  expect(watch.hasPooler(client)).toBe(hasPooler)
})

const aConnection = ({ state, processID = 7 }: { state: 'on' | 'off'; processID?: number }): PostgresClient => ({
  processID,
  connection: { on: () => undefined },
  query: async () => ({ fields: [], rows: [[state, 7]] }),
  release: () => undefined,
  on: () => undefined,
  off: () => undefined,
})
