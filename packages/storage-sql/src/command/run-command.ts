import { parseArgs } from 'node:util'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { copyDatabase } from './copy/copy-database.ts'
import { MigrateCommandError } from './migrate-command-error.ts'
import { privilegeRefusal } from './privilege-refusal.ts'
import { openTarget, using, type CommandTarget } from './target.ts'
import { mariadb } from '../mariadb/engine.ts'
import { UnsupportedServerError } from '../mariadb/session.ts'
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
      from: { type: 'string' },
      to: { type: 'string' },
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
      return using(await openTarget(values, 'apply', migrateCommand), apply)
    case 'status':
      return using(await openTarget(values, 'status', migrateCommand), status)
    case 'copy':
      return copy(values)
    default:
      throw new MigrateCommandError(command === undefined ? 'A command is missing' : `Unknown command: ${command}`)
  }
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

async function copy({ from, to }: { readonly from?: string; readonly to?: string }): Promise<number> {
  if (from === undefined || to === undefined)
    throw new MigrateCommandError('copy needs --from DATABASE and --to DATABASE')
  const tables = await copyDatabase({ from, to })
  return print(tables.map(({ name, rows }) => `Copied ${rows} rows of ${name}.`).join('\n'))
}

function engineOf(name: string): typeof sqlite {
  const engine = [sqlite, postgres, mariadb].find((each) => each.name === name)
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
  if (
    error instanceof SchemaMismatchError ||
    error instanceof StorageUnavailableError ||
    error instanceof UnsupportedServerError
  )
    return error.message
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return error.message
  throw error
}

const migrateCommand = 'mintmark-migrate apply'

/** The output of `mintmark-migrate --help`. */
export const migrateUsage = `mintmark-migrate print [--dialect sqlite|postgres|mariadb]  prints the whole schema as SQL
mintmark-migrate apply DATABASE     applies pending migrations; creates the file if it does not exist
mintmark-migrate status DATABASE    lists pending migrations; exit code 1 when there are any
mintmark-migrate copy --from NAME --to NAME
                                    copies everything to an empty database; stop all servers first

DATABASE is --sqlite FILE, --postgres URL or --mariadb URL. NAME is a file or a URL.
URLs look like postgres://user@host:5432/database and mariadb://user@host:3306/database?ssl-mode=VERIFY_IDENTITY.

Every user of the machine can see the arguments of a process: leave the password out of the URL, and set PGPASSWORD or MYSQL_PWD.`
