import { accessSync, constants } from 'node:fs'
import { spawnSync } from 'node:child_process'

import { asRoot, isRoot } from './machine.ts'

/** A program that a cluster needs, and the Debian package that contains it. */
export interface Requirement {
  readonly program: string
  readonly debianPackage: string
}

/** What every cluster needs besides its engine. */
const always: readonly Requirement[] = [
  { program: 'ip', debianPackage: 'iproute2' },
  { program: 'nft', debianPackage: 'nftables' },
  { program: 'setpriv', debianPackage: 'util-linux' },
]

/** Returns a sentence that says why the cluster cannot run on this machine; `undefined` if it can. */
export function reasonNotToRun(requirements: readonly Requirement[]): string | undefined {
  if (process.platform !== 'linux') return 'It needs network namespaces, which only Linux has.'
  if (!isRoot && spawnSync('sudo', ['-n', 'true']).status !== 0)
    return 'It needs root, or sudo without a password, to create network namespaces.'
  const missing = [...always, ...requirements].filter(({ program }) => !isInstalled(program))
  if (missing.length > 0) {
    const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))].join(' ')
    return `${missing.map(({ program }) => program).join(', ')} not found. On Debian: apt-get install --no-install-recommends ${packages}`
  }
  return namespacesWork() ? undefined : 'This machine does not allow network namespaces.'
}

const isInstalled = (program: string): boolean =>
  (program.startsWith('/') ? [''] : ['/usr/bin/', '/usr/sbin/', '/usr/local/bin/', '/sbin/', '/bin/']).some((folder) =>
    isExecutable(`${folder}${program}`),
  )

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function namespacesWork(): boolean {
  return ['add', 'delete'].every((verb) => spawnSync(...asRoot('ip', 'netns', verb, 'mintmark-try')).status === 0)
}
