import { readFileSync, statSync } from 'node:fs'

import { createPages } from '@mintmark/pages'
import { expect, test } from 'vitest'

import { gallery } from '../../packages/pages/src/gallery.ts'

const page = readFileSync('docs/reference/pages.md', 'utf8')

test('docs/reference/pages.md shows every page, in pictures of at most 60 kB (update with `pnpm generate screenshots`)', () => {
  const shown = Array.from(page.matchAll(/^!\[[^\]]{20,}\]\(\.\.\/(images\/pages\/([\w-]+)\.webp)\)$/gm))

  expect(shown.map(([, , name]) => name)).toEqual(Object.keys(gallery(createPages())))
  for (const [, path = ''] of shown) expect(statSync(`docs/${path}`).size).toBeLessThan(60_000)
})
