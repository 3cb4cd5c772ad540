import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, test } from 'vitest'

import { freePort } from '../support/free-port.ts'

// Tests the command that `pnpm dev` runs, in its own process.
let dataFolder: string

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-example-'))
  dataFolder = join(folder, 'data')
  return () => rm(folder, { recursive: true })
})

test('the first run prints what to open, who to sign in as and what was created; only their owner can read the secrets', async () => {
  const port = await freePort()
  const example = runExample(port)

  await example.waitForOutput(/Ctrl-C stops it/)

  expect(example.output()).toContain(`http://localhost:${port}`)
  expect(example.output()).toContain('ada / engine')
  expect(example.output()).toContain('First run')
  expect(example.output()).toContain(`http://localhost:${port}/web/shelf`)
  expect((await readdir(dataFolder)).filter((name) => !/-(shm|wal)$/.test(name)).toSorted()).toEqual([
    'books-api.json',
    'identity-provider.json',
    'mintmark.db',
    'sealing-key',
    'users.db',
    'web-client.json',
  ])
  expect(
    await modesOf(dataFolder, 'books-api.json', 'identity-provider.json', 'sealing-key', 'web-client.json'),
  ).toEqual(['700', '600', '600', '600', '600'])
  expect(await example.stop('SIGINT')).toBe(0)
})

test('the next run keeps users, clients and keys', async () => {
  const port = await freePort()
  const first = runExample(port)
  await first.waitForOutput(/Ctrl-C stops it/)
  const before = await keysOf(port)
  expect(await first.stop('SIGTERM')).toBe(0)

  const second = runExample(port)
  await second.waitForOutput(/Ctrl-C stops it/)
  const after = await keysOf(port)
  await second.stop('SIGTERM')

  expect(second.output()).toContain('The example uses the data of an earlier run')
  expect(before).toContain('"kid"')
  expect(after).toBe(before)
})

test('names a port that is in use, suggests another one, and writes nothing', async () => {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, 'localhost', resolve))
  const { port } = listener.address() as AddressInfo

  const example = runExample(port)

  expect(await example.exited()).toBe(1)
  expect(example.output()).toBe(
    `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npx -y pnpm@12.21.0 dev\n`,
  )
  await expect(readdir(dataFolder)).rejects.toThrow('ENOENT')
  listener.close()
})

function runExample(port: number) {
  const child = spawn(process.execPath, ['--conditions=@mintmark/source', 'examples/express-sqlite/src/main.ts'], {
    env: { ...process.env, PORT: String(port), MINTMARK_DATA: dataFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exited = exitOf(child)

  return {
    output: () => output,
    exited: () => exited,
    waitForOutput: (words: RegExp) => expect.poll(() => output, { timeout: 60_000 }).toMatch(words),
    stop(signal: 'SIGINT' | 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

const exitOf = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve))

const keysOf = async (port: number): Promise<string> => (await fetch(`http://localhost:${port}/jwks`)).text()

const modesOf = (folder: string, ...names: readonly string[]): Promise<string[]> =>
  Promise.all(['', ...names].map(async (name) => ((await stat(join(folder, name))).mode & 0o777).toString(8)))
