import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A commit to compare with. */
export interface Revision {
  readonly commit: string
  /** The commit and its subject. */
  readonly description: string
}

/**
 * Finds a revision, by default the last release before `HEAD`, or the first parent if nothing was released. Throws an
 * error whose message is the reason if the repository does not contain it.
 */
export async function findRevision(name: string | undefined, repository: string): Promise<Revision> {
  const git = async (...words: string[]): Promise<string> => output('git', ['-C', repository, ...words])
  const wanted = name ?? (await git('describe', '--tags', '--abbrev=0', 'HEAD^1').catch(() => 'HEAD^1'))
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`).catch(
    async () => {
      const isShallow = (await git('rev-parse', '--is-shallow-repository')) === 'true'
      throw new Error(`The repository does not contain ${wanted}${isShallow ? ': its history is shallow' : ''}.`)
    },
  )
  return { commit, description: await git('log', '-1', '--format=%h %s', commit) }
}

/** A working tree in a temporary folder, with its dependencies installed. */
export interface EarlierTree {
  readonly folder: string
  remove(): Promise<void>
}

/** Checks out a commit in a temporary folder, and installs what the benchmark targets need. */
export async function checkOut(
  { commit }: Revision,
  { repository, interrupted }: { readonly repository: string; readonly interrupted: AbortSignal },
): Promise<EarlierTree> {
  const parent = await mkdtemp(join(tmpdir(), 'mintmark-compare-'))
  const folder = join(parent, 'before')
  // Not interrupted, so that nothing stays when the command ends.
  const remove = async (): Promise<void> => {
    await rm(parent, { recursive: true, force: true })
    await output('git', ['-C', repository, 'worktree', 'prune'])
  }
  try {
    await output('git', ['-C', repository, 'worktree', 'add', '--quiet', '--detach', folder, commit], { interrupted })
    if (!existsSync(join(folder, targetsFolder, 'mintmark'))) {
      throw new Error(`The revision ${commit} has no folder ${targetsFolder}/mintmark.`)
    }
    await output('npx', ['-y', 'pnpm@12.21.0', 'install', ...installOptions], { folder, interrupted })
    return { folder, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The folder of the targets in a tree. */
export const targetsFolder = 'benchmarks/src/targets'

const installOptions = ['--frozen-lockfile', '--prefer-offline', '--ignore-scripts', '--filter=@mintmark/benchmarks...']

/** Runs a program. Returns what it writes, or throws an error with the end of it. */
async function output(
  program: string,
  words: readonly string[],
  { folder, interrupted }: { readonly folder?: string; readonly interrupted?: AbortSignal } = {},
): Promise<string> {
  interrupted?.throwIfAborted()
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  // npx starts further processes, which are in the same group.
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  interrupted?.addEventListener('abort', kill)
  let written = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (written += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (code === 0) return written.trim()
  } finally {
    interrupted?.removeEventListener('abort', kill)
  }
  interrupted?.throwIfAborted()
  throw new Error(`${program} ${words.slice(0, 4).join(' ')} failed: ${`${written}${errors}`.trim().slice(-500)}`)
}
