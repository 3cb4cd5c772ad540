import { build } from 'esbuild'

/** Bundles a program of this repository into one file, which imports every package from the installation next to it. */
export async function bundleOutside(entry: string, outfile: string): Promise<void> {
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' } as const
  await build({ ...options, entryPoints: [entry], outfile })
}
