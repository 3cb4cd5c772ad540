#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { migrate, pendingMigrations } from './migrate.ts'
import { printMigrations } from './migration-script.ts'
import { SchemaMismatchError } from './schema-mismatch.ts'
import { sqlite } from './sqlite/sqlite-engine.ts'
import { sqliteFile } from './sqlite/sqlite-file.ts'

const usage = `mintmark-migrate print [--dialect sqlite]   prints the whole schema as SQL
mintmark-migrate apply --sqlite FILE        applies pending migrations; makes the file if it is not there
mintmark-migrate status --sqlite FILE       lists pending migrations; exit code 1 when there are any`

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!isExpected(error)) throw error
  console.error(error.message)
  process.exitCode = 2
}

async function run(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      dialect: { type: 'string', default: 'sqlite' },
      sqlite: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command, ...rest] = positionals
  if (values.help === true) return print(usage)
  if (rest.length > 0) return refuse(`Unexpected: ${rest.join(' ')}`)

  switch (command) {
    case 'print':
      return values.dialect === 'sqlite' ? print(printMigrations(sqlite)) : refuse(`Unknown dialect: ${values.dialect}`)
    case 'apply':
      return values.sqlite === undefined ? refuse('apply needs --sqlite FILE') : apply(values.sqlite)
    case 'status':
      return values.sqlite === undefined ? refuse('status needs --sqlite FILE') : status(values.sqlite)
    default:
      return refuse(command === undefined ? 'A command is missing' : `Unknown command: ${command}`)
  }
}

async function apply(file: string): Promise<number> {
  const dialect = sqliteFile(file)
  try {
    const applied = await migrate({ dialect })
    return print(applied.length === 0 ? 'Nothing to apply.' : applied.map((name) => `Applied ${name}.`).join('\n'))
  } finally {
    await dialect.close()
  }
}

async function status(file: string): Promise<number> {
  // Opening would make the file; a question changes nothing.
  if (file !== ':memory:' && !existsSync(file)) return refuse(`There is no file ${file}`)

  const dialect = sqliteFile(file)
  try {
    const pending = await pendingMigrations({ dialect })
    print(pending.length === 0 ? 'Up to date.' : pending.map((name) => `Pending: ${name}.`).join('\n'))
    return pending.length === 0 ? 0 : 1
  } finally {
    await dialect.close()
  }
}

function print(text: string): number {
  console.log(text.trimEnd())
  return 0
}

function refuse(reason: string): number {
  console.error(`${reason}\n\n${usage}`)
  return 2
}

function isExpected(error: unknown): error is Error {
  if (error instanceof SchemaMismatchError || error instanceof StorageUnavailableError) return true
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
