import { expect, test } from 'vitest'

import { asStorageError, failureOf } from './connection.ts'

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

test('does not report a wrong statement as an outage', () => {
  const error = new Error('relation "nowhere" does not exist')

  expect(asStorageError('mistake', error)).toBe(error)
})
