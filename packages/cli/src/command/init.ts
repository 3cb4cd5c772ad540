import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'

import { randomSecret, systemRandom } from '@mintmark/core/runtime'
import { Command } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { configFileName, type ConfigFile } from '../place/config-file.ts'
import { isThere } from '../place/file-error.ts'
import { checkedIssuer, requireNoPassword } from '../place/settings.ts'

interface InitOptions {
  readonly issuer: string
  readonly sqlite?: string
  readonly postgres?: string
}

/** `mintmark init`: a configuration, and a sealing key unless there is one. Nothing that is there is written over. */
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
    throw new UsageError('Two databases are named: leave out SQLite or PostgreSQL.')

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

/** @throws CommandError when there is such a file. */
async function writeNew(name: string, text: string, { cwd }: Io): Promise<void> {
  const path = resolve(cwd, name)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  } catch (cause) {
    throw new CommandError(
      isThere(cause) ? `There is ${relative(cwd, path)} already: it was left as it is.` : `${path} cannot be written.`,
      { cause },
    )
  }
}

/** @returns whether it made one: a key that is there already sealed what is in the database. */
async function makeSealingKey({ cwd }: Io): Promise<boolean> {
  try {
    await writeFile(resolve(cwd, sealingKeyFile), `${randomSecret(systemRandom)}\n`, { mode: 0o600, flag: 'wx' })
    return true
  } catch (cause) {
    if (isThere(cause)) return false
    throw new CommandError(`${sealingKeyFile} cannot be written.`, { cause })
  }
}

const sealingKeyFile = 'mintmark.sealing-key'
