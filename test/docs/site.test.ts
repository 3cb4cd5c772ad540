import { existsSync, readdirSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { fencesOf } from '../../scripts/markdown/fence.ts'
import { parseFlowchart, rowsOf } from '../../scripts/site/flowchart.ts'
import { llmsFull, llmsIndex } from '../../scripts/site/llms.ts'
import { siteTarget, withSiteLinks } from '../../scripts/site/outward-link.ts'
import { siteSections } from '../../scripts/site/section.ts'
import { startPage } from '../../scripts/site/start-page.ts'

const sections = siteSections()
const paths = sections.flatMap(({ pages }) => pages.map(({ path }) => path))

it('every page of docs is in the sidebar once', () => {
  const written = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !/^(?:\.vitepress|reference\/api)\/|^index\.md$/.test(path),
  )

  expect(paths.filter((path) => !path.startsWith('reference/api/')).toSorted()).toEqual(written.toSorted())
})

it('every page has a heading, which names it in the sidebar', () => {
  expect(sections.flatMap(({ pages }) => pages.filter(({ title, path }) => title === path || title === ''))).toEqual([])
})

it.each(startPage.hero.actions)('the button “$text” on the start page has a target', ({ link }) => {
  expect(existsSync(`docs${link}.md`)).toBe(true)
})

describe('a link on the site', () => {
  it.each([
    ['to a page of the site stays', '../glossary.md#grant', '../glossary.md#grant'],
    ['to a file of the site stays', '../reference/openapi/scim.json', '../reference/openapi/scim.json'],
    ['to a page that is not there stays, so that the build fails', 'missing.md', 'missing.md'],
    ['to a heading of the page stays', '#keys', '#keys'],
    ['to another site stays', 'https://www.rfc-editor.org/rfc/rfc6749', 'https://www.rfc-editor.org/rfc/rfc6749'],
    [
      'to a source leads to where sources can be read',
      '../../packages/core/src/index.ts#L3',
      'https://git.example/packages/core/src/index.ts#L3',
    ],
    ['to a folder does so too', '../adr', 'https://git.example/docs/adr'],
  ])('%s', (_, target, expected) => {
    expect(siteTarget(target, 'how-to/rotate-keys.md', 'https://git.example')).toBe(expected)
  })

  it('to a source file becomes plain text when the repository is private', () => {
    const text = 'See [`index.ts`](../../packages/core/src/index.ts) and [the words](../glossary.md).'

    expect(withSiteLinks(text, 'how-to/rotate-keys.md', undefined)).toBe(
      'See `index.ts` and [the words](../glossary.md).',
    )
  })
})

describe('a diagram of boxes and arrows', () => {
  it('has every arrow pointing down, and boxes without arrows in the last row', () => {
    const chart = parseFlowchart('flowchart TD\n  subgraph "One"\n    a --> b\n    a --> c\n  end\n  b --> c\n  d\n')

    expect(chart && rowsOf(chart).map((row) => row.map(({ name, group }) => `${name} ${group}`))).toEqual([
      ['a One'],
      ['b undefined'],
      ['c undefined'],
      ['d undefined'],
    ])
  })

  it('is drawn for every mermaid block', () => {
    const blocks = sections
      .flatMap(({ pages }) => pages.flatMap((page) => fencesOf(page)))
      .filter(({ language }) => language === 'mermaid')

    expect(blocks.length).toBeGreaterThan(0)
    expect(blocks.filter(({ code }) => parseFlowchart(code) === undefined).map(({ place }) => place)).toEqual([])
  })
})

it('llms.txt lists every page with its first paragraph; llms-full.txt has the full text of the guides', () => {
  const index = llmsIndex(sections)

  expect(paths.filter((path) => !index.includes(`](${path})`))).toEqual([])
  expect(index).toMatch(/^- \[Options\]\(reference\/options\.md\): Every option /m)
  expect(llmsFull(sections)).toContain('# An authorization server in ten minutes')
})
