import { verdictOf, verdicts, type Requirement, type Standard, type Unproven } from './standard.ts'
import type { TestTitle } from './test-titles.ts'

/** The page docs/conformance.md for the tests that there are. */
export function conformancePage(standards: readonly Standard[], titles: readonly TestTitle[]): string {
  return (
    [
      introduction,
      summary(standards),
      departures(standards),
      ...standards.map((standard) => section(standard, titles)),
    ].join('\n\n') + '\n'
  )
}

/** The parts of titles that no test has, each with where it is named. */
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

/** What a reader who compares servers asks first. */
function departures(standards: readonly Standard[]): string {
  const lines = standards.flatMap(({ name, requirements }) =>
    requirements.flatMap(([number, must, first]) =>
      typeof first === 'object' && first.verdict === 'departed'
        ? [`- **${name} §${number}:** ${escaped(must)}. *Departed:* ${escaped(first.why)}.`]
        : [],
    ),
  )
  return ['## Departures', lines.join('\n')].join('\n\n')
}

const counts = (requirements: readonly Requirement[]): readonly string[] =>
  verdicts.map((verdict) => String(requirements.filter((requirement) => verdictOf(requirement) === verdict).length))

function section({ name, title, address, requirements }: Standard, titles: readonly TestTitle[]): string {
  const rows = requirements.map(([number, must, ...proof]) => [
    sectionLink(number, address),
    escaped(must),
    proof.map((part) => (typeof part === 'string' ? testLink(part, titles) : reason(part))).join('<br>'),
  ])
  return [`## ${name}`, `[${title}](${address})`, table(['§', 'what it asks', 'proof'], rows)].join('\n\n')
}

function sectionLink(number: string, address: string): string {
  if (!address.includes('/rfc/')) return number
  return `[${number}](${address}#${/^[A-Z]/.test(number) ? 'appendix' : 'section'}-${number})`
}

function testLink(part: string, titles: readonly TestTitle[]): string {
  const test = provingTest(part, titles)
  return test === undefined ? `no such test: ${escaped(part)}` : `[${escaped(test.title)}](../${test.file})`
}

const reason = ({ verdict, why }: Unproven): string => `*${verdict}:* ${escaped(why)}`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Titles quote markup, and braces that a site would take for a template. */
const escaped = (text: string): string =>
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

Each MUST, MUST NOT, SHALL and REQUIRED that the standards in scope put to a server like this one, in our words, and the
test that proves it; where several do, those that say most. This page is written by \`pnpm conformance\` from
[scripts/conformance](../scripts/conformance/standards.ts) and the titles of the tests; a test of its own fails when a
title is gone.

- **proven**: a test holds it, by the title that is linked. \`…\` stands for what only the run of the test knows.
- **outside**: the duty of somebody else: the client, the host, its proxy.
- **not offered**: of a feature that the standard leaves open, and that is not there.
- **departed**: ours, and deliberately not kept, with the reason.
- **not tested**: ours, and no test holds it.`
