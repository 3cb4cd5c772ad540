// Measures what users bundle and download, and writes docs/reference/sizes.md. A size that grew needs --because "the reason".
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { packPackages } from './packed-packages.ts'

interface Measured {
  readonly name: string
  readonly size: number
  readonly sizeLimit: number
  readonly passed: boolean
}

const introduction = `# Sizes

In bytes. For each import path: what it adds to a server, with its dependencies, in one file, minified and gzipped, without Node's
own modules and without peer dependencies such as Express, Kysely and pg. *Packed* is the tarball that npm downloads, with types and
source maps.

\`npx -y pnpm@12.21.0 sizes\` writes this page, and \`package-check\` fails when a size has grown by more than 3 % and 100 bytes. To
record growth, give the reason: \`sizes --because "…"\`.

| what | bytes |
|---|---|`

const page = 'docs/reference/sizes.md'
const { because } = parseArgs({ options: { because: { type: 'string' } } }).values
packPackages()
const { stdout, stderr } = spawnSync('node_modules/.bin/size-limit', ['--json'], { encoding: 'utf8' })
if (!stdout.startsWith('[')) throw new Error(`${stdout}${stderr}`)
const measured = JSON.parse(stdout) as readonly Measured[]
const grown = measured.filter(({ passed }) => !passed)

if (grown.length > 0 && because === undefined) {
  const lines = grown.map(({ name, size, sizeLimit }) => `${name}: ${size}, limit ${sizeLimit}`)
  console.error(`These have grown:\n${lines.join('\n')}\nMake them smaller, or give the reason: sizes --because "…"`)
  process.exitCode = 1
} else {
  writeFileSync(page, sizesPage())
}

/** Without a reason a size goes down and never up, so that small growth adds up until somebody gives the reason. */
function sizesPage(): string {
  const text = readFileSync(page, 'utf8')
  const recorded = new Map(
    Array.from(text.matchAll(/^\| (.+) \| (\d+) \|$/gm), ([, name, size]) => [name, Number(size)]),
  )
  const rows = measured.map(({ name, size }) => {
    const kept = because === undefined ? Math.min(size, recorded.get(name) ?? size) : size
    return `| ${name} | ${kept} |`
  })
  const reasons = Array.from(text.matchAll(/^- .+$/gm), ([line]) => line)
  const date = new Date().toISOString().slice(0, 10)
  const all = because === undefined ? reasons : [`- ${date}: ${because}`, ...reasons]
  return `${introduction}\n${rows.join('\n')}\n\n## Why they grew\n\n${all.join('\n')}\n`
}
