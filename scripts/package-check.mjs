// Checks every package as it would be published: with publint and attw, by importing every subpath, and by comparing
// sizes with their limits.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'

import { packPackages } from './packed-packages.ts'

for (const { folder, tarball, subpaths } of packPackages().packages) {
  // Import paths resolve to dist, because nothing here sets the source condition.
  const load = subpaths.map((subpath) => `await import('${subpath}')`).join('\n')
  const isGood =
    run('publint', ['run', tarball, '--strict']) &&
    run('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color']) &&
    run('node', ['--input-type=module', '--eval', load], `packages/${folder}`)
  console.log(`${folder}: ${isGood ? 'publint and attw found no problems, every subpath loads' : 'FAILED'}`)
  if (!isGood) process.exitCode = 1
}
if (!run('size-limit', [])) {
  console.error('Make the packages smaller, or record the reason: pnpm generate sizes --because "…"')
  process.exitCode = 1
}

/** Runs a command, and returns whether it succeeded. Prints its output only if it failed. */
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
