import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { fencesOf, type Fence } from '../../scripts/markdown.ts'
import type { Terminal } from './terminal.ts'

/** Everything that is needed to follow a page as a reader would. */
export interface PageEnvironment {
  readonly terminal: Terminal
  /** Replacements for npm command lines: unpublished packages cannot be installed by name. */
  readonly npm: (line: string) => string
  /** The address of each long-running program of the page, by its file. */
  readonly programs: Readonly<Record<string, string>>
}

/** The fenced blocks of a page. */
export const blocksOf = (path: string): readonly Fence[] => fencesOf({ path, text: readFileSync(path, 'utf8') })

/** Executes each block. @returns the output of the last command. */
export async function follow(blocks: readonly Fence[], environment: PageEnvironment): Promise<string> {
  let printed = ''
  for (const block of blocks) printed = (await followBlock(block, environment)) ?? printed
  return printed
}

async function followBlock(
  { language, source, code }: Fence,
  environment: PageEnvironment,
): Promise<string | undefined> {
  const { terminal } = environment
  switch (language) {
    case 'ts':
    case 'html':
      writeFileSync(join(terminal.folder(), basename(source)), code)
      return undefined
    case 'diff':
      return applyDiff(join(terminal.folder(), source), code)
    case 'sh':
      // The caller packs the packages.
      return source === 'packing' ? undefined : runBlock(code, environment)
    default:
      // The test checks blocks that only show output.
      return undefined
  }
}

/** Runs one block. A long-running program is alone in its block, except for the `cd` of a new terminal. */
async function runBlock(code: string, { terminal, npm, programs }: PageEnvironment): Promise<string | undefined> {
  const lines = code
    .trim()
    .split('\n')
    .map((line) => (line.startsWith('npm ') ? npm(line) : line))
  const isInServerFolder = terminal.folder().endsWith('/my-server')
  const commands = lines.filter((line) => !(isInServerFolder && line === 'cd my-server'))
  const file = Object.keys(programs).find((name) => commands.at(-1)?.endsWith(` ${name}`))
  if (file === undefined) return terminal.run(commands.join('\n'))
  const [command = ''] = commands
  await terminal.stop(command)
  await terminal.start(command, programs[file] ?? '')
  return undefined
}

/**
 * Applies a diff: replaces each `-` line with the `+` lines after it, and inserts `+` lines that follow an unmarked line.
 * @throws Error if the old line is missing.
 */
function applyDiff(file: string, diff: string): undefined {
  let text = readFileSync(file, 'utf8')
  for (const [, sign, old = '', added = ''] of diff.matchAll(/^([- ])(.*\n)((?:\+.*\n)+)/gm)) {
    if (!text.includes(old)) throw new Error(`${file} has no line ${old}`)
    text = text.replace(old, (sign === '-' ? '' : old) + added.replaceAll(/^\+/gm, ''))
  }
  writeFileSync(file, text)
}
