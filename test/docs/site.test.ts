import { existsSync, globSync, readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { startPage } from '../../docs/.vitepress/config.ts'
import { sidebar } from '../../docs/.vitepress/sidebar.ts'
import { sourceUrl } from '../../docs/.vitepress/source-links.ts'

const items = sidebar().flatMap((section) => section.items)

it('every page of docs is in the sidebar, once', () => {
  const written = globSync('**/*.md', { cwd: 'docs', exclude: ['.vitepress', 'reference/api'] })
  const pages = items.map(({ link }) => `${link.slice(1)}.md`).filter((path) => !path.startsWith('reference/api/'))

  expect(pages.toSorted()).toEqual(written.filter((path) => path !== 'index.md').toSorted())
})

it('every page has a heading, which the sidebar shows', () => {
  const pages = globSync('docs/**/*.md', { exclude: ['docs/.vitepress', 'docs/reference/api'] })

  expect(pages.filter((path) => !/^# \S/m.test(readFileSync(path, 'utf8')))).toEqual([])
})

it.each(startPage.hero.actions)('the button “$text” of the start page leads to a page', ({ link }) => {
  expect(existsSync(`docs${link}.md`)).toBe(true)
})

describe('a link on the site', () => {
  it.each([
    ['to a page of the site is unchanged', '../glossary.md#grant'],
    ['to a file of the site is unchanged', '../reference/openapi/scim.json'],
    ['to a missing page is unchanged, so that the build fails', 'missing.md'],
    ['to a heading of the page is unchanged', '#keys'],
    ['to another site is unchanged', 'https://www.rfc-editor.org/rfc/rfc6749'],
  ])('%s', (_, target) => {
    expect(sourceUrl(target, 'how-to/rotate-keys.md')).toBeUndefined()
  })

  it.each([
    [
      'to a source file leads to the repository',
      '../../packages/core/src/index.ts#L3',
      'packages/core/src/index.ts#L3',
    ],
    ['to a folder leads to the repository', '../adr', 'docs/adr'],
  ])('%s', (_, target, expected) => {
    expect(sourceUrl(target, 'how-to/rotate-keys.md')).toBe(
      `https://github.com/mintmark/mintmark/blob/main/${expected}`,
    )
  })
})
