import {
  verdictOf,
  verdicts,
  type Requirement,
  type Standard,
  type Unproven,
} from '../test/conformance/standards/standard.ts'
import type { TestTitle } from './test-titles.ts'

/** Returns the text of docs/conformance.md. */
export function conformancePage(standards: readonly Standard[], titles: readonly TestTitle[]): string {
  return (
    [
      introduction,
      summary(standards),
      deviations(standards),
      ...standards.map((standard) => section(standard, titles)),
    ].join('\n\n') + '\n'
  )
}

/** Returns the cited titles that no test has, each with its standard and section. */
export const missingProofs = (standards: readonly Standard[], titles: readonly TestTitle[]): readonly string[] =>
  standards.flatMap(({ name, requirements }) =>
    requirements.flatMap(([number, , ...proof]) =>
      proof.flatMap((part) =>
        typeof part !== 'string' || provingTest(part, titles) !== undefined ? [] : [`${name} §${number}: ${part}`],
      ),
    ),
  )

const provingTest = (part: string, titles: readonly TestTitle[]): TestTitle | undefined =>
  titles.find(({ title }) => title.includes(part))

function summary(standards: readonly Standard[]): string {
  const rows = standards.map(({ name, requirements }) => [`[${name}](#${anchorOf(name)})`, ...counts(requirements)])
  const total = ['all', ...counts(standards.flatMap(({ requirements }) => requirements))]
  return table(['standard', ...verdicts], [...rows, total])
}

/** Returns the list of deviations. It is at the top, because readers who compare servers look for it. */
function deviations(standards: readonly Standard[]): string {
  const lines = standards.flatMap(({ name, requirements }) =>
    requirements.flatMap(([number, must, first]) =>
      typeof first === 'object' && first.verdict === 'deviation'
        ? [`- **${name} §${number}:** ${escapeMarkdown(must)}. *Why:* ${escapeMarkdown(first.why)}.`]
        : [],
    ),
  )
  return ['## Deviations', lines.join('\n')].join('\n\n')
}

const counts = (requirements: readonly Requirement[]): readonly string[] =>
  verdicts.map((verdict) => String(requirements.filter((requirement) => verdictOf(requirement) === verdict).length))

function section({ name, title, address, requirements }: Standard, titles: readonly TestTitle[]): string {
  const rows = requirements.map(([number, must, ...proof]) => [
    sectionLink(number, address),
    escapeMarkdown(must),
    proof.map((part) => (typeof part === 'string' ? testLink(part, titles) : reason(part))).join('<br>'),
  ])
  return [`## ${name}`, `[${title}](${address})`, table(['§', 'requirement', 'proof'], rows)].join('\n\n')
}

function sectionLink(number: string, address: string): string {
  if (!address.includes('/rfc/')) return number
  return `[${number}](${address}#${/^[A-Z]/.test(number) ? 'appendix' : 'section'}-${number})`
}

function testLink(part: string, titles: readonly TestTitle[]): string {
  const test = provingTest(part, titles)
  return test === undefined
    ? `no such test: ${escapeMarkdown(part)}`
    : `[${escapeMarkdown(test.title)}](../${test.file})`
}

const reason = ({ verdict, why }: Unproven): string => `*${verdict}:* ${escapeMarkdown(why)}`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Escapes Markdown, and braces, which the site would interpret as a template. */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_[\]<>|~]/g, String.raw`\$&`)
    .replaceAll('{', '&#123;')
    .replaceAll('}', '&#125;')

const anchorOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

const introduction = `# Conformance

This page lists each MUST, MUST NOT, SHALL and REQUIRED in the supported standards that applies to Mintmark, in our words, with
the tests that prove it. If there are many such tests, the most important ones are listed. \`pnpm generate conformance\` writes this page
from [test/conformance/standards](../test/conformance/standards/standards.ts) and the titles of the tests. A test fails if a
cited title no longer exists.

- **proven**: the linked test proves that Mintmark meets the requirement. \`…\` in a title is a value that is known only when the
  test runs.
- **outside**: another party must meet the requirement: the client, the host or its proxy.
- **not offered**: the requirement concerns an optional feature that Mintmark does not have.
- **deviation**: Mintmark deliberately does not meet the requirement, for the stated reason.
- **not tested**: no test proves that Mintmark meets the requirement.`
