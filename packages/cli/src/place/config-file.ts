import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import * as z from 'zod'

import { UsageError } from '../command-error.ts'
import { isAbsent } from './file-error.ts'

/** The name of the file that a command looks for where it is started. */
export const configFileName = 'mintmark.config.json'

/** What `mintmark.config.json` says. It holds no secret: it is meant to be kept with the host's sources. */
export interface ConfigFile {
  readonly issuer?: string | undefined
  /** A file, from the folder of the configuration on. */
  readonly sqlite?: string | undefined
  /** A URL without a password. */
  readonly postgres?: string | undefined
  /** A file, from the folder of the configuration on. */
  readonly sealingKeyFile?: string | undefined
  /** As the host gives them to `storedKeys`. */
  readonly keys?: KeyConfig | undefined
}

/** The options of the host's own `storedKeys`, which `keys rotate` must know to do as the server would. */
export type KeyConfig = z.infer<typeof keys>

/**
 * Reads a configuration; its relative paths become absolute.
 * @param file undefined looks for one in the working directory, which may be absent.
 * @throws UsageError when the file is not there, is no JSON, or says something that is not known.
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
    if (isAbsent(error)) return undefined
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
