// Packs every package as it would be published, lets publint and attw look at the tarball, and loads what was built.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const out = mkdtempSync(join(tmpdir(), 'mintmark-packages-'))
try {
  for (const name of readdirSync('packages')) check(name)
} finally {
  rmSync(out, { recursive: true, force: true })
}

function check(name) {
  if (!existsSync(`packages/${name}/src/index.ts`)) {
    console.log(`${name}: no sources yet`)
    return
  }
  const tarball = join(out, `${name}.tgz`)
  const agreed =
    run('pnpm', ['--dir', `packages/${name}`, 'pack', '--out', tarball]) &&
    run('publint', ['run', tarball, '--strict']) &&
    run('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color']) &&
    subpaths(name).every((subpath) => run('node', ['--input-type=module', '--eval', `await import('${subpath}')`]))
  console.log(`${name}: ${agreed ? 'publint and attw agree, every subpath loads' : 'FAILED'}`)
  if (!agreed) process.exitCode = 1
}

/** The import names of a package: they resolve to dist, because nothing here asks for the source condition. */
function subpaths(name) {
  const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'))
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath]) => `${manifest.name}${subpath.slice(1)}`)
}

/** @returns whether the command succeeded; what it said is shown only when it did not. */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (status === 0) return true
  console.error(`${command} ${args.join(' ')}\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`)
  return false
}
