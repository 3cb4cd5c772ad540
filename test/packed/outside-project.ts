import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { PackedPackages } from '../../scripts/packed-packages.ts'

/** A project outside the repository that has installed every package from its tarball, as a host would. */
export interface OutsideProject {
  readonly folder: string
  /** The oldest Node that the packages support; the current Node if npm has no such binary for the machine. */
  readonly oldestNode: string
  /** The oldest Node that runs TypeScript without a flag, for projects that do not compile their sources. */
  readonly oldestNodeForSources: string
  remove(): Promise<void>
}

/**
 * Creates the project with npm, with fixed versions of Node and TypeScript.
 * @throws Error with npm's output if npm fails.
 */
export function installOutside(packed: PackedPackages): OutsideProject {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-outside-'))
  const packages = Object.fromEntries(packed.packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const others = Object.fromEntries(hostDependencies.map((name) => [name, catalogVersion(name)]))
  const dependencies = { ...packages, ...others, ...compilers, ...oldNodes() }
  const manifest = { name: 'outside', private: true, type: 'module', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  npmInstall(folder)

  const programOf = (name: string): string => {
    const program = join(folder, 'node_modules', name, 'bin/node')
    return existsSync(program) ? program : process.execPath
  }
  return {
    folder,
    oldestNode: programOf('node-oldest'),
    oldestNodeForSources: programOf('node-for-sources'),
    // Removes hundreds of megabytes, so it must not block the event loop.
    remove: () => rm(folder, { recursive: true }),
  }
}

function npmInstall(folder: string): void {
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund']
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed.\n${error?.message ?? ''}${stdout}${stderr}`)
}

/** Returns the version that the tests of this repository use. */
function catalogVersion(name: string): string {
  const lines = readFileSync('pnpm-workspace.yaml', 'utf8').split('\n')
  const line = lines.find((text) => text.startsWith(`  ${name}: `) || text.startsWith(`  '${name}': `))
  if (line === undefined) throw new Error(`The catalog in pnpm-workspace.yaml has no version of ${name}.`)
  return line.split(': ').at(-1) ?? ''
}

/** Returns the lowest versions in `engines` of the packages and the starter, if npm has a binary for the machine. */
function oldNodes(): Readonly<Record<string, string>> {
  const hasNode = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
  if (!hasNode) return {}
  const node = `npm:node-linux-${process.arch}`
  return { 'node-oldest': `${node}@22.13.1`, 'node-for-sources': `${node}@22.18.0` }
}

/** The compiler versions that must accept the types. The repository itself is checked with the newest. */
const compilers = {
  typescript5: 'npm:typescript@5.9.3',
  typescript6: 'npm:typescript@6.0.3',
  typescript7: 'npm:typescript@7.0.2',
}

/** Packages that hosts install themselves. */
const hostDependencies = [
  '@hono/node-server',
  '@types/express',
  '@types/node',
  '@types/pg',
  'express',
  'ioredis',
  'jose',
  'kysely',
  'pg',
  'redis',
  'vitest',
  'zod',
]
