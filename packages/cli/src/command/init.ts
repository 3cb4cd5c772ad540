import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'

import { randomSecret, systemRandom } from '@mintmark/internal'
import { Command } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { type ConfigFile, checkedIssuer, configFileName, isFilePresent, requireNoPassword } from '../config/settings.ts'

interface InitOptions {
  readonly issuer: string
  readonly sqlite?: string
  readonly postgres?: string
}

/** `mintmark init`: writes a configuration, and a sealing key unless one exists. It does not overwrite files. */
export const initCommand = (io: Io): Command =>
  new Command('init')
    .description(`writes ${configFileName}, and a sealing key in a file that only you can read`)
    .requiredOption('--issuer <url>', 'the address of the authorization server')
    .option('--sqlite <file>', 'the SQLite database; default: mintmark.db')
    .option('--postgres <url>', 'the PostgreSQL database, without a password')
    .action((options: InitOptions) => init(options, io))

async function init({ issuer, sqlite, postgres }: InitOptions, io: Io): Promise<void> {
  checkedIssuer(issuer)
  requireNoPassword(postgres, '--postgres')
  if (sqlite !== undefined && postgres !== undefined)
    throw new UsageError('Two databases are given: leave out SQLite or PostgreSQL.')

  const hasKey = io.env['MINTMARK_SEALING_KEY'] !== undefined || io.env['MINTMARK_SEALING_KEY_FILE'] !== undefined
  const config: ConfigFile = {
    issuer,
    ...(postgres === undefined ? { sqlite: sqlite ?? 'mintmark.db' } : { postgres }),
    ...(!hasKey && { sealingKeyFile }),
  }
  await writeNew(configFileName, `${JSON.stringify(config, undefined, 2)}\n`, io)
  io.out(`Wrote ${configFileName}.`)
  if (!hasKey && (await makeSealingKey(io)))
    io.out(`Wrote ${sealingKeyFile}: keep it secret, keep a copy, and keep it out of version control.`)
  io.out('Next: mintmark migrate apply')
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

/** Creates a sealing key unless one exists, which may have sealed keys in the database. Returns whether it did. */
async function makeSealingKey({ cwd }: Io): Promise<boolean> {
  try {
    await writeFile(resolve(cwd, sealingKeyFile), `${randomSecret(systemRandom)}\n`, { mode: 0o600, flag: 'wx' })
    return true
  } catch (cause) {
    if (isFilePresent(cause)) return false
    throw new CommandError(`${sealingKeyFile} cannot be written.`, { cause })
  }
}

const sealingKeyFile = 'mintmark.sealing-key'
