import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { build, type Metafile, type Plugin } from 'esbuild'

/** A target as its host would deploy it: JavaScript, what it may load later apart. */
export interface PackedTarget {
  readonly file: string
  /** Of what is loaded at once: its text, minified or not. */
  readonly text: Buffer
}

/**
 * Packs a target program, over what the last build made of our packages.
 * @param program below `targets/`.
 * @param dependencies `inside`: all of them are packed too, and minified. `outside`: those from the registry are loaded from
 * where they are installed, as packages are; ours are inside.
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
    // What CommonJS modules inside the file expect.
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
  /** Where the files are written. */
  readonly folder: string
}

/** A file and those that it imports, wherever they are imported again. */
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

/** What a package would load if it were installed stays outside. */
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

/** Says that the question is the plug-in's own. */
const seen = Symbol('seen')

const bare = /^[^./]/
