import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { installed, type Command } from './command.ts'

interface WorkerdOptions {
  readonly port: number
  /** Contains `worker.mjs`; the configuration is written to it. */
  readonly folder: string
  readonly bindings?: Readonly<Record<string, string>>
  /** The class of the Durable Objects, which are bound as `MINTMARK`. Their databases are in the same folder. */
  readonly durableObject?: string
  /** Whether the worker may import `node:` modules, besides those that every worker has. */
  readonly node?: 'compatible'
}

/** Returns the command that serves `worker.mjs` with workerd, Cloudflare's runtime. */
export function workerdCommand({ port, folder, bindings = {}, durableObject, node }: WorkerdOptions): Command {
  const bound = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  )
  if (durableObject !== undefined) bound.push(`(name = "MINTMARK", durableObjectNamespace = "${durableObject}")`)
  mkdirSync(join(folder, 'data'), { recursive: true })
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "data", disk = (path = "data", writable = true)), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = [${node === 'compatible' ? '"nodejs_compat"' : ''}],
  bindings = [${bound.join(', ')}],
  ${durableObject === undefined ? '' : `durableObjectNamespaces = [(className = "${durableObject}", uniqueKey = "mintmark", enableSql = true)], durableObjectStorage = (localDisk = "data"),`}
);
`,
  )
  return [installed('workerd'), 'serve', 'config.capnp']
}
