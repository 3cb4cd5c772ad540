import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { searchWeight, startPage } from '../../docs/.vitepress/config.ts'
import { sidebar } from '../../docs/.vitepress/sidebar.ts'
import { sourceUrl } from '../../docs/.vitepress/source-links.ts'
import { withSentences } from '../../scripts/llms-index.ts'

const items = sidebar().flatMap((section) => section.items)

it('every page of docs is in the sidebar, once', () => {
  const written = globSync('**/*.md', { cwd: 'docs', exclude: ['.vitepress', 'reference/api'] })
  const pages = items.map(({ link }) => `${link.slice(1)}.md`).filter((path) => !path.startsWith('reference/api/'))

  expect(pages.toSorted()).toEqual(written.filter((path) => path !== 'index.md').toSorted())
})

it('every page can be reached from the start page by the links in pages', () => {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    const isFolder = existsSync(path) && !path.endsWith('.md') && existsSync(join(path, 'README.md'))
    const page = isFolder ? join(path, 'README.md') : path
    if (reached.has(page) || !page.endsWith('.md') || !existsSync(page)) return
    reached.add(page)
    for (const [, target = ''] of readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
      if (!/^https?:/.test(target)) visit(join(dirname(page), target))
  }
  visit('docs/index.md')

  const pages = globSync('docs/**/*.md', { exclude: ['docs/.vitepress', 'docs/reference/api'] })
  expect(pages.filter((page) => !reached.has(page))).toEqual([])
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

describe('llms.txt', () => {
  const entry = (path: string): string => `- [Title](/${path})`
  const sentenceOf = (text: string): string => withSentences(entry('how-to/x.md'), () => text)

  it('has the first sentence of a page, without links', () => {
    const page = '---\nurl: x\n---\n\n# Title\n\nThis page shows [how to\nsign in](sign-in.md). It is long.\n\nMore.'

    expect(sentenceOf(page)).toBe(`${entry('how-to/x.md')}: This page shows how to sign in.`)
  })

  it('has only the title of a decision', () => {
    expect(withSentences(entry('adr/0001-x.md'), () => '# 1. X\n\nStatus: accepted.')).toBe(entry('adr/0001-x.md'))
  })

  it('is short enough to read at once: at most 20 KB for the pages that people wrote', () => {
    const index = items.map(({ link }) => entry(`${link.slice(1)}.md`)).join('\n')
    const written = withSentences(index, (path) =>
      existsSync(`docs/${path}`) ? readFileSync(`docs/${path}`, 'utf8') : '',
    )

    expect(written.length).toBeLessThan(20_000)
  })
})

describe('the search', () => {
  it.each([
    ['a guide before a page of the reference', '/how-to/deploy#health', '/reference/endpoints#get-auth'],
    ['a page of the reference before a decision', '/reference/endpoints#get-auth', '/adr/0050-health#why'],
    [
      'an option of that name before a guide',
      '/reference/options.html#clientdocuments',
      '/how-to/let-mcp-clients-in#x',
    ],
  ])('weighs %s', (_, first, second) => {
    expect(searchWeight(first, 'clientDocuments')).toBeGreaterThan(searchWeight(second, 'clientDocuments'))
  })
})
