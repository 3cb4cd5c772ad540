import { resolve } from 'node:path'

import { parseIssuer } from '@mintmark/core'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { readConfigFile, type KeyConfig } from './config-file.ts'
import type { ConfigOptions } from './place-options.ts'

/** Where a command works: what flags say goes before the environment, and that before the configuration file. */
export interface Settings {
  readonly issuer: string | undefined
  readonly database: DatabaseAddress | undefined
  readonly sealingKeyFile: string | undefined
  readonly keys: KeyConfig
}

/** Which database it is. */
export type DatabaseAddress =
  | { readonly sqlite: string; readonly postgres?: undefined }
  | { readonly postgres: string; readonly sqlite?: undefined }

/** @throws UsageError when something is said twice, cannot be read, or shows a password. */
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

/** @throws UsageError that says what an issuer looks like. */
export function checkedIssuer<Given extends string | undefined>(issuer: Given): Given {
  try {
    if (issuer !== undefined) parseIssuer(issuer)
    return issuer
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : 'The issuer cannot be read.', { cause })
  }
}

/** Processes show their arguments, shells remember them, and configuration files are copied: a password is in none of them. */
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
    throw new UsageError('Two databases are named: leave out SQLite or PostgreSQL.')
  if (postgres !== undefined) return { postgres }
  return sqlite === undefined ? undefined : { sqlite: sqlite === ':memory:' ? sqlite : resolve(cwd, sqlite) }
}
