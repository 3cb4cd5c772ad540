import type ts from 'typescript'

import { slug } from 'github-slugger'
import { configurables, type Configurable, type Option } from './option.ts'
import type { PublicApi } from './public-api.ts'

/** The page `docs/reference/options.md`, from the doc comments of the options. */
export function optionsPage(api: PublicApi): string {
  const all = configurables(api).toSorted((one, other) => rank(one) - rank(other))
  const shownAt = new Map<ts.Node, string>()
  const sections = all.map((configurable) => section(configurable, shownAt))
  const packages = [...new Set(all.map(({ entryPoint }) => entryPoint))]
  return (
    [
      introduction,
      ...packages.map((name) =>
        [`## ${name}`, ...sections.filter((_, at) => all[at]?.entryPoint === name)].join('\n\n'),
      ),
    ].join('\n\n') + '\n'
  )
}

/** What most people look for comes first: the servers, then what they are given. */
const rank = ({ entryPoint, name }: Configurable): number => {
  const place = first.indexOf(entryPoint)
  return (place === -1 ? first.length : place) * 2 + (/^create\w+(?:Server|Administration)$/.test(name) ? 0 : 1)
}

const first = [
  '@mintmark/core',
  '@mintmark/scim',
  '@mintmark/admin',
  '@mintmark/resource-server',
  '@mintmark/storage-sql',
]

const introduction = `# Options

Every option of every function that takes some, with its default and the reason for it. Whatever has no default has to be
given. TypeScript refuses other names, and so does \`createAuthorizationServer\` when it starts: a misspelled option would
leave a default in force without a word.

This page is written by \`pnpm reference\` from the doc comments, which your editor shows as well.`

/** What another function takes as well is written out once. */
function section({ call, name, text, options }: Configurable, shownAt: Map<ts.Node, string>): string {
  const own = options.filter(({ declaration }) => declaration === undefined || !shownAt.has(declaration))
  const shared = options.filter(({ declaration }) => declaration !== undefined && shownAt.has(declaration))
  for (const { declaration } of own) if (declaration !== undefined) shownAt.set(declaration, name)
  const itsCall = call === `${name}(options)` ? [] : [`\`${call}\``]
  const parts = [`### ${name}`, ...itsCall, firstParagraph(text), ...own.map(entry), ...sharedWith(shared, shownAt)]
  return parts.join('\n\n')
}

const firstParagraph = (text: string): string => text.split('\n\n')[0] ?? ''

function entry(option: Option): string {
  const { name, type, isRequired, text } = option
  return [`**\`${name}\`** \`${type}\`${isRequired ? ', required' : ''}`, text, defaultLine(option)]
    .filter((line) => line !== '')
    .join('\\\n')
}

function defaultLine({ isRequired, isGroup, defaultValue }: Option): string {
  if (defaultValue !== undefined) return `Default: ${defaultValue.value}. ${defaultValue.reason}`
  return isRequired || !isGroup ? '' : 'Default: those of its members.'
}

function sharedWith(options: readonly Option[], shownAt: ReadonlyMap<ts.Node, string>): readonly string[] {
  const owners = new Map<string, string[]>()
  for (const { name, declaration } of options.filter((option) => !/[.[]/.test(option.name))) {
    const owner = (declaration && shownAt.get(declaration)) ?? ''
    owners.set(owner, [...(owners.get(owner) ?? []), name])
  }
  return [...owners].map(
    ([owner, names]) => `${names.map((name) => `\`${name}\``).join(', ')}: as at [\`${owner}\`](#${slug(owner)}).`,
  )
}
