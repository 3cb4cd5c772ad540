import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Io } from './io.ts'
import { run } from './run.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-mintmark-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

test('creates a project, installs it, sets it up, and prints the next steps', async () => {
  const env = { npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v24' }
  const { code, out, err, programs } = await runIn(['id server'], { env })

  expect([code, err]).toEqual([0, ''])
  expect(programs).toEqual(['pnpm install in id server', 'pnpm run setup in id server'])
  const [, key] = /^TRY_KEY=(\S+)$/m.exec(readFileSync(join(cwd, 'id server/.env'), 'utf8')) ?? []
  expect(out.split('\n')).toEqual([
    'Created a server in id server. Next:',
    '',
    '  cd "id server"',
    '  pnpm start',
    '',
    'Then open:',
    '',
    `  http://localhost:3000/try?key=${key}`,
    '    signs you in to a client',
    '  http://localhost:3000/try?show=token',
    '    shows the tokens that the client gets',
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
  const { code, out } = await runIn(['.', '--no-install'])

  expect(code).toBe(0)
  expect(out).toContain('Created a server in this folder. Next:\n\n  npm install\n  npm run setup\n  npm start\n')
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
  expect(untracked).toContain('one/src/main.ts')
  expect(untracked).not.toContain('.env')
})

test('rejects a folder that is not empty, and does not change it', async () => {
  writeFileSync(join(cwd, 'mine'), '')

  expect(await runIn(['.'])).toEqual({
    programs: [],
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
  {
    argv: ['a', '--framework', 'koa'],
    reason: '--framework "koa" is not known. Choose express, hono, nextjs, fastify or cloudflare-workers.',
  },
  {
    argv: ['a', '--framework', 'workers'],
    reason: '--framework "workers" is not known. Write --framework cloudflare-workers.',
  },
  {
    argv: ['a', '--framework', 'cloudflare-workers', '--database', 'postgresql'],
    reason:
      '--framework cloudflare-workers does not go with --database postgresql. The database of a Worker is its Durable Object: write --database durable-object, or leave it out.',
  },
  {
    argv: ['a', '--framework', 'hono', '--database', 'durable-object'],
    reason: '--framework hono does not go with --database durable-object. Choose sqlite, postgresql or mariadb.',
  },
  {
    argv: ['a', '--framework', 'cloudflare-workers', '--database-url', 'mintmark.db'],
    reason: '--database durable-object has no address: leave out --database-url.',
  },
  ...[
    ['sqlite', 'postgres://db.example/id', 'mintmark.db'],
    ['postgresql', 'mysql://id:hunter2@db.example/id', 'postgres://localhost:5432/mintmark'],
    ['postgresql', 'host=localhost dbname=id', 'postgres://localhost:5432/mintmark'],
    ['mariadb', 'id.db', 'mariadb://localhost:3306/mintmark'],
  ].map(([database = '', url = '', example]) => ({
    argv: ['a', '--database', database, '--database-url', url],
    reason: `--database-url is not an address for --database ${database}, such as ${example}.`,
  })),
  {
    argv: ['a', '--database', 'mysql'],
    reason: '--database "mysql" is not known. Choose sqlite, postgresql, mariadb or durable-object.',
  },
  { argv: ['a', '--users', 'theirs'], reason: '--users "theirs" is not known. Choose ours or own.' },
  { argv: ['a', '--colour'], reason: "Unknown option '--colour'" },
])('rejects the arguments $argv, prints the usage, and creates nothing', async ({ argv, reason }) => {
  const { code, err } = await runIn(argv)

  expect(code).toBe(2)
  expect(err).toMatch(`create-mintmark: ${reason}`)
  expect(err).toMatch('create-mintmark [folder] [options]')
  expect(readdirSync(cwd)).toEqual([])
})

test('asks in a terminal what no option answers, again after a wrong answer, and takes the first for an empty line', async () => {
  const answers = ['fastify', '7', '2', '']
  const ask = vi.fn(() => Promise.resolve(answers.shift() ?? ''))

  const { code, out } = await runIn(['a', '--no-install'], { ask })

  expect([code, answers]).toEqual([0, []])
  expect(out).toContain(
    '\nWhich framework?\n  1  Express\n  2  Hono\n  3  Next.js\n  4  Fastify\n  5  Cloudflare Workers\n',
  )
  expect(readdirSync(join(cwd, 'a/src'))).toContain('passkey-table.ts')
  expect(Object.keys(dependenciesOf('a'))).toEqual(expect.arrayContaining(['fastify', 'pg']))
})

test.each([
  ['with --yes', ['a', '--yes']],
  ['when options answer everything', ['a', '--framework', 'hono', '--database', 'sqlite', '--users', 'own']],
])('asks nothing %s', async (_, argv) => {
  const ask = vi.fn(() => Promise.resolve(''))

  expect(await runIn(argv, { ask })).toMatchObject({ code: 0 })
  expect(ask).not.toHaveBeenCalled()
})

test('says where to write the address of a database server, and sets up only if the address was given', async () => {
  const without = await runIn(['a', '--database', 'mariadb'])
  const url = 'mariadb://id@db.example/id'
  const given = await runIn(['b', '--database', 'mariadb', '--database-url', url])

  expect(without.programs).toEqual(['npm install in a'])
  expect(without.out).toContain('Set MINTMARK_MARIADB in .env')
  expect(given.programs).toEqual(['npm install in b', 'npm run setup in b'])
  expect(readFileSync(join(cwd, 'b/.env'), 'utf8')).toContain(`\nMINTMARK_MARIADB=${url}\n`)
})

test('keeps the project when the installation fails, and prints all commands that are left', async () => {
  const { code, out, err } = await runIn(['a'], { runProgram: () => Promise.resolve(false) })

  expect([code, err]).toEqual([1, 'create-mintmark: the files were created, but npm install failed.'])
  expect(out).toContain('  cd a\n  npm install\n  npm run setup\n  npm start\n')
  expect(readdirSync(join(cwd, 'a'))).toContain('package.json')
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

test('creates a Worker with the name of the package, asks for no database, and sets nothing up before it starts', async () => {
  const answers = ['cloudflare-workers', 'own']
  const ask = vi.fn(() => Promise.resolve(answers.shift() ?? ''))

  const { code, out, programs } = await runIn(['id server', '--name', '@acme/id_1.x'], { ask })

  expect([code, answers]).toEqual([0, []])
  expect(programs).toEqual(['npm install in id server'])
  expect(out).toContain('  cd "id server"\n  npm run dev\n')
  expect(out).not.toContain('Which database?')
  const environment = readFileSync(join(cwd, 'id server/.env'), 'utf8')
  expect(Array.from(environment.matchAll(/^\w+/gm), ([name]) => name)).toEqual([
    'MINTMARK_SEALING_KEY',
    'MINTMARK_ISSUER',
    'SETUP_KEY',
    'TRY_KEY',
    'SAMPLE_PASSWORD',
  ])
  expect(readFileSync(join(cwd, 'id server/wrangler.jsonc'), 'utf8')).toContain('"name": "id-1-x"')
  expect(Object.keys(dependenciesOf('id server'))).not.toContain('@mintmark/cli')
})

const dependenciesOf = (folder: string): object =>
  (JSON.parse(readFileSync(join(cwd, folder, 'package.json'), 'utf8')) as { readonly dependencies: object })
    .dependencies

/** Runs the command in `cwd`. */
async function runIn(argv: readonly string[], change: Partial<Io> = {}) {
  const output = { out: [] as string[], err: [] as string[], programs: [] as string[] }
  const code = await run(argv, {
    out: (line) => output.out.push(line),
    err: (line) => output.err.push(line),
    ask: undefined,
    runProgram: (command, folder) => {
      output.programs.push(`${command.join(' ')} in ${relative(cwd, folder)}`)
      return Promise.resolve(true)
    },
    env: {},
    cwd,
    nodeVersion: '22.18.0',
    signal: new AbortController().signal,
    ...change,
  })
  return { code, out: output.out.join('\n'), err: output.err.join('\n'), programs: output.programs }
}
