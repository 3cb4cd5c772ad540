import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { parseIssuer } from '@mintmark/core/internal'
import type { DatabaseNames } from '@mintmark/storage-sql/command'
import type { Command } from 'commander'
import * as z from 'zod'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'

/** The settings of a command. Flags override the environment, and the environment overrides the configuration file. */
export interface Settings {
  readonly issuer: string | undefined
  readonly database: DatabaseAddress | undefined
  readonly sealingKeyFile: string | undefined
  readonly keys: KeyConfig
}

/** The database of a command. */
export type DatabaseAddress =
  | { readonly sqlite: string; readonly postgres?: undefined; readonly mariadb?: undefined }
  | { readonly postgres: string; readonly sqlite?: undefined; readonly mariadb?: undefined }
  | { readonly mariadb: string; readonly sqlite?: undefined; readonly postgres?: undefined }

/** @throws UsageError if settings contradict each other, cannot be read, or contain a password. */
export async function readSettings(options: ConfigOptions, io: Pick<Io, 'env' | 'cwd'>): Promise<Settings> {
  const { env, cwd } = io
  const config = await readConfigFile(options.config ?? env['MINTMARK_CONFIG'], cwd)
  requireNoPasswords(options)
  for (const url of [config.postgres, config.mariadb]) requireNoPassword(url, 'the configuration file')
  const fromEnvironment = addressesOf(env)
  const sealingKeyFile = env['MINTMARK_SEALING_KEY_FILE']

  return {
    issuer: checkIssuer(options.issuer ?? env['MINTMARK_ISSUER'] ?? config.issuer),
    database: addressOf(options, cwd) ?? addressOf(fromEnvironment, cwd) ?? addressOf(config, cwd),
    sealingKeyFile: sealingKeyFile === undefined ? config.sealingKeyFile : resolve(cwd, sealingKeyFile),
    keys: config.keys ?? {},
  }
}

/** @throws UsageError, which describes a valid issuer. */
export function checkIssuer<Issuer extends string | undefined>(issuer: Issuer): Issuer {
  try {
    if (issuer !== undefined) parseIssuer(issuer)
    return issuer
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : 'The issuer is not valid.', { cause })
  }
}

/** The databases that the environment names. */
export const addressesOf = (env: Io['env']): DatabaseNames => ({
  sqlite: env['MINTMARK_SQLITE'],
  postgres: env['MINTMARK_POSTGRES'],
  mariadb: env['MINTMARK_MARIADB'],
})

/** @throws UsageError if a flag has a URL with a password. */
export function requireNoPasswords({ postgres, mariadb }: DatabaseNames): void {
  requireNoPassword(postgres, '--postgres')
  requireNoPassword(mariadb, '--mariadb')
}

/**
 * Refuses a URL with a password: other users can see arguments, shell histories keep them, and configuration files are
 * copied.
 */
export function requireNoPassword(url: string | undefined, where: string): void {
  if (url === undefined || !URL.canParse(url)) return
  const { password, searchParams } = new URL(url)
  if (password === '' && !searchParams.has('password')) return
  const variables = url.startsWith('postgres') ? ['PGPASSWORD', 'MINTMARK_POSTGRES'] : ['MYSQL_PWD', 'MINTMARK_MARIADB']
  throw new UsageError(`Remove the password from ${where}. Set ${variables.join(', or the complete URL as ')}.`)
}

/** @throws UsageError if several databases are given. */
export function requireOneDatabase({ sqlite, postgres, mariadb }: DatabaseNames): void {
  if ([sqlite, postgres, mariadb].filter((name) => name !== undefined).length > 1)
    throw new UsageError('Two databases are given. Specify SQLite, PostgreSQL or MariaDB.')
}

