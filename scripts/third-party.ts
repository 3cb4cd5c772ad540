import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Metafile, Plugin } from 'esbuild'

/**
 * What a package carries of others in its files comes with their licences: `dist/THIRD-PARTY-NOTICES.txt`.
 * @param outDir where the package's files are written.
 */
export const thirdPartyNotices = (outDir: string): Plugin => ({
  name: 'third-party-notices',
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(async ({ metafile }) => {
      const notices = carriedPackages(metafile).map(notice)
      if (notices.length === 0) return
      await mkdir(outDir, { recursive: true })
      await writeFile(join(outDir, 'THIRD-PARTY-NOTICES.txt'), notices.join('\n'))
    })
  },
})

/** Most of Kysely's text is comments. zod's say what a bundler may leave out. */
export const withoutComments: Plugin = {
  name: 'without-comments',
  setup(build) {
    build.onLoad({ filter: /node_modules\/kysely\/.*\.js$/ }, async ({ path }) => {
      const { code } = await build.esbuild.transform(await readFile(path, 'utf8'), {
        minifyWhitespace: true,
        legalComments: 'none',
      })
      return { contents: code }
    })
  },
}

/** The folders of the packages of which something is in the output. */
function carriedPackages(metafile: Metafile | undefined): readonly string[] {
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs))
  const folders = inputs.filter((path) => path.includes('node_modules/')).map(packageFolder)
  return [...new Set(folders)].toSorted()
}

/** Folders inside a package may have a package.json of their own, which names nothing. */
function packageFolder(path: string): string {
  const folder = dirname(path)
  return existsSync(join(folder, 'package.json')) && manifestOf(folder).version !== undefined
    ? folder
    : packageFolder(folder)
}

/** @throws Error when there is no licence to carry along. */
function notice(folder: string): string {
  const { name, version } = manifestOf(folder)
  return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`
}

const manifestOf = (folder: string): { readonly name?: string; readonly version?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version?: string }
