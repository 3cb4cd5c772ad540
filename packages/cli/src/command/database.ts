import { resolve } from 'node:path'

import { migrate } from '@mintmark/storage-sql'
import { copyDatabase, pendingMigrations, printMigrations } from '@mintmark/storage-sql/command'
import { mariadb } from '@mintmark/storage-sql/mariadb'
import { postgres } from '@mintmark/storage-sql/postgres'
import { sqlite } from '@mintmark/storage-sql/sqlite'
import { Command, Option } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import { type OpenedConfig, requireDatabase, withDialect, withStorage } from '../config/open-storage.ts'
import {
  addressesOf,
  type ConfigOptions,
  readSettings,
  requireNoPassword,
  requireOneDatabase,
  withConfig,
  withDatabase,
} from '../config/settings.ts'
import type { Io } from '../io.ts'
import { showOutcome, type ShowOptions } from '../show.ts'
import { parseCount } from './options.ts'

type MigrateOptions = ConfigOptions & ShowOptions

/** Creates `mintmark migrate`, which manages the schema of the database. */
export const migrateCommand = (io: Io): Command =>
  new Command('migrate')
    .description('manages the schema of the database')
    .addCommand(
      withDatabase(new Command('list'))
        .description('lists the pending migrations; the exit code is 1 if there are any')
        .option('--json', 'print JSON')
        .action((options: MigrateOptions) => list(options, io)),
    )
    .addCommand(
      withDatabase(new Command('apply'))
        .description('applies the pending migrations; creates the SQLite file if it does not exist')
        .option('--json', 'print JSON')
        .action((options: MigrateOptions) => apply(options, io)),
    )
    .addCommand(
      new Command('copy')
        .description('copies everything to an empty database, of any engine; stop all servers first')
        .requiredOption('--from <database>', 'an SQLite file, or a URL of PostgreSQL or MariaDB without a password')
        .option('--to <database>', 'the same; default: MINTMARK_POSTGRES, MINTMARK_MARIADB or MINTMARK_SQLITE')
        .option('--json', 'print JSON')
        .action((options: CopyOptions) => copy(options, io)),
    )
    .addCommand(
      new Command('print')
        .description('prints the complete schema as SQL')
        .addOption(new Option('--dialect <name>').choices(Object.keys(engines)).default('sqlite'))
        .action(({ dialect }: { readonly dialect: keyof typeof engines }) =>
          io.out(printMigrations(engines[dialect]).trimEnd()),
        ),
    )

async function list(options: MigrateOptions, io: Io): Promise<void> {
  const address = requireDatabase(await readSettings(options, io))
  const pending = await withDialect(address, 'status', (dialect) => pendingMigrations({ dialect }))
  showNames(pending, { ...options, io, none: 'Up to date.', verb: 'Pending' })
  if (pending.length > 0) throw new CommandError(`${pending.length} pending: run mintmark migrate apply.`)
}

async function apply(options: MigrateOptions, io: Io): Promise<void> {
  const address = requireDatabase(await readSettings(options, io))
  const applied = await withDialect(address, 'apply', (dialect) => migrate({ dialect }))
  showNames(applied, { ...options, io, none: 'Nothing to apply.', verb: 'Applied' })
}

interface CopyOptions extends ShowOptions {
  readonly from: string
  readonly to?: string
}

async function copy({ from, to, json }: CopyOptions, io: Io): Promise<void> {
  requireNoPassword(from, '--from')
  requireNoPassword(to, '--to')
  const named = addressesOf(io.env)
  requireOneDatabase(to === undefined ? named : {})
  const target = to ?? named.postgres ?? named.mariadb ?? named.sqlite
  if (target === undefined) throw new UsageError('No target database is given. Use --to DATABASE or MINTMARK_POSTGRES.')
  const tables = await copyDatabase({ from: absolute(from, io), to: absolute(target, io) })
  if (json === true) io.out(JSON.stringify(tables, undefined, 2))
  else for (const { name, rows } of tables) io.out(`Copied ${rows} rows of ${name}.`)
}

const absolute = (database: string, { cwd }: Io): string => (URL.canParse(database) ? database : resolve(cwd, database))

interface NameListOptions extends ShowOptions {
  readonly io: Io
  readonly none: string
  readonly verb: string
}

function showNames(names: readonly string[], { json, io, none, verb }: NameListOptions): void {
  if (json === true) return io.out(JSON.stringify(names))
  for (const name of names) io.out(`${verb}: ${name}`)
  if (names.length === 0) io.out(none)
}

const engines = { sqlite, postgres, mariadb }

interface PurgeOptions extends MigrateOptions {
  readonly batch: number
}

/** Creates `mintmark purge`, which deletes expired rows. */
export const purgeCommand = (io: Io): Command =>
  withConfig(new Command('purge'))
    .description('deletes expired rows in batches; it can be interrupted and repeated at any time')
    .option('--batch <rows>', 'the number of rows in a batch', parseCount, 1000)
    .option('--json', 'print JSON')
    .action((options: PurgeOptions) => withStorage(options, io, ({ storage }) => purge(storage, options, io)))

async function purge(
  { purge }: Pick<OpenedConfig['storage'], 'purge'>,
  { batch, json }: PurgeOptions,
  io: Io,
): Promise<void> {
  let total = 0
  for (let done = false; !done;) {
    const outcome = await purge.purgeExpired({ now: io.clock(), limit: batch })
    total += outcome.removed
    done = outcome.done
    io.progress?.(done ? '' : `${total} rows removed …`)
  }
  const sentence = `Removed ${total} ${total === 1 ? 'row' : 'rows'}.`
  showOutcome({ removed: total }, { ...(json && { json }), io, sentence })
}
