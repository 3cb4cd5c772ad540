// Runs one of the commands that share a name in package.json: `pnpm generate NAME`, `pnpm bench [NAME]`,
// `pnpm stress NAME`, `pnpm cluster NAME`. The arguments after the name belong to the command.
import { spawnSync } from 'node:child_process'

import { commandGroups, withoutWords } from './commands.ts'

const [group = '', ...words] = process.argv.slice(2)
const commands = commandGroups[group] ?? {}
const names = `Write pnpm ${group} NAME, where NAME is ${Object.keys(commands).join(', ')}.`
// `pnpm bench --quick` measures the requests.
const hasName = group !== 'bench' || (words[0] !== undefined && !words[0].startsWith('-'))
const [name = '', ...rest] = hasName ? words : ['requests', ...words]
const [file, ...before] = commands[name] ?? []

if (words[0] === '--help') {
  console.log(`${names} pnpm ${group} NAME --help says what a command accepts.`)
  process.exit(0)
}
if (file === undefined) {
  console.error(names)
  process.exit(2)
}
if (withoutWords.includes(name) && rest.length > 0) {
  const isHelp = rest.includes('--help')
  console[isHelp ? 'log' : 'error'](`Write pnpm ${group} ${name}, without further words.`)
  process.exit(isHelp ? 0 : 2)
}
// The scripts that run before take minutes.
const needed = rest.includes('--help') ? [] : before
for (const script of needed) run('npx', ['-y', 'pnpm@12.21.0', script])
run(process.execPath, ['--import', './scripts/require-node.mjs', '--conditions=@mintmark/source', file, ...rest])

function run(program: string, words: readonly string[]): void {
  const { status } = spawnSync(program, words, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
