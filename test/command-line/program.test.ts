import { execFile } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'

import { aMariadbPool, endPool } from '../../packages/storage-sql/test/support/mariadb-database.ts'
import { portOfTheRun, urlOf } from '../../packages/storage-sql/test/support/mariadb-of-the-run.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { aCommandLine, program, type Outcome } from './command-line.ts'

test('writes results to stdout and errors to stderr, and the exit code shows whether the command succeeded', async () => {
  const { folder } = await aCommandLine()

  const [done, refused] = await Promise.all([
    start(folder, ['migrate', 'print']),
    start(folder, ['migrate', 'list', '--sqlite', 'none.db']),
  ])

  expect(done).toMatchObject({ code: 0, err: '', out: expect.stringContaining('CREATE TABLE') as string })
  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^mintmark: There is no file \S+none\.db: mintmark migrate apply creates it\.\n$/,
    ) as string,
  })
})

test('says in one sentence which Node version it needs when node:sqlite is missing', async () => {
  const { folder } = await aCommandLine()

  const ended = await start(folder, ['migrate', 'print'], ['--no-experimental-sqlite'])

  expect(ended).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^mintmark needs the module node:sqlite, which Node 22\.13 and later have\. This is Node [\d.]+\.\n$/,
    ) as string,
  })
})

