import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Plugin } from 'esbuild'

/**
 * Writes the licences of bundled packages to `dist/THIRD-PARTY-NOTICES.txt`. test/packed/licences.test.ts compares them with what the
 * files contain.
 * @param outDir where the package's files are written.
 */
export const thirdPartyNotices = (outDir: string, packages: readonly string[]): Plugin => ({
  name: 'third-party-notices',
  setup(build) {
    if (packages.length === 0) return
    build.onEnd(async () => {
      await mkdir(outDir, { recursive: true })
      await writeFile(join(outDir, 'THIRD-PARTY-NOTICES.txt'), packages.map(notice).join('\n'))
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

/** @throws Error when the package has no licence. */
function notice(name: string): string {
  const read = (file: string): string => readFileSync(join('node_modules', name, file), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  return `${name} ${version}\n\n${read('LICENSE').trim()}\n`
}
