// Lets publint and attw look at every package as it would be published, and loads what was built.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'

import { packPackages } from './packed-packages.ts'

const packed = packPackages()
try {
  for (const one of packed.packages) check(one)
} finally {
  packed.remove()
}

/** The import names resolve to dist, because nothing here asks for the source condition. */
function check({ folder, tarball, subpaths }) {
  const agreed =
    run('publint', ['run', tarball, '--strict']) &&
    run('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color']) &&
    run('node', ['--input-type=module', '--eval', subpaths.map((subpath) => `await import('${subpath}')`).join('\n')])
  console.log(`${folder}: ${agreed ? 'publint and attw agree, every subpath loads' : 'FAILED'}`)
  if (!agreed) process.exitCode = 1
}

/** @returns whether the command succeeded; what it said is shown only when it did not. */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (status === 0) return true
  console.error(`${command} ${args.join(' ')}\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`)
  return false
}