test('prints its version', async () => {
  const line = await aCommandLine()

  expect(await line.run('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+/) as string })
})

test('completes commands, flags and choices in bash', async () => {
  const line = await aCommandLine()
  const { out: script } = await line.run('completion', 'bash')
  const completions = async (...words: readonly string[]): Promise<readonly string[]> => {
    const shell = [
      `mintmark() { ${program.map((part) => `'${part}'`).join(' ')} "$@"; }`,
      script,
      `COMP_WORDS=(mintmark ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`,
      `_mintmark; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join('\n')
    const { out } = await new Promise<{ readonly out: string }>((resolve) => {
      execFile('bash', ['-c', shell], { cwd: line.folder }, (_error, stdout) => resolve({ out: stdout }))
    })
    return out.trim().split('\n')
  }

  expect(await completions('user', 'im')).toEqual(['import'])
  expect(await completions('user', 'import', 'users.csv', '--dr')).toEqual(['--dry-run'])
  expect(await completions('completion', '')).toEqual(['bash', 'zsh', 'fish'])
})

test('migrate copy copies an SQLite file to the database of the environment', async () => {
  const database = await aDatabase()
  const line = (await aCommandLine()).with({ env: { MINTMARK_POSTGRES: database.url } })
  await line.run('migrate', 'apply')
  await line.with({ env: {} }).run('migrate', 'apply', '--sqlite', 'a.db')

  const copied = await line.run('migrate', 'copy', '--from', 'a.db', '--json')
  const refused = await line.with({ env: {} }).run('migrate', 'copy', '--from', 'a.db')

  expect(copied).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(copied.out)).toContainEqual({ name: 'mintmark_users', rows: 0 })
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('No target database is given') as string })
})

test('works with MariaDB: printed schema, client, list of users, keys, doctor, and a copy to SQLite', async () => {
  const pool = await aMariadbPool(await portOfTheRun())
  onTestFinished(() => endPool(pool))
  const url = await urlOf(pool)
  const env = {
    ...process.env,
    MINTMARK_MARIADB: url,
    MINTMARK_ISSUER: 'http://127.0.0.1:9',
    MINTMARK_SEALING_KEY: 'A'.repeat(43),
  }
  const line = (await aCommandLine()).with({ env })

  const { out: schema } = await line.run('migrate', 'print', '--dialect', 'mariadb')
  await applyWithClient(url, schema)
  const migrated = await line.run('migrate', 'list')
  const created = await line.run('client', 'create', 'App', '--id', 'A', '--redirect-uri', 'https://app.test/cb')
  const listed = await line.run('user', 'list', '--filter', 'active eq true')
  const rotated = await line.run('keys', 'rotate')
  const doctor = await line.run('doctor', '--json')
  const elsewhere = line.with({ env: { MINTMARK_SQLITE: 'a.db' } })
  await elsewhere.run('migrate', 'apply')
  const copied = await elsewhere.run('migrate', 'copy', '--from', url)

  expect(migrated).toEqual({ code: 0, out: 'Up to date.', err: '' })
  expect([created, listed, rotated].map(({ code, err }) => [code, err])).toEqual([1, 2, 3].map(() => [0, '']))
  expect(storageFindings(doctor)).toEqual([
    'ok storage.reachable',
    'ok storage.migrations',
    'ok storage.primary',
    'ok storage.session',
    'warn storage.waits',
    'ok storage.statistics',
    'ok storage.clock',
    'ok storage.consume',
    'ok storage.rotate',
    'ok storage.claim',
  ])
  expect(copied).toMatchObject({
    code: 0,
    out: expect.stringContaining('Copied 1 rows of mintmark_clients.') as string,
  })
})

/** Runs SQL with the program of MariaDB. */
async function applyWithClient(url: string, schema: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const child = execFile(process.env['MARIADB_CLIENT_PATH'] ?? 'mariadb', [
    '-h',
    hostname,
    '-P',
    port,
    '-u',
    'root',
    pathname.slice(1),
  ])
  child.stdin?.end(schema)
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
}

test('works with PostgreSQL: schema, client, list of users, keys, and a race between two processes', async () => {
  const database = await aDatabase()
  const env = {
    ...process.env,
    MINTMARK_POSTGRES: database.url,
    MINTMARK_ISSUER: 'http://127.0.0.1:9',
    MINTMARK_SEALING_KEY: 'A'.repeat(43),
  }
  const line = (await aCommandLine()).with({ env })

  const applied = await line.run('migrate', 'apply')
  const created = await line.run('client', 'create', 'App', '--id', 'A', '--redirect-uri', 'https://app.test/cb')
  const listed = await line.run('user', 'list', '--filter', 'active eq true')
  const rotated = await line.run('keys', 'rotate')
  const doctor = await line.run('doctor', '--json')
  const timed = new URL(database.url)
  timed.searchParams.set(
    'options',
    `${database.options} -c lock_timeout=5s -c idle_in_transaction_session_timeout=1min`,
  )
  const bounded = await line.run('doctor', '--json', '--postgres', timed.href)
  await database.remove()

  expect([applied, created, listed, rotated].map(({ code, err }) => [code, err])).toEqual(
    Array.from({ length: 4 }, () => [0, '']),
  )
  expect(storageFindings(doctor)).toEqual([
    'ok storage.reachable',
    'ok storage.migrations',
    'warn storage.waits',
    'ok storage.clock',
    'ok storage.consume',
    'ok storage.rotate',
    'ok storage.claim',
  ])
  expect(doctor.out).toContain('sets no lock_timeout and no idle_in_transaction_session_timeout')
  expect(storageFindings(bounded)).toContain('ok storage.waits')
})

test('reports missing PostgreSQL privileges in one line that names the user to use instead', async () => {
  const database = await aDatabase()
  const pool = database.pool()
  const stranger = new URL(database.url)
  stranger.username = 'stranger_of_the_command_line'
  stranger.password = 'x'
  await pool.query(`CREATE ROLE ${stranger.username} LOGIN PASSWORD 'x'`)
  const { rows } = await pool.query<{ schema: string }>('SELECT current_schema() AS schema')
  await pool.query(`GRANT USAGE ON SCHEMA ${rows[0]?.schema} TO ${stranger.username}`)
  const line = await aCommandLine({ MINTMARK_POSTGRES: stranger.href, MINTMARK_ISSUER: 'https://as.test' })

  const refused = await line.run('migrate', 'apply')

  const { rows: tables } = await pool.query('SELECT 1 FROM pg_tables WHERE schemaname = current_schema')
  await pool.query(`DROP OWNED BY ${stranger.username}; DROP ROLE ${stranger.username}`)
  await database.remove()
  expect(refused).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^mintmark: The PostgreSQL user lacks a permission \(permission denied for schema \w+\): use the user that owns the database and its tables\.$/,
    ) as string,
  })
  expect(tables).toEqual([])
})

test('an unreachable database is reported in one line, without the password of its URL', async () => {
  const line = await aCommandLine({
    MINTMARK_POSTGRES: 'postgres://me:hush@127.0.0.1:9/x',
    MINTMARK_ISSUER: 'https://as.test',
  })

  const { code, out, err } = await line.run('client', 'list')

  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err.split('\n')).toHaveLength(1)
  expect(err).not.toContain('hush')
})

function storageFindings({ out }: Outcome): readonly string[] {
  const { findings } = JSON.parse(out) as { findings: { level: string; check: string }[] }
  return findings.filter(({ check }) => check.startsWith('storage.')).map(({ level, check }) => `${level} ${check}`)
}

function start(cwd: string, argv: readonly string[], nodeOptions: readonly string[] = []): Promise<Outcome> {
  const [node, ...args] = program
  return new Promise((resolve) => {
    execFile(node, [...nodeOptions, ...args, ...argv], { cwd }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
}
