import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

interface StartOptions {
  readonly issuer: string
  /** More arguments of `wrangler dev`. */
  readonly args?: readonly string[]
  readonly output?: 'inherit' | 'ignore'
}

/**
 * Starts the Worker on this machine, in workerd, the runtime of Cloudflare. Resolves when it answers. It ends with this process.
 * @throws Error if it ends before, or if another program uses its port.
 */
export async function startWorker({ issuer, args = [], output = 'inherit' }: StartOptions): Promise<ChildProcess> {
  if ((await statusOf(issuer)) !== undefined) {
    throw new Error(`Another program answers at ${issuer}. Stop it, or change the port in MINTMARK_ISSUER.`)
  }
  const { port, hostname } = new URL(issuer)
  const address = [
    '--ip',
    hostname,
    '--port',
    port || '80',
    '--show-interactive-dev-session=false',
    '--var',
    `MINTMARK_ISSUER:${issuer}`,
  ]
  const wrangler = ['node_modules/wrangler/bin/wrangler.js', 'dev', ...address, ...args]
  const child = spawn(process.execPath, wrangler, { stdio: ['ignore', output, output] })
  process.once('exit', () => child.kill())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
  while (child.exitCode === null && (await statusOf(`${issuer}/ready`)) !== 200) await setTimeout(200)
  if (child.exitCode !== null) throw new Error(`wrangler dev ended with code ${child.exitCode}.`)
  return child
}

/** Returns the status of the answer; `undefined` if nothing answers. */
const statusOf = (url: string): Promise<number | undefined> =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  )
