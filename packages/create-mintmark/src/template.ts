import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of a new project. */
export interface ProjectFile {
  /** Relative to the folder of the project, with the separator of this machine. */
  readonly path: string
  readonly text: string
  /** `private`: only its owner may read it. */
  readonly access: 'ordinary' | 'private'
}

/** Reads the files of a project whose package has this name, with a new sealing key. */
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
        // npm leaves `.gitignore` files out of packages.
        return { path: '.gitignore', text, access: 'ordinary' }
      default:
        return { path: file, text, access: 'ordinary' }
    }
  })
  return [...(await Promise.all(files)), { path: '.env', text: environment(), access: 'private' }]
}

/** The sealing key of `createStoredKeys`: 32 random bytes. */
const environment = (): string => `\
# Not for version control. Keep a copy: without it the signing keys in the database are lost.
MINTMARK_SEALING_KEY=${randomBytes(32).toString('base64url')}
`

/** The folder of this package, for the sources and for the build. */
const home = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('template', home))

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/**
 * Creates the package.json of a new project: versions that the template leaves open are those in this package's manifest.
 * @throws Error when the manifest has no such version.
 */
function fillManifest(text: string, given: { readonly name: string; readonly ownManifest: string }): string {
  const template = JSON.parse(text) as Manifest
  const { devDependencies: known = {} } = JSON.parse(given.ownManifest) as Manifest
  const rangeIn = (name: string, range: string): string => (range === '*' ? rangeOf(name, known) : range)
  const filled = (ranges: Manifest['dependencies'] = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, rangeIn(name, range)]))

  const manifest = {
    ...template,
    name: given.name,
    dependencies: filled(template.dependencies),
    devDependencies: filled(template.devDependencies),
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** A project accepts updates within the major version, even of dependencies that this repository pins. */
function rangeOf(name: string, known: Readonly<Record<string, string>>): string {
  const version = known[name]
  if (version === undefined) throw new Error(`The manifest of this package has no version of ${name}.`)
  return /^\d/.test(version) ? `^${version}` : version
}