function addressOf(names: DatabaseNames, cwd: string): DatabaseAddress | undefined {
  requireOneDatabase(names)
  const { sqlite, postgres, mariadb } = names
  if (postgres !== undefined) return { postgres }
  if (mariadb !== undefined) return { mariadb }
  return sqlite === undefined ? undefined : { sqlite: sqlite === ':memory:' ? sqlite : resolve(cwd, sqlite) }
}

/** The flags that select the database and the issuer. */
export interface ConfigOptions {
  readonly config?: string
  readonly issuer?: string
  readonly sqlite?: string
  readonly postgres?: string
  readonly mariadb?: string
}

/** Adds the flags for the database and the issuer. */
export const withConfig = (command: Command): Command =>
  withDatabase(command).option('--issuer <url>', 'the URL of the authorization server')

/** Adds the flags for the database. */
export const withDatabase = (command: Command): Command =>
  command
    .option('--config <file>', 'the configuration file; default: mintmark.config.json, if it exists')
    .option('--sqlite <file>', 'the SQLite database')
    .option('--postgres <url>', 'the PostgreSQL database, without a password: set PGPASSWORD')
    .option('--mariadb <url>', 'the MariaDB database, without a password: set MYSQL_PWD')

/** The name of the configuration file, which commands look for in the working directory. */
export const configFileName = 'mintmark.config.json'

/** The content of `mintmark.config.json`. It contains no secrets, so it can be committed with the host's sources. */
export interface ConfigFile {
  readonly issuer?: string | undefined
  /** A path relative to the folder of the configuration file. */
  readonly sqlite?: string | undefined
  /** A URL without a password. */
  readonly postgres?: string | undefined
  /** A URL without a password. */
  readonly mariadb?: string | undefined
  /** A path relative to the folder of the configuration file. */
  readonly sealingKeyFile?: string | undefined
  /** The options that the host gives to `createStoredKeys`. */
  readonly keys?: KeyConfig | undefined
}

/** The options of the host's `createStoredKeys`, so that `keys rotate` does the same as the server. */
type KeyConfig = z.infer<typeof keys>

/**
 * Reads a configuration file, and makes its relative paths absolute.
 * @param file if undefined, the file in the working directory is read, if there is one.
 * @throws UsageError if the file does not exist, is not JSON, or has unknown members.
 */
async function readConfigFile(file: string | undefined, cwd: string): Promise<ConfigFile> {
  const path = resolve(cwd, file ?? configFileName)
  const text = await readText(path)
  if (text === undefined && file === undefined) return {}
  if (text === undefined) throw new UsageError(`There is no file ${path}.`)

  const result = schema.safeParse(parseJson(text, path))
  if (!result.success) throw new UsageError(`${path} cannot be used: ${z.prettifyError(result.error)}`)
  const { sqlite, sealingKeyFile } = result.data
  const toAbsolute = (name: string | undefined) => (name === undefined ? undefined : resolve(dirname(path), name))
  return { ...result.data, sqlite: toAbsolute(sqlite), sealingKeyFile: toAbsolute(sealingKeyFile) }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isFileAbsent(error)) return undefined
    throw new UsageError(`${path} cannot be read.`, { cause: error })
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new UsageError(`${path} is not JSON.`, { cause })
  }
}

const keys = z.strictObject({
  algorithms: z.tuple([z.string()], z.string()).optional(),
  schedule: z
    .strictObject({
      announce: z.number(),
      sign: z.number(),
      retire: z.number(),
      hints: z.number(),
      staleness: z.number(),
    })
    .partial()
    .optional(),
})

const schema = z.strictObject({
  $schema: z.string().optional(),
  issuer: z.string().optional(),
  sqlite: z.string().min(1).optional(),
  postgres: z.string().min(1).optional(),
  mariadb: z.string().min(1).optional(),
  sealingKeyFile: z.string().min(1).optional(),
  keys: keys.optional(),
})

/** Whether an operation failed because the file does not exist. */
export const isFileAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Whether an operation failed because the file exists. */
export const isFilePresent = (error: unknown): boolean => codeOf(error) === 'EEXIST'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
