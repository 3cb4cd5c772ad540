import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import type { Io } from './io.ts'
import { run } from './run.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-mintmark-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

test('creates a project and prints the next steps', async () => {
  const env = { npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v24' }
  const { code, out, err } = await runIn(['id server'], { env })

  expect([code, err]).toEqual([0, ''])
  expect(out.split('\n')).toEqual([
    'Created a server in id server. Next:',
    '',
    '  cd "id server"',
    '  pnpm install',
    '  pnpm run setup',
    '  pnpm start',
    '',
  ])
  const manifest = JSON.parse(readFileSync(join(cwd, 'id server/package.json'), 'utf8')) as Record<string, object>
  expect(manifest).toMatchObject({ name: 'id-server', private: true })
  expect(Object.values({ ...manifest['dependencies'], ...manifest['devDependencies'] })).not.toContain('*')
  expect(readFileSync(join(cwd, 'id server/README.md'), 'utf8')).toMatch(/^# id-server\n/)
})

test('creates the folder my-server by default, and writes --name to package.json', async () => {
  expect(await runIn(['--name', '@acme/id'])).toMatchObject({ code: 0 })

  expect(readdirSync(cwd)).toEqual(['my-server'])
  expect(JSON.parse(readFileSync(join(cwd, 'my-server/package.json'), 'utf8'))).toMatchObject({ name: '@acme/id' })
})

test('creates the project in the working directory if it is empty', async () => {
  const { code, out } = await runIn(['.'])

  expect(code).toBe(0)
  expect(out).toContain('Created a server in this folder. Next:\n\n  npm install\n')
  expect(readdirSync(cwd)).toContain('.gitignore')
})

test('gives every project its own sealing key, which git ignores', async () => {
  await runIn(['one'])
  await runIn(['two'])

  const [one, two] = ['one', 'two'].map((name) => readFileSync(join(cwd, name, '.env'), 'utf8'))
  expect(one).toMatch(/^MINTMARK_SEALING_KEY=[\w-]{43}$/m)
  expect(one).not.toBe(two)
  execFileSync('git', ['init', '--quiet'], { cwd })
  const untracked = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd, encoding: 'utf8' })
  expect(untracked).toContain('one/mintmark.config.json')
  expect(untracked).not.toContain('.env')
})

test('rejects a folder that is not empty, and does not change it', async () => {
  writeFileSync(join(cwd, 'mine'), '')

  expect(await runIn(['.'])).toEqual({
    code: 1,
    out: '',
    err: `create-mintmark: ${cwd} is not empty: it contains mine. Choose a new folder; nothing was changed.`,
  })
  expect(readdirSync(cwd)).toEqual(['mine'])
})

test.each([
  { argv: ['a', 'b'], reason: 'specify only one folder, without b.' },
  { argv: [''], reason: 'the folder has no name.' },
  { argv: ['a', '--name', 'Not Good'], reason: '"Not Good" is not a valid package name.' },
  { argv: ['a', '--colour'], reason: "Unknown option '--colour'" },
])('rejects the arguments $argv, prints the usage, and creates nothing', async ({ argv, reason }) => {
  const { code, err } = await runIn(argv)

  expect(code).toBe(2)
  expect(err).toMatch(`create-mintmark: ${reason}`)
  expect(err).toMatch('create-mintmark [folder] [--name NAME]')
  expect(readdirSync(cwd)).toEqual([])
})

test('rejects an older Node, and creates nothing', async () => {
  expect(await runIn(['a'], { nodeVersion: '22.17.1' })).toMatchObject({
    code: 1,
    err: 'create-mintmark: the server needs Node 22.18 or later. This is Node 22.17.1.',
  })
  expect(readdirSync(cwd)).toEqual([])
})

test('creates nothing when interrupted', async () => {
  const { code, err } = await runIn(['a'], { signal: AbortSignal.abort() })

  expect([code, err]).toEqual([130, 'create-mintmark: interrupted, nothing was created.'])
  expect(readdirSync(cwd)).toEqual([])
})

test('prints the help, and creates nothing', async () => {
  const { code, out } = await runIn(['--help'])

  expect(code).toBe(0)
  expect(out).toMatch(/^create-mintmark \[folder\]/)
  expect(readdirSync(cwd)).toEqual([])
})

/** Runs the command in `cwd`. */
async function runIn(argv: readonly string[], change: Partial<Io> = {}) {
  const output = { out: [] as string[], err: [] as string[] }
  const code = await run(argv, {
    out: (line) => output.out.push(line),
    err: (line) => output.err.push(line),
    env: {},
    cwd,
    nodeVersion: '22.18.0',
    signal: new AbortController().signal,
    ...change,
  })
  return { code, out: output.out.join('\n'), err: output.err.join('\n') }
}
