import { accessSync, constants } from 'node:fs'
import { execFileSync } from 'node:child_process'

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
  if (process.platform !== 'linux') return 'Not run: it needs network namespaces, which only Linux has.'
  if (process.getuid?.() !== 0) return 'Not run: it needs root, to create network namespaces.'
  const missing = [...always, ...requirements].filter(({ program }) => !isInstalled(program))
  if (missing.length > 0) {
    const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))].join(' ')
    return `Not run: ${missing.map(({ program }) => program).join(', ')} not found. On Debian: apt-get install --no-install-recommends ${packages}`
  }
  return namespacesWork() ? undefined : 'Not run: this machine does not allow network namespaces.'
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
  try {
    execFileSync('ip', ['netns', 'add', 'mintmark-try'], { stdio: 'ignore' })
    execFileSync('ip', ['netns', 'delete', 'mintmark-try'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
