import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Choices, Database, DatabaseAddress, Framework } from './choices.ts'
import type { ExistingProject } from './existing-project.ts'
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
  /** Where the database is; by default a file of the project, or a server on this machine. */
  readonly address: string | undefined
  readonly issuer: string
  readonly secrets: Secrets
  /** The project to which the files are added; by default a new one. */
  readonly existing: Pick<ExistingProject, 'sources'> | undefined
}

/** The files of a project, and what it needs. */
export interface ProjectTemplate {
  readonly files: readonly ProjectFile[]
  /** With the packages to install. It is one of the files of a new project. */
  readonly manifest: Manifest
  /** The folder of the code, such as `src`. */
  readonly code: string
}

/** The secrets in `.env`. */
export interface Secrets {
  readonly sealingKey: string
  /** In the link with which the server is tried. */
  readonly tryKey: string
  /** With which the first records of a Worker are created. */
  readonly setupKey: string
  /** Of the sample user of `--users own`. */
  readonly samplePassword: string
}

/** Creates secrets. The sealing key has 32 random bytes, for `createStoredKeys`. */
export const createSecrets = (): Secrets => ({
  sealingKey: randomBytes(32).toString('base64url'),
  tryKey: randomBytes(16).toString('base64url'),
  setupKey: randomBytes(32).toString('base64url'),
  samplePassword: randomBytes(10).toString('hex'),
})

/** Returns the files of a project. */
export async function readTemplate(options: ProjectOptions): Promise<ProjectTemplate> {
  const { name, choices, existing } = options
  const { framework, database, users } = choices
  const folders = foldersOf(framework, existing)
  const own = existing === undefined ? framework.layers : (framework.added?.layers ?? [])
  const layers = await Promise.all(
    ['shared', ...own, ...users.layers, ...database.layers].map((layer) => readLayer(layer, folders)),
  )
  const read = [...layers, ...(await testDatabase(database, folders))]
  const manifest = withVersions(mergeManifests(read.map((layer) => layer.manifest)), await readOwnManifest())
  const readme = read
    .map((layer) => layer.readme)
    .join('')
    .replace('my-server', name)
  const files = [
    ...read
      .flatMap((layer) => layer.files)
      .map((file) => withWorkerName({ ...file, text: withCommands(file.text, folders) }, name)),
    ...(folders.code === 'src' ? [] : [ordinary(join(folders.code, 'package.json'), importsOfFolder)]),
    ordinary(join(folders.own, 'README.md'), withCommands(readme, folders)),
    { path: join(folders.own, '.env'), text: environment(options, folders), access: 'private' } as const,
  ]
  const manifestFile = ordinary('package.json', `${JSON.stringify({ name, ...manifest }, undefined, 2)}\n`)
  return { files: existing === undefined ? [...files, manifestFile] : files, manifest, code: folders.code }
}

