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

/** The reference is of a server without this option. */
const ofOptions: ReadonlySet<string> = new Set(['POST /bc-authorize'])

it('every request that a guide names is one of the endpoints in the reference', () => {
  const reference = pages.find(({ path }) => path === 'docs/reference/endpoints.md')?.text ?? ''
  const known = [...reference.matchAll(/^### (\w+ \S+)$/gm)].map(
    ([, request = '']) =>
      new RegExp(`^${request.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i'),
  )
  const named = pages
    .filter(({ path }) => path.startsWith('docs/how-to/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`?\s]+)/g)].map(([, request = '']) => ({ path, request })),
    )
    .filter(({ request }) => !ofOptions.has(request))
  const unknown = named.filter(({ request }) => {
    const local = request.replace(/ \/(?:admin\/v1|scim\/v2\/enterprise-idps\/[^/]+)(?=\/)/, ' ').replace('/…', '')
    return !known.some((endpoint) => endpoint.test(local)) && !known.some((endpoint) => endpoint.test(request))
  })

  expect(named.length).toBeGreaterThan(15)
  expect(unknown).toEqual([])
})
