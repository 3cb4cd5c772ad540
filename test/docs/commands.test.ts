import { existsSync, readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { createProgram } from '../../packages/cli/src/program.ts'
import { commandGroups } from '../../scripts/commands.ts'
import { fencesOf, readPages } from '../../scripts/markdown.ts'
import { shellCommands } from './shell-command.ts'
import { silentIo } from '../../scripts/reference/silent-io.ts'

const blocks = readPages().flatMap((page) => fencesOf(page).filter(({ language }) => language === 'sh'))

it('every command in an sh block exists', () => {
  const unknown = blocks.flatMap(({ position, code }) =>
    shellCommands(code).flatMap((words) => (isKnown(words) ? [] : [`${position}: ${words.join(' ')}`])),
  )

  expect(unknown).toEqual([])
})

describe('the check finds', () => {
  it.each([
    ['a script that does not exist', 'npx -y pnpm@12.21.0 no-such-script'],
    ['a subcommand that does not exist', 'npx mintmark client retire my-app'],
    ['an option that does not exist', 'npx mintmark purge --everything'],
    ['a missing argument', 'npx mintmark keys drop'],
    ['a package that does not exist', 'npm install @mintmark/sql'],
    ['an unknown program', 'mintmarkd --port 1'],
  ])('%s', (_, code) => {
    expect(shellCommands(code).map((words) => isKnown(words))).toEqual([false])
  })
})

it.each([
  [
    'A=1 B="x y" node a.ts > b.env && cd c # a comment',
    [
      ['node', 'a.ts'],
      ['cd', 'c'],
    ],
  ],
  [
    "curl -d '{\n}' \\\n  $URL/#x | jq .a",
    [
      ['curl', '-d', '{\n}', '$URL/#x'],
      ['jq', '.a'],
    ],
  ],
  ['# only a comment', []],
])('splits %j into commands and words', (code, words) => {
  expect(shellCommands(code)).toEqual(words)
})

function isKnown([program = '', ...rest]: readonly string[]): boolean {
  const args = program === 'npx' ? rest.filter((word) => word !== '-y') : rest
  const name = program === 'npx' ? (args.shift() ?? '') : program
  if (/^pnpm(?:@[\d.]+)?$/.test(name)) return isPnpmCommand(args)
  if (name === 'mintmark') return isMintmarkCommand(args)
  if (name === 'mintmark-migrate') return ['print', 'apply', 'copy', 'status'].includes(args[0] ?? '')
  if (name === 'npm')
    return args.every(
      (word) => !word.startsWith('@mintmark/') || existsSync(`packages/${word.slice('@mintmark/'.length)}`),
    )
  return programs.has(name) || (name.startsWith('.') && existsSync(name))
}

function isPnpmCommand(args: readonly string[]): boolean {
  const words = args.filter((word, at) => !word.startsWith('-') && args[at - 1] !== '--filter')
  if (words[0] === 'mintmark') return isMintmarkCommand(args.slice(args.indexOf('mintmark') + 1))
  if (words[0] === 'exec') return existsSync(`node_modules/.bin/${words[1]}`)
  const group = commandGroups[words[0] ?? '']
  if (group !== undefined) return isGroupCommand(group, args[args.indexOf(words[0] ?? '') + 1])
  return ['install', 'pack', 'add'].includes(words[0] ?? '') || Object.hasOwn(manifest.scripts, words[0] ?? '')
}

/** The benchmark without a name has options only. */
const isGroupCommand = (group: Record<string, unknown>, name = 'requests'): boolean =>
  Object.hasOwn(group, name.startsWith('-') ? 'requests' : name)

function isMintmarkCommand(args: readonly string[]): boolean {
  const program = createProgram(silentIo)
  removeActions(program)
  try {
    program.parse([...args], { from: 'user' })
    return true
  } catch (error) {
    // Commander throws for unknown commands and options, and with exit code 0 after printing help.
    return error instanceof Error && 'exitCode' in error && error.exitCode === 0
  }
}

function removeActions(command: ReturnType<typeof createProgram>): void {
  for (const child of command.commands) removeActions(child)
  if (command.commands.length === 0) command.action(() => undefined)
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** Programs on the reader's machine, or installed by an earlier step of the page. */
const programs: ReadonlySet<string> = new Set(
  `. cat cd chmod cp export mkdir mv rm source kill
   curl create-next-app@latest git jq node openssl tar
   createdb createuser pg_dump pg_restore psql sqlite3 redis-cli
   caddy crontab docker nginx systemctl wrangler`.split(/\s+/),
)
