import { readdirSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'
import { clientMetadata } from '@mintmark/core/internal'

const pages = ['docs/explanation', 'docs/how-to', 'docs/tutorial'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
)

/** The names in the generated reference: each full name, such as `lifetimes.idToken`, and its last part. */
const known = new Set([
  ...[...readFileSync('docs/reference/options.md', 'utf8').matchAll(/^(?:\*\*|#### )`([\w.]+)`/gm)].flatMap(
    ([, name = '']) => [name, name.split('.').at(-1) ?? ''],
  ),
  ...Object.keys(clientMetadata),
])

/** Finds the options that prose names: "the option `x`", "set `x`", "set `x: true`". */
const namedOptions = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:[Oo]ptions?|[Ss]et) `([a-z][A-Za-z]*(?:\.\w+)*)(?:: [^`]*)?`/g)]
    .map(([, name = '']) => name)
    // This is an option of Node.
    .filter((name) => name !== 'server.maxConnections')

it('every option that a page names exists', () => {
  const wrong = pages.flatMap((page) =>
    namedOptions(readFileSync(page, 'utf8')).flatMap((name) => (known.has(name) ? [] : [`${page}: ${name}`])),
  )

  expect(wrong).toEqual([])
})

it('finds an option that does not exist, and reads more than five options in the pages', () => {
  expect(namedOptions('set `offboarding: { users: 500 }`, or the option `lifetimes.idToken`')).toEqual([
    'offboarding',
    'lifetimes.idToken',
  ])
  expect(known.has('offboarding')).toBe(false)
  expect(known.size).toBeGreaterThan(50)
  expect(pages.flatMap((page) => namedOptions(readFileSync(page, 'utf8'))).length).toBeGreaterThan(5)
})
