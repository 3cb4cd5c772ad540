import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Choices } from './choices.ts'
import { mergeManifests, withVersions, type Manifest } from './manifest.ts'

/** A file of a new project. */
export interface ProjectFile {
  /** The path relative to the project folder, with the path separator of this machine. */
  readonly path: string
  readonly text: string
  /** With `private`, only the owner may read the file. */
  readonly access: 'ordinary' | 'private'
}

/** What the files are made from. */
export interface ProjectOptions {
  /** The name of the package. */
  readonly name: string
  readonly choices: Choices
  /** Where the database is. */
  readonly address: string
  readonly secrets: Secrets
}

/** The secrets in `.env`. */
export interface Secrets {
  readonly sealingKey: string
  /** In the link with which the server is tried. */
  readonly tryKey: string
  /** Of the sample user of `--users own`. */
  readonly samplePassword: string
}

/** Creates secrets. The sealing key has 32 random bytes, for `createStoredKeys`. */
export const createSecrets = (): Secrets => ({
  sealingKey: randomBytes(32).toString('base64url'),
  tryKey: randomBytes(16).toString('base64url'),
  samplePassword: randomBytes(10).toString('hex'),
})

/** Returns the files of a project. */
export async function readTemplate({
  name,
  choices,
  address,
  secrets,
}: ProjectOptions): Promise<readonly ProjectFile[]> {
  const { framework, database, users } = choices
  const layers = ['shared', ...framework.layers, ...users.layers, ...database.layers]
  const read = await Promise.all(layers.map(readLayer))
  // The project's own test uses SQLite in memory, whatever the database.
  const testDatabase = await filesIn('databases/sqlite/code', 'test')

  const manifest = withVersions(mergeManifests(read.map((layer) => layer.manifest)), await readOwnManifest())
  const readme = read.map((layer) => layer.readme).join('')
  return [
    ...read.flatMap(({ files }) => files),
    ...(database.name === 'sqlite' ? [] : testDatabase),
    ordinary('package.json', `${JSON.stringify({ name, ...manifest }, undefined, 2)}\n`),
    ordinary('README.md', readme.replace('my-server', name)),
    { path: '.env', text: environment({ choices, address, secrets }), access: 'private' },
  ]
}

/** What a layer adds to a project. */
interface LayerContent {
  readonly files: readonly ProjectFile[]
  readonly manifest: Manifest
  readonly readme: string
}

async function readLayer(layer: string): Promise<LayerContent> {
  const files = [filesIn(`${layer}/code`, 'src'), filesIn(`${layer}/test`, 'test'), filesIn(`${layer}/root`, '')]
  return {
    files: (await Promise.all(files)).flat(),
    manifest: JSON.parse((await readIfThere(`${layer}/manifest.json`)) ?? '{}') as Manifest,
    readme: (await readIfThere(`${layer}/readme.md`)) ?? '',
  }
}

/** Returns the files of a folder of the template, to be written to a folder of the project. None if it does not exist. */
async function filesIn(from: string, to: string): Promise<readonly ProjectFile[]> {
  const folder = join(template, from)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifThere)
  const paths = (entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.map(async (path) => {
      // npm does not publish files named `.gitignore`.
      const name = relative(folder, path).replace(/^gitignore$/, '.gitignore')
      return ordinary(join(to, name), await readFile(path, 'utf8'))
    }),
  )
}

const readIfThere = (path: string): Promise<string | undefined> => readFile(join(template, path), 'utf8').catch(ifThere)

/** @throws the error, unless it says that a file or folder does not exist. */
function ifThere(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

const ordinary = (path: string, text: string): ProjectFile => ({ path, text, access: 'ordinary' })

/** Returns the content of `.env`. */
const environment = ({ choices: { database, users }, address, secrets }: Omit<ProjectOptions, 'name'>): string => `\
# Do not commit this file. Keep a copy: without it the signing keys in the database are lost.
MINTMARK_SEALING_KEY=${secrets.sealingKey}
MINTMARK_ISSUER=http://localhost:3000
${database.variable}=${address}
# The secret in the link with which you try the server. Remove it before you go live.
TRY_KEY=${secrets.tryKey}
${users.name === 'own' ? `# The password of the sample user, until users.ts reads your own table.\nSAMPLE_PASSWORD=${secrets.samplePassword}\n` : ''}`

const readOwnManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(new URL('package.json', home), 'utf8')) as Manifest

/** The folder of this package. The path is the same from the sources and from the build. */
const home = new URL('../', import.meta.url)
const template = fileURLToPath(new URL('template', home))
