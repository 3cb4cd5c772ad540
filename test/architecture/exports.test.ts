import { readdirSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

/** The source file of each import specifier, such as `@mintmark/core/http`. */
const entries = readdirSync('packages').flatMap((folder) => {
  const { name, exports = {} } = JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')) as Manifest
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return []
    return [
      {
        subpath: name + subpath.slice(1),
        text: readFileSync(`packages/${folder}/${target['@mintmark/source']}`, 'utf8'),
      },
    ]
  })
})

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string | { readonly '@mintmark/source': string }>>
}

test.each(entries)('$subpath lists its names by hand and contains nothing else', ({ text }) => {
  expect(text.replaceAll(exportList, '').trim()).toBe('')
})

/** `export { a, b } from './c.ts'`, or the same with `type`. */
const exportList =
  /^export (type )?\{([^}]*)\}(?: from '(?:\.|@mintmark\/(?:internal|storage-interface\/stores))[^']*')?$/gm
