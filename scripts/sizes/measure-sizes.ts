import { readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

import { build } from 'esbuild'

import type { PackedPackage } from '../packed-packages.ts'
import type { Size } from './size.ts'

/** Measures every import name of every package, in the order of their names. */
export async function measureSizes(packages: readonly PackedPackage[]): Promise<readonly Size[]> {
  const measured = await Promise.all(packages.map(measurePackage))
  return measured.flat()
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

async function measurePackage({ folder, tarball }: PackedPackage): Promise<readonly Size[]> {
  const home = `packages/${folder}`
  const { name, exports, peerDependencies = {} } = JSON.parse(readFileSync(`${home}/package.json`, 'utf8')) as Manifest
  const entries = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string' ? [] : [{ subpath: name + subpath.slice(1), file: `${home}/${target.default}` }],
  )
  const sizes = entries.map(async ({ subpath, file }, index) => ({
    subpath,
    bundled: await bundledSize(file, Object.keys(peerDependencies)),
    packed: index === 0 ? statSync(tarball).size : undefined,
  }))
  return Promise.all(sizes)
}

async function bundledSize(entry: string, peers: readonly string[]): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    external: [...peers],
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  })
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}
