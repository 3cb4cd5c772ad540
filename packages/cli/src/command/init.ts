import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'

import { randomSecret, systemRandom } from '@mintmark/internal'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { Command } from 'commander'

import { CommandError } from '../command-error.ts'
import type { Io } from '../io.ts'
import type { ShowOptions } from '../show.ts'
import { requireDatabase, withDialect } from '../config/open-storage.ts'
import {
  type ConfigFile,
  checkIssuer,
  configFileName,
  isFilePresent,
  readSettings,
  requireNoPasswords,
  requireOneDatabase,
} from '../config/settings.ts'

interface InitOptions extends ShowOptions {
  readonly issuer: string
  readonly sqlite?: string
  readonly postgres?: string
  readonly mariadb?: string
}

/**
 * Creates `mintmark init`, which writes a configuration, and a sealing key unless one exists. It overwrites no file.
 */
export const initCommand = (io: Io): Command =>
  new Command('init')
    .description(`writes ${configFileName}, and a sealing key in a file that only you can read`)
    .requiredOption('--issuer <url>', 'the URL of the authorization server')
    .option('--sqlite <file>', 'the SQLite database; default: mintmark.db')
    .option('--postgres <url>', 'the PostgreSQL database, without a password')
    .option('--mariadb <url>', 'the MariaDB database, without a password')
    .option('--json', 'print JSON')
    .action((options: InitOptions) => init(options, io))

async function init({ issuer, json, ...names }: InitOptions, io: Io): Promise<void> {
  checkIssuer(issuer)
  requireNoPasswords(names)
  requireOneDatabase(names)
  const database =
    names.postgres === undefined && names.mariadb === undefined ? { sqlite: 'mintmark.db', ...names } : names

  const isSealingKeySet =
    io.env['MINTMARK_SEALING_KEY'] !== undefined || io.env['MINTMARK_SEALING_KEY_FILE'] !== undefined
  const needsSealingKey = !isSealingKeySet && (await hasSigningKeys({ issuer, ...database }, io))
  const sealingKeyExists = isSealingKeySet || needsSealingKey
  const config: ConfigFile = {
    issuer,
    ...database,
    ...(!sealingKeyExists && { sealingKeyFile }),
  }
  await writeNew(configFileName, `${JSON.stringify(config, undefined, 2)}\n`, io)
  const hasCreatedKey = !sealingKeyExists && (await createSealingKey(io))
  if (json === true) {
    const written = [configFileName, ...(hasCreatedKey ? [sealingKeyFile] : [])]
    return io.out(JSON.stringify({ written, needsSealingKey }, undefined, 2))
  }
  io.out(`Wrote ${configFileName}.`)
  if (hasCreatedKey) io.out(`Wrote ${sealingKeyFile}: keep it secret, keep a copy, and keep it out of version control.`)
  if (needsSealingKey)
    io.out(
      'The database already contains signing keys. Set MINTMARK_SEALING_KEY to the sealing key of the server, or MINTMARK_SEALING_KEY_FILE to the file that contains it.',
    )
  io.out('Next: mintmark migrate apply')
}

/**
 * Whether the database contains signing keys of this issuer. If it does, a new sealing key must not be created, because it
 * cannot open these signing keys.
 * @throws StorageUnavailableError when the database does not answer.
 */
async function hasSigningKeys(options: InitOptions, io: Io): Promise<boolean> {
  const { issuer } = options
  const { database } = await readSettings(options, io)
  if (database?.sqlite !== undefined && !existsSync(database.sqlite)) return false
  return withDialect(requireDatabase({ database }), 'status', async (dialect) => {
    // Fails if the database cannot be reached.
    await dialect.all('SELECT 1', [])
    try {
      const rows = await dialect.all('SELECT issuer FROM mintmark_signing_keys', [])
      return rows.some(({ values }) => values.includes(issuer))
    } catch (error) {
      if (error instanceof StorageUnavailableError) throw error
      // Without the table there are no keys.
      return false
    }
  })
}

/** @throws CommandError when the file exists. */
async function writeNew(name: string, text: string, { cwd }: Io): Promise<void> {
  const path = resolve(cwd, name)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    throw new CommandError(
      isFilePresent(cause)
        ? `${relative(cwd, path)} already exists, and was not changed.`
        : `${path} cannot be written.`,
      { cause },
    )
  }
}

/**
 * Creates the file with a sealing key, and returns true. An existing file is kept, because the key in it may have sealed
 * signing keys in the database; then the function returns false.
 */
async function createSealingKey({ cwd }: Io): Promise<boolean> {
  try {
    await writeFile(resolve(cwd, sealingKeyFile), `${randomSecret(systemRandom)}\n`, { mode: 0o600, flag: 'wx' })
    return true
  } catch (cause) {
    if (isFilePresent(cause)) return false
    throw new CommandError(`${sealingKeyFile} cannot be written.`, { cause })
  }
}

const sealingKeyFile = 'mintmark.sealing-key'
