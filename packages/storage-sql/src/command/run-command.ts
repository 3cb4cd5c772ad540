import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { type CopiedTable, copyToPostgres } from './copy-to-postgres.ts'
import { openMariadb } from './mariadb-target.ts'
import { MigrateCommandError, openPostgres, openTarget, type CommandTarget } from './target.ts'
import { migrate, pendingMigrations, printMigrations, SchemaMismatchError } from '../migrate.ts'
import { postgres } from '../postgres/engine.ts'
import { sqlite } from '../sqlite/engine.ts'

/**
 * Runs `mintmark-migrate`.
 * @param args the arguments after the command's name.
 * @returns the exit code: 0 done, 1 migrations are pending, 2 failed.
 */
export async function runMigrateCommand(args: readonly string[]): Promise<number> {
  try {
    return await run(args)
  } catch (error) {
    console.error(sentenceOf(error))
    return 2
  }
}

async function run(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      dialect: { type: 'string', default: 'sqlite' },
      sqlite: { type: 'string' },
      postgres: { type: 'string' },
      mariadb: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command, ...rest] = positionals
  if (values.help === true) return print(migrateUsage)
  if (rest.length > 0) throw new MigrateCommandError(`Unexpected arguments: ${rest.join(' ')}`)

  switch (command) {
    case 'print':
      return print(printMigrations(engineOf(values.dialect)))
    case 'apply':
      return using(await open(values, 'apply'), apply)
    case 'status':
      return using(await open(values, 'status'), status)
    case 'copy':
      return copy(values)
    default:
      throw new MigrateCommandError(command === undefined ? 'A command is missing' : `Unknown command: ${command}`)
  }
}

/** Opens the one database that the options name. */
function open(
  { mariadb, ...others }: Readonly<Partial<Record<'sqlite' | 'postgres' | 'mariadb', string>>>,
  command: 'apply' | 'status',
): Promise<CommandTarget> {
  if (mariadb === undefined) return openTarget(others, command, migrateCommand)
  if (others.sqlite !== undefined || others.postgres !== undefined)
    throw new MigrateCommandError(`${command} needs one database`)
  return openMariadb(mariadb)
}

async function apply({ dialect }: CommandTarget): Promise<number> {
  const applied = await migrate({ dialect })
  return print(applied.length === 0 ? 'Nothing to apply.' : applied.map((name) => `Applied ${name}.`).join('\n'))
}

async function status({ dialect }: CommandTarget): Promise<number> {
  const pending = await pendingMigrations({ dialect })
  print(pending.length === 0 ? 'Up to date.' : pending.map((name) => `Pending: ${name}.`).join('\n'))
  return pending.length === 0 ? 0 : 1
}

async function copy({ sqlite, postgres }: { readonly sqlite?: string; readonly postgres?: string }): Promise<number> {
  if (sqlite === undefined || postgres === undefined)
    throw new MigrateCommandError('copy needs --sqlite FILE and --postgres URL')
  const tables = await copyDatabase({ sqlite, postgres })
  return print(tables.map(({ name, rows }) => `Copied ${rows} rows of ${name}.`).join('\n'))
}

/**
 * Copies all tables of an SQLite file to an empty PostgreSQL database.
 * @throws MigrateCommandError when the file is in use, or one of the two databases does not have the current schema.
 */
export async function copyDatabase({
  sqlite: file,
  postgres: url,
}: {
  readonly sqlite: string
  readonly postgres: string
}): Promise<readonly CopiedTable[]> {
  const pending = await using(await openTarget({ sqlite: file }, 'status', migrateCommand), isBehind)
  // The last process to close a file removes its write-ahead log: if it is still there, another process has the file
  // open.
  if (existsSync(`${file}-wal`))
    throw new MigrateCommandError(
      `Another process has ${file} open: stop every server and every job that uses it first`,
    )
  const target = await openPostgres(url)
  return using(target, async () => {
    if (pending || (await isBehind(target)))
      throw new MigrateCommandError('Both databases must have the current schema: run apply on each of them first')
    return copyToPostgres({ file, pool: target.pool })
  })
}

async function isBehind({ dialect }: CommandTarget): Promise<boolean> {
  const pending = await pendingMigrations({ dialect })
  return pending.length > 0
}

async function using<T>(target: CommandTarget, work: (target: CommandTarget) => Promise<T>): Promise<T> {
  try {
    return await work(target)
  } finally {
    await target.close()
  }
}

function engineOf(name: string): typeof sqlite {
  const engine = [sqlite, postgres].find((each) => each.name === name)
  if (engine === undefined) throw new MigrateCommandError(`Unknown dialect: ${name}`)
  return engine
}

function print(text: string): number {
  console.log(text.trimEnd())
  return 0
}

/** Returns the message of an expected error, and rethrows any other error. */
function sentenceOf(error: unknown): string {
  if (error instanceof MigrateCommandError) return `${error.message}\n\n${migrateUsage}`
  const refusal = privilegeRefusal(error)
  if (refusal !== undefined) return refusal
  if (error instanceof SchemaMismatchError || error instanceof StorageUnavailableError) return error.message
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return error.message
  throw error
}

const migrateCommand = 'mintmark-migrate apply'

/** The output of `mintmark-migrate --help`. */
export const migrateUsage = `mintmark-migrate print [--dialect sqlite|postgres]       prints the whole schema as SQL
mintmark-migrate apply --sqlite FILE | --postgres URL    applies pending migrations; creates the file if it does not exist
mintmark-migrate status --sqlite FILE | --postgres URL   lists pending migrations; exit code 1 when there are any
mintmark-migrate apply|status --mariadb URL              the same for MariaDB
mintmark-migrate copy --sqlite FILE --postgres URL       copies everything in the file to an empty database; stop all servers first

Every user of the machine can see the arguments of a process: leave the password out of the URL, and set PGPASSWORD or MYSQL_PWD.`

/**
 * Returns a sentence that says which permission the PostgreSQL user lacks, and which user to use instead; `undefined` for
 * every error except SQLSTATE 42501, insufficient_privilege.
 */
export function privilegeRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === '42501')) return undefined
  return `The PostgreSQL user lacks a permission (${error.message}): use the user that owns the database and its tables.`
}
