import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { freePort } from '../support/free-port.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'
import { bundle } from '../runtimes/bundle.ts'
import { onBun, onDeno, onNode, type Command } from '../runtimes/command.ts'
import { describeExample } from './example-suite.ts'

describe.each<Example>([
  { name: "the README's thirty lines", command: () => onNode('examples/minimal/src/server.ts') },
  { name: 'node:http', command: () => onNode('examples/minimal/src/node.ts') },
  { name: 'Fastify', command: () => onNode('examples/minimal/src/fastify.ts'), hello: 'Hello from Fastify' },
  { name: 'Koa', command: () => onNode('examples/minimal/src/koa.ts'), hello: 'Hello from Koa' },
  { name: 'Hono', command: () => onNode('examples/minimal/src/hono.ts'), hello: 'Hello from Hono' },
  { name: 'Bun', command: (port) => onBun('worker.mjs', port), bundled: 'examples/minimal/src/fetch.ts' },
  { name: 'Deno', command: (port) => onDeno('worker.mjs', port), bundled: 'examples/minimal/src/fetch.ts' },
])('$name', ({ command, hello, bundled }) => {
  let folder: string
  let issuer: string
  let secret: string
  let running: RunningProgram

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mintmark-example-'))
    if (bundled !== undefined) await bundle({ entry: bundled, node: 'all', folder })
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const env = { ISSUER_URL: issuer, SEALING_KEY: 'A'.repeat(43) }
    const [node, ...register] = onNode('examples/minimal/src/register.ts')
    secret =
      execFileSync(node, register, { cwd: folder, env: { ...process.env, ...env } })
        .toString()
        .trim()
        .split(' ')
        .at(-1) ?? ''
    running = await startProgram({ command: command(port), cwd: folder, env, port })
  })

  afterAll(() => {
    running.stop()
    rmSync(folder, { recursive: true })
  })

  describeExample(() => ({ issuer, secret }))

  it('leaves other paths to the host', async () => {
    const reply = await fetch(`${issuer}/hello`)

    expect([reply.status, hello === undefined ? undefined : await reply.text()]).toEqual(
      hello === undefined ? [404, undefined] : [200, hello],
    )
    expect((await fetch(`${issuer}/token`, { headers: { 'x-http-method-override': 'POST' } })).status).toBe(405)
  })
})

it('the MCP example starts with one command', async () => {
  const port = await freePort()
  const running = await startProgram({
    command: onNode('examples/mcp/src/main.ts'),
    cwd: tmpdir(),
    env: { PORT: `${port}` },
    port,
  })
  onTestFinished(() => running.stop())

  const refused = await fetch(`http://localhost:${port}/mcp`, { method: 'POST' })

  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer scope="notes.read", resource_metadata="http://localhost:${port}/.well-known/oauth-protected-resource/mcp"`,
  )
})

it('the FAPI example starts with one command, with the ciphers of RFC 9325 §4.2 only', async () => {
  const [program, ...args] = onNode('examples/fapi/src/main.ts')
  const child = spawn(program, args, { env: { ...process.env, PORT: '0' } })
  onTestFinished(() => void child.kill())
  let said = ''
  for await (const chunk of child.stdout) if ((said += String(chunk)).includes('Ctrl-C')) break
  const [, issuer = ''] = /Authorization server +(\S+)/.exec(said) ?? []
  const [, authority = ''] = /Certificate authority +(\S+)/.exec(said) ?? []
  const port = Number(new URL(issuer).port)
  const offer = (ciphers: string) =>
    new Promise<string>((resolve) => {
      const options = { host: 'localhost', port, ca: readFileSync(authority), maxVersion: 'TLSv1.2', ciphers } as const
      const socket = connect(options, () => {
        resolve(socket.getCipher().name)
        socket.destroy()
      }).on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code))
    })

  expect(await offer('ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256')
  expect(await offer('ECDHE-ECDSA-AES128-SHA')).toMatch(/HANDSHAKE_FAILURE/)
})

interface Example {
  readonly name: string
  readonly command: (port: number) => Command
  /** The host's own answer at `/hello`; 404 when it has no page of its own. */
  readonly hello?: string
  /** A source that is bundled into `worker.mjs` first. */
  readonly bundled?: string
}
