import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A package as it would be published. */
export interface PackedPackage {
  /** The folder of the package below `packages`. */
  readonly folder: string
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** The import paths of code, such as `@mintmark/core` and `@mintmark/core/http`; not patterns or package.json. */
  readonly subpaths: readonly string[]
}

/** All published packages, packed in `folder`. */
export interface PackedPackages {
  readonly folder: string
  readonly packages: readonly PackedPackage[]
}

/**
 * Packs every published package to `dist/packed`. Builds first if a source is newer than the last build.
 * @throws Error with the output of the build or of the packing if it fails.
 */
export function packPackages(): PackedPackages {
  const folders = readdirSync('packages').filter((folder) => isPublished(folder))
  if (!folders.every(isBuilt)) pnpm('build')
  const folder = resolve('dist/packed')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // One command packs all packages, because one command for each package takes ten times as long.
  pnpm('--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder)

  const packages = folders.map((name) => packedPackage(name, folder))
  return { folder, packages }
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly version: string
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
}

function packedPackage(folder: string, destination: string): PackedPackage {
  const { name, version, publishConfig } = JSON.parse(
    readFileSync(`packages/${folder}/package.json`, 'utf8'),
  ) as Manifest
  const tarball = join(destination, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${name} was not packed to ${tarball}.`)
  const subpaths = Object.entries(publishConfig.exports).filter(([, target]) => typeof target === 'object')
  return { folder, name, version, tarball, subpaths: subpaths.map(([subpath]) => `${name}${subpath.slice(1)}`) }
}

const isPublished = (folder: string): boolean =>
  existsSync(`packages/${folder}/src/index.ts`) &&
  (JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as Manifest).private !== true

/** Whether the build of a package is newer than its sources and its manifest. */
function isBuilt(folder: string): boolean {
  const built = `packages/${folder}/dist/index.js`
  if (!existsSync(built) || !existsSync(`packages/${folder}/dist/types/index.d.ts`)) return false
  const files = readdirSync(`packages/${folder}/src`, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => !file.endsWith('.test.ts'))
  const inputs = [`packages/${folder}/package.json`, ...sources.map((file) => `packages/${folder}/src/${file}`)]
  return inputs.every((file) => statSync(file).mtimeMs <= statSync(built).mtimeMs)
}

function pnpm(...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync('pnpm', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed.\n${error?.message ?? ''}${stdout}${stderr}`)
}
