import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Plugin } from 'esbuild'

/**
 * Writes the licences of bundled packages to `dist/THIRD-PARTY-NOTICES.txt`. test/packed/licences.test.ts compares the
 * file with the code in the bundles.
 * @param outDir the output folder of the package.
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

/**
 * Removes the comments of Kysely, which are most of its text. Comments of zod stay: they tell bundlers what is unused.
 */
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

/** Returns the licence of a package. @throws Error if the package has no licence file. */
function notice(name: string): string {
  const read = (file: string): string => readFileSync(join('node_modules', name, file), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  return `${name} ${version}\n\n${read('LICENSE').trim()}\n`
}
