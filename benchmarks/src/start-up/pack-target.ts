import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build, type Metafile, type Plugin } from 'esbuild'

import type { TargetSettings } from '../site.ts'

/** A target as a host would deploy it: bundled JavaScript, with lazily loaded code in separate files. */
export interface PackedTarget {
  readonly file: string
  /** The code that is loaded at start-up. */
  readonly text: Buffer
}

/** The files that a target imports when it knows its storage. */
const storageFiles: Readonly<Record<TargetSettings['storage'], RegExp>> = {
  memory: /\/memory\/index\.js$/,
  sqlite: /\/sql-(?:connection|store)\.ts$|sqlite|storage-sql\/dist\/index\.js$/,
  postgres: /\/sql-(?:connection|store)\.ts$|postgres|\/pg\/|storage-sql\/dist\/index\.js$/,
}

/**
 * Bundles a target program with the packages of the last build.
 * @param program the path below `targets/`.
 * @param dependencies with `inside`, all dependencies are bundled, and everything is minified. With `outside`, only the
 * packages of this repository are bundled; packages from the registry are loaded from `node_modules`.
 */
export async function packTarget(
  program: string,
  { dependencies, folder, storage = 'memory' }: PackOptions,
): Promise<PackedTarget> {
  const outdir = join(folder, dependencies, program.replaceAll(/\W+/g, '-'))
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve(`../targets/${program}`))],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: dependencies === 'inside',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    plugins: [dependencies === 'inside' ? optionalOutside : registryOutside],
    // Bundled CommonJS modules call `require`.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
  })
  await mkdir(outdir, { recursive: true })
  await Promise.all(outputFiles.map(async ({ path, contents }) => writeFile(path, contents)))
  const entry = Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint !== undefined) ?? ''
  const loaded = loadedFiles(entry, storageFiles[storage], metafile).map((path) => basename(path))
  return {
    file: join(outdir, basename(entry)),
    text: Buffer.concat(
      outputFiles.filter(({ path }) => loaded.includes(basename(path))).map(({ contents }) => contents),
    ),
  }
}

interface PackOptions {
  readonly dependencies: 'inside' | 'outside'
  /** The folder of the output files. */
  readonly folder: string
  readonly storage?: TargetSettings['storage']
}

/** Returns a file, its direct and indirect static imports, and those of the files that belong to its storage. */
function loadedFiles(entry: string, ofStorage: RegExp, { outputs }: Metafile): readonly string[] {
  const found = new Set([entry])
  for (const path of found) {
    for (const { kind, external, path: imported } of outputs[path]?.imports ?? []) {
      const isLoaded = kind === 'import-statement' || ofStorage.test(outputs[imported]?.entryPoint ?? '')
      if (isLoaded && external !== true) found.add(imported)
    }
  }
  return [...found]
}

const registryOutside: Plugin = {
  name: 'registry-outside',
  setup(plugin) {
    plugin.onResolve({ filter: bare }, async ({ path, pluginData, ...from }) => {
      if (pluginData === ownResolution || path.startsWith('node:')) return undefined
      const found = await plugin.resolve(path, { ...from, pluginData: ownResolution })
      if (found.errors.length > 0) return sourceOf(path)
      return found.path.includes('node_modules') ? { path: found.path, external: true } : found
    })
  },
}

/** Optional dependencies that are not installed stay external. */
const optionalOutside: Plugin = {
  name: 'optional-outside',
  setup(plugin) {
    plugin.onResolve({ filter: bare }, async ({ path, pluginData, ...from }) => {
      if (pluginData === ownResolution || path.startsWith('node:')) return undefined
      const found = await plugin.resolve(path, { ...from, pluginData: ownResolution })
      return found.errors.length === 0 ? found : (sourceOf(path) ?? { path, external: true })
    })
  },
}

/** Returns an entry of our packages that is not published, such as that of the brands, which targets use to create their data. */
const sourceOf = (path: string): { readonly path: string } | undefined =>
  path.startsWith('@mintmark/') ? { path: fileURLToPath(import.meta.resolve(path)) } : undefined

/** Marks a resolution that the plug-in itself requested. */
const ownResolution = Symbol('own resolution')

const bare = /^[^./]/
