import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'

import { thirdPartyNotices, withoutComments } from './scripts/third-party.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly '@mintmark/source': string }>>
  readonly bin?: Readonly<Record<string, string>>
}

/** Of these, what is used is inside the package's own files: docs/adr/0017-zod-and-kysely-are-carried.md. */
const carried: Readonly<Record<string, readonly string[]>> = { core: ['zod'], 'storage-sql': ['kysely'] }

// Every package in one process: several times faster than one tsup each. Types come from `tsc -b`.
export default defineConfig(readdirSync('packages').filter((name) => name !== 'internal').flatMap(packageBuild))

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
      noExternal: ['@mintmark/internal', ...(carried[name] ?? [])],
      esbuildPlugins: [withoutComments, thirdPartyNotices(`packages/${name}/dist`)],
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

/** One entry per subpath of `exports`, and one per command in `bin`. */
function sourceFiles({ exports, bin = {} }: Manifest): string[] {
  const subpaths = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target['@mintmark/source']],
  )
  const commands = Object.values(bin).map((file) => file.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
  return [...subpaths, ...commands]
}

function entryName(file: string): string {
  return file.replace('./src/', '').replace(/\.ts$/, '')
}
