import { onBun, onDeno, type Command } from './command.ts'
import { workerdCommand } from './workerd.ts'

/** A runtime and the command that serves the bundled worker on a port of 127.0.0.1. */
export interface Runtime {
  readonly name: string
  /** The value of `navigator.userAgent` on the runtime (WinterTC). */
  readonly userAgent: RegExp
  /** @param folder contains the bundles; the command runs in it. */
  command(port: number, folder: string): Command
}

export const runtimes: readonly Runtime[] = [
  { name: 'Node', userAgent: /^Node\.js\//, command: () => [process.execPath, 'node-server.mjs'] },
  { name: 'Bun', userAgent: /^Bun\//, command: (port) => onBun('worker.mjs', port) },
  { name: 'Deno', userAgent: /^Deno\//, command: (port) => onDeno('worker.mjs', port) },
  { name: 'workerd', userAgent: /^Cloudflare-Workers$/, command: (port, folder) => workerdCommand({ port, folder }) },
]
