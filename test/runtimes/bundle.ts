import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { build } from 'esbuild'

interface BundleOptions {
  readonly entry: string
  /** With `none`, the build fails if the code imports a `node:` module. */
  readonly node: 'none' | 'all'
  /** The output folder. Default: a new folder. */
  readonly folder?: string
  readonly name?: string
}

/** Bundles the sources into one file, `worker.mjs` by default. @returns the folder of the file. */
export async function bundle({ entry, node, folder, name = 'worker' }: BundleOptions): Promise<string> {
  const outdir = folder ?? mkdtempSync(join(tmpdir(), 'mintmark-runtimes-'))
  await build({
    bundle: true,
    format: 'esm',
    entryPoints: { [name]: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    platform: 'neutral',
    // Some packages name their modules only so.
    mainFields: ['module', 'main'],
    external: node === 'all' ? ['node:*'] : [],
    conditions: ['@mintmark/source', 'workerd', 'worker', 'import'],
  })
  return outdir
}
