import { spawnSync } from 'node:child_process'

import { expect, it } from 'vitest'

import { readPages, withoutFences, type Page } from '../../scripts/markdown.ts'

const pages = readPages()

it('every link leads to an existing file and an existing heading', () => {
  expect(linkErrors(pages.map(({ path }) => path))).toBe('')
})

it('no link is empty or starts at the root, which differs between GitHub and the site', () => {
  expect(pages.flatMap((page) => unclearLinks(page))).toEqual([])
})

it('finds broken links', () => {
  const targets = ['missing.md', '#no-such-heading', 'glossary.md#no-such-heading', '../package.json#L9999']
  const text = `# Heading\n\n${[...targets, '#heading'].map((target) => `[this](${target})`).join('\n\n')}\n`

  const errors = linkErrors(['--file-path', 'docs/example.md'], text)

  expect(Array.from(errors.matchAll(/remark-validate-links:(\S+)/g), ([, rule]) => rule)).toEqual([
    'missing-file',
    'missing-heading',
    'missing-heading-in-file',
    'missing-heading-in-file',
  ])
  expect(unclearLinks({ path: 'a.md', text: 'See [this](/glossary.md), [that]() and [it](glossary.md).' })).toEqual([
    'a.md: [this](/glossary.md)',
    'a.md: [that]()',
  ])
})

/** Returns the messages of remark-validate-links; an empty string if it finds nothing. */
function linkErrors(args: readonly string[], input?: string): string {
  const options = ['--quiet', '--frail', '--no-color', '--no-stdout', '--use', 'remark-validate-links=repository:false']
  const { stderr, error } = spawnSync('node_modules/.bin/remark', [...options, ...args], { encoding: 'utf8', input })
  return error?.message ?? stderr
}

const unclearLinks = ({ path, text }: Page): readonly string[] =>
  Array.from(withoutFences(text).matchAll(/(?<!`)\[[^\]]*\]\((?:\/[^)]*)?\)(?!`)/g), ([link]) => `${path}: ${link}`)
