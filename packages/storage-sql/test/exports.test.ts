import * as sql from '@mintmark/storage-sql'
import * as command from '@mintmark/storage-sql/command'
import * as postgres from '@mintmark/storage-sql/postgres'
import * as sqlite from '@mintmark/storage-sql/sqlite'
import { expect, test } from 'vitest'

test('the public names are these, and no others by surprise', () => {
  expect(Object.keys(sql)).toMatchInlineSnapshot(`
    [
      "SchemaMismatchError",
      "UniqueViolation",
      "createSqlStorage",
      "migrate",
      "pendingMigrations",
      "printMigrations",
    ]
  `)
  expect(Object.keys(postgres)).toMatchInlineSnapshot(`
    [
      "postgres",
      "postgresPool",
    ]
  `)
  expect(Object.keys(sqlite)).toMatchInlineSnapshot(`
    [
      "sqlite",
      "sqliteFile",
    ]
  `)
  expect(Object.keys(command)).toMatchInlineSnapshot(`
    [
      "CommandRefused",
      "openTarget",
    ]
  `)
})
