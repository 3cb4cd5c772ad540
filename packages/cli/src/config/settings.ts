import { resolve } from 'node:path'

import { parseIssuer } from '@mintmark/core/internal'
import type { Command } from 'commander'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { readConfigFile, type KeyConfig } from './config-file.ts'

/** The settings of a command. Flags override the environment, and the environment overrides the configuration file. */
export interface Settings {
  readonly issuer: string | undefined
  readonly database: DatabaseAddress | undefined
  readonly sealingKeyFile: string | undefined
  readonly keys: KeyConfig
}

/** The database of a command. */
export type DatabaseAddress =
  | { readonly sqlite: string; readonly postgres?: undefined }
  | { readonly postgres: string; readonly sqlite?: undefined }

/** @throws UsageError when settings contradict each other, cannot be read, or contain a password. */
export async function readSettings(options: ConfigOptions, io: Pick<Io, 'env' | 'cwd'>): Promise<Settings> {
  const { env, cwd } = io
  const config = await readConfigFile(options.config ?? env['MINTMARK_CONFIG'], cwd)
  requireNoPassword(options.postgres, '--postgres')
  requireNoPassword(config.postgres, 'the configuration file')
  const fromEnvironment = { sqlite: env['MINTMARK_SQLITE'], postgres: env['MINTMARK_POSTGRES'] }
  const sealingKeyFile = env['MINTMARK_SEALING_KEY_FILE']

  return {
    issuer: checkedIssuer(options.issuer ?? env['MINTMARK_ISSUER'] ?? config.issuer),
    database: addressOf(options, cwd) ?? addressOf(fromEnvironment, cwd) ?? addressOf(config, cwd),
    sealingKeyFile: sealingKeyFile === undefined ? config.sealingKeyFile : resolve(cwd, sealingKeyFile),
    keys: config.keys ?? {},
  }
}

/** @throws UsageError that describes a valid issuer. */
export function checkedIssuer<Given extends string | undefined>(issuer: Given): Given {
  try {
    if (issuer !== undefined) parseIssuer(issuer)
    return issuer
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : 'The issuer is not valid.', { cause })
  }
}

/** Arguments are visible to other users and stay in shell histories, and configuration files are copied: neither may contain a password. */
export function requireNoPassword(url: string | undefined, where: string): void {
  if (url === undefined || !URL.canParse(url)) return
  const { password, searchParams } = new URL(url)
  if (password === '' && !searchParams.has('password')) return
  throw new UsageError(`Leave the password out of ${where}: set PGPASSWORD, or the whole URL as MINTMARK_POSTGRES.`)
}

interface MaybeAddress {
  readonly sqlite?: string | undefined
  readonly postgres?: string | undefined
}

function addressOf({ sqlite, postgres }: MaybeAddress, cwd: string): DatabaseAddress | undefined {
  if (sqlite !== undefined && postgres !== undefined)
    throw new UsageError('Two databases are given: leave out SQLite or PostgreSQL.')
  if (postgres !== undefined) return { postgres }
  return sqlite === undefined ? undefined : { sqlite: sqlite === ':memory:' ? sqlite : resolve(cwd, sqlite) }
}

/** The flags that select the database and the issuer. */
export interface ConfigOptions {
  readonly config?: string
  readonly issuer?: string
  readonly sqlite?: string
  readonly postgres?: string
}

/** Adds the flags for the database and the issuer. */
export const withConfig = (command: Command): Command =>
  withDatabase(command).option('--issuer <url>', 'the address of the authorization server')

/** Adds the flags for the database. */
export const withDatabase = (command: Command): Command =>
  command
    .option('--config <file>', 'default: mintmark.config.json, if it exists')
    .option('--sqlite <file>', 'the SQLite database')
    .option('--postgres <url>', 'the PostgreSQL database; the password comes from PGPASSWORD')
