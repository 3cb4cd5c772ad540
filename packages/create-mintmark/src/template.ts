import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of a new project. */
export interface ProjectFile {
  /** The path relative to the project folder, with the path separator of this machine. */
  readonly path: string
  readonly text: string
  /** With `private`, only the owner may read the file. */
  readonly access: 'ordinary' | 'private'
}

/** Returns the files of a project with this package name and a new sealing key. */
export async function readTemplate(name: string): Promise<readonly ProjectFile[]> {
  const ownManifest = await readFile(new URL('package.json', home), 'utf8')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = paths.map(async (path): Promise<ProjectFile> => {
    const text = await readFile(path, 'utf8')
    const file = relative(folder, path)
    switch (file) {
      case 'package.json':
        return { path: file, text: fillManifest(text, { name, ownManifest }), access: 'ordinary' }
      case 'README.md':
        return { path: file, text: text.replace('my-server', name), access: 'ordinary' }
      case 'gitignore':
        // npm does not publish files named `.gitignore`.
        return { path: '.gitignore', text, access: 'ordinary' }
      default:
        return { path: file, text, access: 'ordinary' }
    }
  })
  return [...(await Promise.all(files)), { path: '.env', text: environment(), access: 'private' }]
}

/** Returns the content of `.env`, with a sealing key of 32 random bytes for `createStoredKeys`. */
const environment = (): string => `\
# Do not commit this file. Keep a copy: without it the signing keys in the database are lost.
MINTMARK_SEALING_KEY=${randomBytes(32).toString('base64url')}
`

/** The folder of this package. The path is the same from the sources and from the build. */
const home = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('template', home))

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/**
 * Creates the package.json of a new project. Replaces each version `*` in the template with the version in the manifest
 * of this package.
 * @throws Error if the manifest has no such version.
 */
function fillManifest(text: string, values: { readonly name: string; readonly ownManifest: string }): string {
  const template = JSON.parse(text) as Manifest
  const { devDependencies: known = {} } = JSON.parse(values.ownManifest) as Manifest
  const rangeIn = (name: string, range: string): string => (range === '*' ? rangeOf(name, known) : range)
  const fillRanges = (ranges: Manifest['dependencies'] = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, rangeIn(name, range)]))

  const manifest = {
    ...template,
    name: values.name,
    dependencies: fillRanges(template.dependencies),
    devDependencies: fillRanges(template.devDependencies),
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/**
 * Returns a range within the major version, because a project should get updates of dependencies that are pinned here.
 */
function rangeOf(name: string, known: Readonly<Record<string, string>>): string {
  const version = known[name]
  if (version === undefined) throw new Error(`The manifest of this package has no version of ${name}.`)
  return /^\d/.test(version) ? `^${version}` : version
}
