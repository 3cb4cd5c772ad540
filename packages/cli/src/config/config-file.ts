import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import * as z from 'zod'

import { UsageError } from '../command-error.ts'

/** The name of the configuration file, which commands look for in the working directory. */
export const configFileName = 'mintmark.config.json'

/** The content of `mintmark.config.json`. It has no secrets, so that it can be kept with the host's sources. */
export interface ConfigFile {
  readonly issuer?: string | undefined
  /** A file, relative to the folder of the configuration. */
  readonly sqlite?: string | undefined
  /** A URL without a password. */
  readonly postgres?: string | undefined
  /** A file, relative to the folder of the configuration. */
  readonly sealingKeyFile?: string | undefined
  /** The options that the host gives to `createStoredKeys`. */
  readonly keys?: KeyConfig | undefined
}

/** The options of the host's `createStoredKeys`. `keys rotate` needs them to do the same as the server. */
export type KeyConfig = z.infer<typeof keys>

/**
 * Reads a configuration file, and makes its relative paths absolute.
 * @param file undefined reads the file in the working directory, if there is one.
 * @throws UsageError when the file does not exist, is not JSON, or has unknown members.
 */
export async function readConfigFile(file: string | undefined, cwd: string): Promise<ConfigFile> {
  const path = resolve(cwd, file ?? configFileName)
  const text = await readText(path)
  if (text === undefined && file === undefined) return {}
  if (text === undefined) throw new UsageError(`There is no file ${path}.`)

  const result = schema.safeParse(parseJson(text, path))
  if (!result.success) throw new UsageError(`${path} cannot be used: ${z.prettifyError(result.error)}`)
  const { sqlite, sealingKeyFile } = result.data
  const fromItsFolder = (name: string | undefined) => (name === undefined ? undefined : resolve(dirname(path), name))
  return { ...result.data, sqlite: fromItsFolder(sqlite), sealingKeyFile: fromItsFolder(sealingKeyFile) }
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
    .strictObject({ announce: z.number(), sign: z.number(), retire: z.number(), staleness: z.number() })
    .partial()
    .optional(),
})

const schema = z.strictObject({
  $schema: z.string().optional(),
  issuer: z.string().optional(),
  sqlite: z.string().min(1).optional(),
  postgres: z.string().min(1).optional(),
  sealingKeyFile: z.string().min(1).optional(),
  keys: keys.optional(),
})

/** Whether an operation failed because the file does not exist. */
export const isFileAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Whether an operation failed because the file exists. */
export const isFilePresent = (error: unknown): boolean => codeOf(error) === 'EEXIST'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
