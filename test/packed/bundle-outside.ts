import { build } from 'esbuild'

/** Makes one file of a program of this repository, which imports every package from where it is put. */
export async function bundleOutside(entry: string, outfile: string): Promise<void> {
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' } as const
  await build({ ...options, entryPoints: [entry], outfile })
}
