import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

interface StartOptions {
  readonly issuer: string
  /** More arguments of `wrangler dev`. */
  readonly args?: readonly string[]
  readonly output?: 'inherit' | 'ignore'
}

/**
 * Starts the Worker on this machine, in workerd, the runtime of Cloudflare. Resolves when it answers.
 * @throws Error if it ends before.
 */
export async function startWorker({ issuer, args = [], output = 'inherit' }: StartOptions): Promise<ChildProcess> {
  const { port, hostname } = new URL(issuer)
  const address = ['--ip', hostname, '--port', port || '80', '--show-interactive-dev-session=false']
  const wrangler = ['node_modules/wrangler/bin/wrangler.js', 'dev', ...address, ...args]
  const child = spawn(process.execPath, wrangler, { stdio: ['ignore', output, output] })
  while (child.exitCode === null && !(await isReady(issuer))) await setTimeout(200)
  if (child.exitCode !== null) throw new Error(`wrangler dev ended with code ${child.exitCode}.`)
  return child
}

const isReady = (issuer: string): Promise<boolean> =>
  fetch(`${issuer}/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
