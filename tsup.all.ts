import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import { defineConfig, type Options } from 'tsup'

import type { Plugin } from 'esbuild'

import { thirdPartyNotices, withoutComments } from './scripts/third-party.ts'
import { unpublishedImports } from './scripts/unpublished.ts'

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly '@mintmark/source': string }>>
  readonly bin?: Readonly<Record<string, string>>
}

/** Of these, what is used is inside the package's own files: docs/adr/0017-zod-and-kysely-are-bundled.md. */
const carried: Readonly<Record<string, readonly string[]>> = { core: ['zod'], 'storage-sql': ['kysely'] }

const unpublished = unpublishedImports()

const exportedClass = /^export class (\w+) .*?^\}$/gms

// Every package in one process: several times faster than one tsup each. Types come from `tsc -b`.
export default defineConfig(
  readdirSync('packages')
    .filter((name) => name !== 'internal')
    .flatMap(packageBuild),
)

function packageBuild(name: string): Options[] {
  const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as Manifest
  const files = sourceFiles(manifest).filter((file) => existsSync(`packages/${name}/${file}`))
  if (files.length === 0) return []

  return [
    {
      name,
      entry: Object.fromEntries(files.map((file) => [entryName(file), `packages/${name}/${file}`])),
      outDir: `packages/${name}/dist`,
      // Everything that is not a relative import stays an import, but for what is carried.
      external: [/^[^./]/],
      noExternal: [...[...unpublished.keys()].map((path) => new RegExp(`^${path}$`)), ...(carried[name] ?? [])],
      esbuildPlugins: [
        withoutComments,
        publishedClasses(name),
        thirdPartyNotices(`packages/${name}/dist`, carried[name] ?? []),
      ],
      // What is bundled of the workspace is bundled from its sources.
      esbuildOptions: (options) => {
        options.conditions = ['@mintmark/source']
      },
      format: ['esm'],
      dts: false,
      sourcemap: true,
      target: 'es2023',
      platform: 'neutral',
      // `node:sqlite` has no name without its prefix.
      removeNodeProtocol: false,
      silent: true,
      // Removes old chunks; scripts/publish-types.mjs writes dist/types.
      clean: ['!types/**'],
      tsconfig: `packages/${name}/tsconfig.json`,
    },
  ]
}

/** One entry per published subpath, and one per command in `bin`. */
function sourceFiles({ name, exports, bin = {} }: Manifest): string[] {
  const subpaths = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string' || unpublished.has(posix.join(name, subpath)) ? [] : [target['@mintmark/source']],
  )
  const commands = Object.values(bin).map((file) => file.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
  return [...subpaths, ...commands]
}

function entryName(file: string): string {
  return file.replace('./src/', '').replace(/\.ts$/, '')
}

/**
 * Where sources of another package are bundled, the classes that it publishes are still imported from it: `instanceof` compares with
 * those, never with a copy.
 */
function publishedClasses(bundling: string): Plugin {
  return {
    name: 'published-classes',
    setup(build) {
      build.onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const [, folder = ''] = /[\\/]packages[\\/]([^\\/]+)[\\/]src[\\/]/.exec(path) ?? []
        if (folder === bundling || folder === 'internal') return undefined
        const published = readFileSync(`packages/${folder}/src/index.ts`, 'utf8')
        const contents = readFileSync(path, 'utf8').replaceAll(exportedClass, (text, name: string) =>
          new RegExp(`\\b${name}\\b`).test(published)
            ? `import { ${name} } from '@mintmark/${folder}'\nexport { ${name} }`
            : text,
        )
        return { contents, loader: 'ts' }
      })
    },
  }
}
