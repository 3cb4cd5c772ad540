import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { build } from 'esbuild'

interface BundleOptions {
  readonly entry: string
  /** `none`: an import of a `node:` module fails the bundling. */
  readonly node: 'none' | 'all'
  /** Default: a new one. */
  readonly folder?: string
  readonly name?: string
}

/** Bundles the sources into one file, `worker.mjs` by default. @returns its folder. */
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
    external: node === 'all' ? ['node:*'] : [],
    conditions: ['@mintmark/source', 'workerd', 'worker', 'import'],
  })
  return outdir
}
