import { expect, test } from 'vitest'

import { UniqueViolationError } from '../dialect.ts'
import { asStorageError, failureOf, type PostgresClient, watchPrimary } from './connection.ts'

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

test('a connection that was read-only from its beginning is used for a second, because its address may lead elsewhere then', async () => {
  let now = 5000
  const watch = watchPrimary(() => now)
  const [standby, primary] = [aConnection('on'), aConnection('off')]
  await watch.inspect(primary)
  await watch.inspect(standby)

  now += 999
  expect([standby, primary].map((client) => watch.isOutdated(client))).toEqual([false, false])
  now += 1
  expect([standby, primary].map((client) => watch.isOutdated(client))).toEqual([true, false])
  expect([standby, primary].map((client) => watch.hasBecomeReadOnly(client))).toEqual([false, false])
})

test('a connection that is read-only is outdated as soon as a later one is not', async () => {
  const watch = watchPrimary(() => 0)
  const [standby, other, primary] = [aConnection('on'), aConnection('on'), aConnection('off')]
  await watch.inspect(standby)
  await watch.inspect(other)
  expect([standby, other].map((client) => watch.isOutdated(client))).toEqual([false, false])

  await watch.inspect(primary)

  expect([standby, other, primary].map((client) => watch.isOutdated(client))).toEqual([true, true, false])
})

const aConnection = (state: 'on' | 'off'): PostgresClient => ({
  connection: { on: () => undefined },
  query: async () => ({ fields: [], rows: [[state]] }),
  release: () => undefined,
  on: () => undefined,
  off: () => undefined,
})
