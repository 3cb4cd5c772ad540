import { existsSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'

import { expect, it } from 'vitest'

import { anchorsOf } from '../../scripts/markdown/anchor.ts'
import { linksOf } from '../../scripts/markdown/link.ts'
import { readPages, type Page } from '../../scripts/markdown/page.ts'

const pages = readPages()

it('every link and anchor of every page resolves', () => {
  expect(pages.flatMap((page) => brokenLinks(page))).toEqual([])
})

it.each(['missing.md', '#no-such-heading', 'glossary.md#no-such-heading', '../package.json#L9999', '/glossary.md', ''])(
  'finds that a link to %j is broken',
  (target) => {
    const page = { path: 'docs/example.md', text: `# Heading\n\nSee [this](${target}) and [that](#heading).\n` }

    expect(brokenLinks(page)).toEqual([`docs/example.md: ${target}`])
  },
)

const brokenLinks = (page: Page): readonly string[] =>
  linksOf(page)
    .filter((target) => !leadsSomewhere(target, page))
    .map((target) => `${page.path}: ${target}`)

function leadsSomewhere(target: string, page: Page): boolean {
  const [path = '', anchor] = target.split('#')
  // A path from the root means something else on GitHub than on a site.
  if (path.startsWith('/') || (path === '' && anchor === undefined)) return false
  const file = path === '' ? page.path : posix.join(posix.dirname(page.path), decodeURIComponent(path))
  if (path !== '' && !existsSync(file)) return false
  if (anchor === undefined) return true
  if (file.endsWith('.md'))
    return anchorsOf(path === '' ? page : { path: file, text: readFileSync(file, 'utf8') }).has(anchor)
  return statSync(file).isFile() && isLine(anchor, readFileSync(file, 'utf8'))
}

const isLine = (anchor: string, text: string): boolean =>
  [...anchor.matchAll(/\d+/g)].every(([line]) => Number(line) >= 1 && Number(line) <= text.split('\n').length) &&
  /^L\d+(?:-L\d+)?$/.test(anchor)
