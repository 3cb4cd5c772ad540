import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build, type Metafile, type Plugin } from 'esbuild'

/** A target as its host would deploy it: JavaScript, with lazily loaded code in separate files. */
export interface PackedTarget {
  readonly file: string
  /** The size of the code that is loaded at start-up, minified or not. */
  readonly text: Buffer
}

/**
 * Bundles a target program with the packages of the last build.
 * @param program below `targets/`.
 * @param dependencies `inside`: all of them are bundled too, and minified. `outside`: those from the registry are
 * loaded from their installation; ours are bundled.
 */
export async function packTarget(program: string, { dependencies, folder }: PackOptions): Promise<PackedTarget> {
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
    // Expected by the CommonJS modules inside the file.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
  })
  await mkdir(outdir, { recursive: true })
  await Promise.all(outputFiles.map(async ({ path, contents }) => writeFile(path, contents)))
  const entry = Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint !== undefined) ?? ''
  const loaded = loadedAtOnce(entry, metafile).map((path) => basename(path))
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
}

/** A file and its direct and indirect imports. */
function loadedAtOnce(entry: string, { outputs }: Metafile): readonly string[] {
  const found = new Set([entry])
  for (const path of found) {
    for (const { kind, external, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) found.add(imported)
    }
  }
  return [...found]
}

const registryOutside: Plugin = {
  name: 'registry-outside',
  setup(own) {
    own.onResolve({ filter: bare }, async ({ path, pluginData, ...from }) => {
      if (pluginData === seen || path.startsWith('node:')) return undefined
      const found = await own.resolve(path, { ...from, pluginData: seen })
      return found.path.includes('node_modules') ? { path: found.path, external: true } : found
    })
  },
}

/** Optional dependencies that are not installed stay external. */
const optionalOutside: Plugin = {
  name: 'optional-outside',
  setup(own) {
    own.onResolve({ filter: bare }, async ({ path, pluginData, ...from }) => {
      if (pluginData === seen || path.startsWith('node:')) return undefined
      const found = await own.resolve(path, { ...from, pluginData: seen })
      return found.errors.length === 0 ? found : { path, external: true }
    })
  },
}

/** Marks a resolution that the plug-in itself requested. */
const seen = Symbol('seen')

const bare = /^[^./]/