/** Writes the name of the Worker to its configuration. Cloudflare accepts letters, digits and dashes. */
function withWorkerName(file: ProjectFile, name: string): ProjectFile {
  if (file.path !== 'wrangler.jsonc') return file
  const [worker] = /[a-z0-9][a-z0-9-]{0,53}/.exec(name.replace(/^@.*\//, '').replaceAll(/[._~]/g, '-')) ?? ['my-server']
  return { ...file, text: file.text.replace('my-server', worker) }
}

/** Returns a text with the commands and paths of an app, which has its own scripts, and may have its sources in `src`. */
function withCommands(text: string, { own }: Folders): string {
  const folder = own.replaceAll('\\', '/')
  return folder === ''
    ? text
    : text
        .replaceAll(/npm run (?:migrate|setup)\b/g, 'node mintmark/setup.ts')
        .replaceAll(/(?<=[ =])mintmark\/(?=setup\.ts|\.env)/g, `${folder}/`)
}

/** The package.json of a folder in a project: its files import each other as `#name`. */
const importsOfFolder = `${JSON.stringify({ private: true, type: 'module', imports: { '#*': './*.ts' } }, undefined, 2)}\n`

/** The folders of a project to which the folders of a layer are written. With `undefined`, they are left out. */
interface Folders {
  readonly code: string
  readonly app: string
  readonly scripts: string
  readonly test: string | undefined
  readonly root: string
  /** The folder of README.md and .env. */
  readonly own: string
}

function foldersOf({ code, added }: Framework, existing: ProjectOptions['existing']): Folders {
  const sources = existing?.sources ?? ''
  if (existing === undefined && code === 'src')
    return { code, app: 'app', scripts: 'scripts', test: 'test', root: '', own: '' }
  const folder = join(sources, added === undefined ? code : 'mintmark')
  return { code: folder, app: join(sources, 'app'), scripts: 'scripts', test: undefined, root: '', own: folder }
}

/** What a layer adds to a project. */
interface LayerContent {
  readonly files: readonly ProjectFile[]
  readonly manifest: Manifest
  readonly readme: string
}

async function readLayer(layer: string, folders: Folders): Promise<LayerContent> {
  const files = (['code', 'app', 'scripts', 'test', 'root'] as const).map((kind) =>
    filesIn(`${layer}/${kind}`, folders[kind]),
  )
  return {
    files: (await Promise.all(files)).flat(),
    manifest: JSON.parse((await readIfThere(`${layer}/manifest.json`)) ?? '{}') as Manifest,
    readme: (await readIfThere(`${layer}/readme.md`)) ?? '',
  }
}

/** The database of the project's own test, if it has one on Node: SQLite in memory, whatever the database. */
async function testDatabase({ address }: Database, { code, test }: Folders): Promise<readonly LayerContent[]> {
  if (test === undefined || address === undefined) return []
  const files = address.needsServer ? await filesIn('databases/sqlite/code', test) : []
  const imports = { '#test-database': `./${address.needsServer ? test : code}/database.ts` }
  return [{ files, manifest: { imports }, readme: '' }]
}

/** Returns the files of a folder of the template, to be written to a folder of the project. None if it does not exist. */
async function filesIn(from: string, to: string | undefined): Promise<readonly ProjectFile[]> {
  if (to === undefined) return []
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

/** Returns the content of `.env`. Relative paths start from the folder of the project. */
function environment({ choices, address, issuer, secrets }: ProjectOptions, { own }: Folders): string {
  const { database, framework, users } = choices
  const lines = [
    '# Do not commit this file. Keep a copy: without it the signing keys in the database are lost.',
    `MINTMARK_SEALING_KEY=${secrets.sealingKey}`,
    `MINTMARK_ISSUER=${issuer}`,
    ...(database.address === undefined ? [] : addresses(database.address, { address, own })),
    ...(framework.setUp === 'by-command'
      ? []
      : [
          '# Whoever has it can create the first records of the Worker. A deployed Worker needs it only for `npm run setup`.',
          `SETUP_KEY=${secrets.setupKey}`,
        ]),
    '# The secret in the link with which you try the server. Remove it before you go live.',
    `TRY_KEY=${secrets.tryKey}`,
    ...(users.name === 'own'
      ? [
          '# The password of the sample user, until users.ts reads your own table.',
          `SAMPLE_PASSWORD=${secrets.samplePassword}`,
        ]
      : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function addresses(
  { variable, byDefault, needsServer }: DatabaseAddress,
  { address, own }: Pick<ProjectOptions, 'address'> & Pick<Folders, 'own'>,
): readonly string[] {
  if (needsServer) return [`${variable}=${address ?? byDefault}`]
  const users = own === '' ? [] : [`USERS_SQLITE=${posix.join(own, 'users.db')}`]
  return [`${variable}=${address ?? posix.join(own, byDefault)}`, ...users]
}

const readOwnManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(new URL('package.json', home), 'utf8')) as Manifest

/** The folder of this package. The path is the same from the sources and from the build. */
const home = new URL('../', import.meta.url)
const template = fileURLToPath(new URL('template', home))
