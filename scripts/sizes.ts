// Measures the sizes of bundles and of downloads, and writes docs/reference/sizes.md. A size that has grown requires
// --because "the reason".
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { runCommand } from './command-words.ts'
import { packPackages } from './packed-packages.ts'

interface Measured {
  readonly name: string
  readonly size: number
  readonly sizeLimit: number
  readonly passed: boolean
}

const introduction = `# Sizes

All sizes are in bytes. The size of an import path is the code that it adds to a server, with its dependencies, in one minified and
gzipped file, without Node's own modules and without peer dependencies such as Express, Kysely and pg. *Packed* is the tarball that
npm downloads, with types and source maps.

\`npx -y pnpm@12.21.0 generate sizes\` writes this page. \`package-check\` fails if a size has grown by more than 3 % and 100 bytes. To record
growth, state the reason: \`sizes --because "…"\`.

| what | bytes |
|---|---|`

const page = 'docs/reference/sizes.md'
const { because } = await runCommand(
  'Write pnpm generate sizes [--because REASON].',
  (args) => parseArgs({ args, options: { because: { type: 'string' } } }).values,
)
packPackages()
const { stdout, stderr } = spawnSync('node_modules/.bin/size-limit', ['--json'], { encoding: 'utf8' })
if (!stdout.startsWith('[')) throw new Error(`${stdout}${stderr}`)
const measured = JSON.parse(stdout) as readonly Measured[]
const grown = measured.filter(({ passed }) => !passed)

if (grown.length > 0 && because === undefined) {
  const lines = grown.map(({ name, size, sizeLimit }) => `${name}: ${size}, limit ${sizeLimit}`)
  console.error(
    `These sizes have grown:\n${lines.join('\n')}\nMake them smaller, or state the reason: sizes --because "…"`,
  )
  process.exitCode = 1
} else {
  writeFileSync(page, sizesPage())
}

/** Returns the page. Without a reason, a recorded size can only decrease, so that repeated small growth is noticed. */
function sizesPage(): string {
  const text = readFileSync(page, 'utf8')
  const recorded = new Map(
    Array.from(text.matchAll(/^\| (.+) \| (\d+) \|$/gm), ([, name, size]) => [name, Number(size)]),
  )
  const rows = measured.map(({ name, size }) => {
    const newSize = because === undefined ? Math.min(size, recorded.get(name) ?? size) : size
    return `| ${name} | ${newSize} |`
  })
  const reasons = Array.from(text.matchAll(/^- .+$/gm), ([line]) => line)
  const date = new Date().toISOString().slice(0, 10)
  const all = because === undefined ? reasons : [`- ${date}: ${because}`, ...reasons]
  return `${introduction}\n${rows.join('\n')}\n\n## Why they grew\n\n${all.join('\n')}\n`
}
