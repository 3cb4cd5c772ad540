import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, chown, mkdtemp, rm, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export const isRoot = process.getuid?.() === 0

/** A command that needs root, as a program and its words. */
export const asRoot = (program: string, ...words: readonly string[]): [string, readonly string[]] =>
  isRoot ? [program, words] : ['sudo', ['-n', program, ...words]]

/** A host of the cluster: a network namespace with one address, and the programs that run in it. */
export interface Host {
  readonly name: string
  readonly address: string
  /** A folder that its programs may write. */
  readonly folder: string
  /** Writes a file of the folder that its programs may change. */
  write(file: string, text: string): Promise<void>
  /** Starts a program of the host under an account without privileges. Its output goes to a file in the folder. */
  start(program: string, args: readonly string[]): ChildProcess
  /** Runs a command, and returns what it writes. @throws Error when it fails. */
  run(program: string, args: readonly string[]): Promise<string>
  /** Sends a signal to all programs of the host whose command begins with one of these names; to all without a name. */
  signal(signal: NodeJS.Signals, ...names: readonly string[]): Promise<number>
  /** Drops all packets from and to these hosts, without telling either side. */
  cutFrom(peers: readonly Pick<Host, 'address'>[]): Promise<void>
  /** Drops a part of the packets that the host sends. Those that TCP repeats arrive 200 ms later, or more. */
  losePackets(percent: number): Promise<void>
  /** Forwards packets to and from all hosts again. */
  readonly reconnect: () => Promise<void>
}

/** The hosts of one cluster, on a bridge of this machine. */
export interface Machine {
  readonly folder: string
  /** The address of this process, and of the servers, in the network of the hosts. */
  readonly address: string
  host(name: string, number: number): Promise<Host>
  /** Kills all programs, and removes the hosts. */
  remove(options: { readonly keepFolder: boolean }): Promise<void>
}

const network = '10.77.0'
const bridge = 'mintmark-br'

/** @param account the user that runs the programs, such as `postgres`, if this process is root. Otherwise its own user does. */
export async function createMachine(account: string): Promise<Machine> {
  const own = isRoot ? [account] : []
  const [uid, gid] = await Promise.all([idOf('-u', ...own), idOf('-g', ...own)])
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-cluster-'))
  await chmod(folder, 0o755)
  const hosts: Host[] = []
  await ip('link', 'add', bridge, 'type', 'bridge')
  await ip('address', 'add', `${network}.1/24`, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')

  return {
    folder,
    address: `${network}.1`,

    async host(name, number) {
      const own = join(folder, name)
      await mkdir(own)
      await chown(own, uid, gid)
      await addNamespace(name, number)
      const host = hostOf({ name, address: `${network}.${number}`, folder: own }, { uid, gid })
      hosts.push(host)
      return host
    },

    async remove({ keepFolder }) {
      await Promise.all(hosts.map((host) => host.signal('SIGKILL')))
      for (const { name } of hosts) await removeNamespace(`mintmark-${name}`)
      await ip('link', 'delete', bridge)
      if (!keepFolder) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Removes what a run has left that was killed. */
export async function removeLeftovers(): Promise<void> {
  const names = (await ip('netns', 'list')).split('\n').flatMap((line) => /^mintmark-\S+/.exec(line)?.[0] ?? [])
  for (const name of names) {
    for (const pid of await processesOf(name)) process.kill(pid, 'SIGKILL')
    await removeNamespace(name)
  }
  await ip('link', 'delete', bridge).catch(() => undefined)
}

async function removeNamespace(name: string): Promise<void> {
  await ip('netns', 'delete', name)
  // The kernel removes a link some time after its namespace.
  await ip('link', 'delete', name.replace('mintmark-', 'mm-')).catch(() => undefined)
}

async function addNamespace(name: string, number: number): Promise<void> {
  const namespace = `mintmark-${name}`
  const [outside, inside] = [`mm-${name}`, 'eth0']
  await ip('netns', 'add', namespace)
  await ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', namespace)
  await ip('link', 'set', outside, 'master', bridge, 'up')
  await ip('-n', namespace, 'address', 'add', `${network}.${number}/24`, 'dev', inside)
  await ip('-n', namespace, 'link', 'set', inside, 'up')
  await ip('-n', namespace, 'link', 'set', 'lo', 'up')
}

function hostOf(
  { name, address, folder }: Pick<Host, 'name' | 'address' | 'folder'>,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Host {
  const namespace = `mintmark-${name}`
  const inside = ['netns', 'exec', namespace]
  const unprivileged = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']

  return {
    name,
    address,
    folder,

    async write(file, text) {
      await writeFile(join(folder, file), text)
      await chown(join(folder, file), uid, gid)
    },

    start(program, args) {
      const output = createWriteStream(join(folder, `${program.split('/').at(-1)}.log`), { flags: 'a' })
      const environment = ['env', '-i', `PATH=${process.env['PATH']}:/usr/sbin`, `HOME=${folder}`, 'LC_ALL=C']
      const words = [...inside, ...unprivileged, ...environment, program, ...args]
      const child = spawn(...asRoot('ip', ...words), { cwd: folder })
      child.stdout.pipe(output)
      child.stderr.pipe(output)
      // A program that cannot be started is reported by whoever waits for its answer.
      child.on('error', (error) => output.write(String(error)))
      return child
    },

    run: (program, args) => ip(...inside, ...unprivileged, program, ...args),

    async signal(signal, ...names) {
      const processes = await namedProcesses(namespace, names)
      for (const { pid } of processes) sendSignal(pid, signal)
      return processes.length
    },

    cutFrom(peers) {
      const addresses = peers.map((peer) => peer.address).join(', ')
      return filterPackets(
        inside,
        `chain in { type filter hook input priority 0; ip saddr { ${addresses} } drop; }
        chain out { type filter hook output priority 0; ip daddr { ${addresses} } drop; }`,
      )
    },

    losePackets: (percent) =>
      filterPackets(
        inside,
        `chain out { type filter hook output priority 0; numgen random mod 100 < ${percent} drop; }`,
      ),

    reconnect: async () => void (await ip(...inside, 'nft', 'delete', 'table', 'inet', 'cut')),
  }
}

async function filterPackets(inside: readonly string[], chains: string): Promise<void> {
  const child = spawn(...asRoot('ip', ...inside, 'nft', '-f', '-'), { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(`table inet cut {\n${chains}\n}\n`)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`nft ended with ${code}`)
}

async function namedProcesses(
  namespace: string,
  names: readonly string[],
): Promise<readonly { readonly pid: number; readonly command: string }[]> {
  const pids = await processesOf(namespace)
  if (pids.length === 0) return []
  const { stdout } = await execute('ps', ['-o', 'pid=,args=', '-p', pids.join(',')]).catch(() => ({ stdout: '' }))
  const all = stdout.split('\n').flatMap((line) => {
    const [, pid, command = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), command }]
  })
  return names.length === 0 ? all : all.filter(({ command }) => names.some((name) => command.includes(name)))
}

async function processesOf(namespace: string): Promise<readonly number[]> {
  return (await ip('netns', 'pids', namespace)).split('\n').filter(Boolean).map(Number)
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

async function ip(...args: readonly string[]): Promise<string> {
  return (await execute(...asRoot('ip', ...args))).stdout
}

const idOf = async (...words: readonly string[]): Promise<number> => Number((await execute('id', words)).stdout)
