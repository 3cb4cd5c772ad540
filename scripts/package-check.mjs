// Lets publint and attw look at every package as it would be published, loads what was built, and weighs it.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

import { packPackages } from './packed-packages.ts'
import { measureSizes } from './sizes/measure-sizes.ts'
import { growthOf } from './sizes/size.ts'
import { parseSizesPage } from './sizes/sizes-page.ts'

const packed = packPackages()
try {
  for (const one of packed.packages) check(one)
  weigh(await measureSizes(packed.packages))
} finally {
  packed.remove()
}

/** What has grown needs a reason. */
function weigh(sizes) {
  const growth = growthOf(parseSizesPage(readFileSync('docs/reference/sizes.md', 'utf8')).sizes, sizes)
  if (growth.length === 0) return console.log('sizes: nothing has grown')
  console.error(
    `sizes: FAILED, these have grown:\n${growth.join('\n')}\nMake them smaller, or say why: pnpm sizes --because "…"`,
  )
  process.exitCode = 1
}

/** The import names resolve to dist, because nothing here asks for the source condition, and by what the package itself needs. */
function check({ folder, tarball, subpaths }) {
  const agreed =
    run('publint', ['run', tarball, '--strict']) &&
    run('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color']) &&
    run(
      'node',
      ['--input-type=module', '--eval', subpaths.map((subpath) => `await import('${subpath}')`).join('\n')],
      `packages/${folder}`,
    )
  console.log(`${folder}: ${agreed ? 'publint and attw agree, every subpath loads' : 'FAILED'}`)
  if (!agreed) process.exitCode = 1
}

/** @returns whether the command succeeded; what it said is shown only when it did not. */
function run(command, args, cwd = '.') {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status === 0) return true
  console.error(`${command} ${args.join(' ')}\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`)
  return false
}
