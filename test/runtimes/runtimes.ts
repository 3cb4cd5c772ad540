import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A runtime and the command that serves the bundled worker on a port of 127.0.0.1. */
export interface Runtime {
  readonly name: string
  /** What `navigator.userAgent` says there (WinterTC). */
  readonly userAgent: RegExp
  /** The program and its arguments; files of its own go into the folder, where the bundle is `worker.mjs`. */
  command(port: number, folder: string): readonly [program: string, ...args: readonly string[]]
}

const bin = (name: string): string => join(process.cwd(), 'node_modules/.bin', name)

/** All from npm, with their binaries inside. */
export const runtimes: readonly Runtime[] = [
  { name: 'Node', userAgent: /^Node\.js\//, command: () => [process.execPath, 'node-server.mjs'] },
  { name: 'Bun', userAgent: /^Bun\//, command: (port) => [bin('bun'), 'run', '--port', String(port), 'worker.mjs'] },
  { name: 'Deno', userAgent: /^Deno\//, command: (port) => [bin('deno'), 'serve', '--no-remote', '--host', '127.0.0.1', '--port', String(port), 'worker.mjs'] },
  {
    name: 'workerd',
    userAgent: /^Cloudflare-Workers$/,
    command(port, folder) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'config.capnp'), workerdConfig(port))
      return [bin('workerd'), 'serve', 'config.capnp']
    },
  },
]

const workerdConfig = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01",
);
`
