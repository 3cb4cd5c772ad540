import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'

import { clientId, userId } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { program, withDatabase } from './command-line.ts'

const jsonLines = (users: readonly object[]): string => users.map((user) => `${JSON.stringify(user)}\n`).join('')

test('user import reads JSON Lines, and prints how many users it created, updated, left unchanged and refused', async () => {
  const line = await withDatabase()
  const users = [
    { user_id: 1, claims: { name: 'Ann \u2028 A', address: { locality: 'Oslo' } } },
    { user_id: '2', active: false },
  ]
  await writeFile(join(line.folder, 'users.jsonl'), jsonLines(users))

  const dry = await line.run('user', 'import', 'users.jsonl', '--dry-run')
  const first = await line.run('user', 'import', 'users.jsonl')
  const second = await line.run('user', 'import', 'users.jsonl', '--json')

  expect(dry).toEqual({ code: 0, out: 'Dry run: 2 created, 0 updated, 0 unchanged, 0 refused.', err: '' })
  expect(first).toEqual({ code: 0, out: '2 created, 0 updated, 0 unchanged, 0 refused.', err: '' })
  expect(JSON.parse(second.out)).toEqual({
    dryRun: false,
    created: 0,
    updated: 0,
    unchanged: 2,
    refused: 0,
    refusals: [],
  })
  const storage = await line.storage()
  expect(await storage.users.find(userId('1'))).toMatchObject({ active: true, claims: users[0]?.claims })
  expect(await storage.users.find(userId('2'))).toMatchObject({ active: false })
})

test('user import reads CSV with quotes, mapped columns and booleans, and ignores unknown columns (RFC 4180 §2)', async () => {
  const line = await withDatabase()
  const csv = [
    '\u{FEFF}id,mail,email_verified,name,address.locality,password_hash,active',
    '7,ann@x.test,t,"Ann ""A"", Inc.",Oslo,$2b$,true',
    '8,,,"two\nlines",,,0',
  ].join('\r\n')
  await writeFile(join(line.folder, 'users.csv'), csv)

  const outcome = await line.run('user', 'import', 'users.csv', '--map', 'user_id=id', 'email=mail')

  expect(outcome).toEqual({
    code: 0,
    out: '2 created, 0 updated, 0 unchanged, 0 refused.',
    err: 'Ignored columns: password_hash. To read a column, add --map CLAIM=COLUMN.',
  })
  const storage = await line.storage()
  expect(await storage.users.find(userId('7'))).toMatchObject({
    active: true,
    claims: { email: 'ann@x.test', email_verified: true, name: 'Ann "A", Inc.', address: { locality: 'Oslo' } },
  })
  expect(await storage.users.find(userId('8'))).toMatchObject({ active: false, claims: { name: 'two\nlines' } })
  expect(await line.run('user', 'import', 'users.csv')).toMatchObject({
    code: 2,
    err: 'mintmark: No column contains the user_id. Add --map user_id=COLUMN.',
  })
})

test('user import refuses a cell that is neither true nor false, because false would block the user', async () => {
  const line = await withDatabase()
  const words = ['Y', 'off', 'enabled', ' true']
  const csv = ['user_id,active,email_verified', ...words.map((word, index) => `${index},${word},`), '4,,maybe']
  await writeFile(join(line.folder, 'users.csv'), csv.join('\n'))

  const outcome = await line.run('user', 'import', 'users.csv')

  expect(outcome).toMatchObject({ code: 1, out: '2 created, 0 updated, 0 unchanged, 3 refused.' })
  expect(outcome.err.split('\n').slice(0, 3)).toEqual([
    'line 4: Not a user: active must be true or false.',
    'line 5: Not a user: active must be true or false.',
    'line 6: Not a user: email_verified must be true or false.',
  ])
  const { users } = await line.storage()
  expect(await users.find(userId('0'))).toMatchObject({ active: true })
  expect(await users.find(userId('1'))).toMatchObject({ active: false })
})

test('user import reads a column for two claims, and refuses two columns with one name', async () => {
  const line = await withDatabase()
  await writeFile(join(line.folder, 'users.csv'), 'email,name\nann@x.test,Ann')
  await writeFile(join(line.folder, 'twice.csv'), 'user_id,email,email\n1,ann@x.test,kim@x.test')

  const outcome = await line.run('user', 'import', 'users.csv', '--map', 'user_id=email', 'email=email')

  expect(outcome).toMatchObject({ code: 0, out: '1 created, 0 updated, 0 unchanged, 0 refused.' })
  const { users } = await line.storage()
  expect(await users.find(userId('ann@x.test'))).toMatchObject({ claims: { email: 'ann@x.test', name: 'Ann' } })
  expect(await line.run('user', 'import', 'twice.csv')).toMatchObject({
    code: 2,
    err: 'mintmark: There are two columns email. Rename or remove one of them.',
  })
  expect(await users.find(userId('1'))).toBeUndefined()
})

test('user import refuses a line in which a member occurs twice (RFC 8259 §4)', async () => {
  const line = await withDatabase()
  const input = [
    '{"user_id":"1","user_id":"2"}',
    '{"user_id":"1","claims":{"email":"a@x.test","\\u0065mail":"b@x.test"}}',
  ]
  await writeFile(join(line.folder, 'users.jsonl'), input.join('\n'))

  const outcome = await line.run('user', 'import', 'users.jsonl')

  expect(outcome).toMatchObject({ code: 1, out: '0 created, 0 updated, 0 unchanged, 2 refused.' })
  expect(outcome.err).toContain(
    'line 1: Not a user: a member occurs twice.\nline 2: Not a user: a member occurs twice.',
  )
})

test('user import refuses a user who is in an earlier line already, and says in which', async () => {
  const line = await withDatabase()
  const csv = ['user_id,name', '1,Ann', '2,Bob', '1,Eve']
  await writeFile(join(line.folder, 'users.csv'), csv.join('\n'))

  const dry = await line.run('user', 'import', 'users.csv', '--dry-run')
  const outcome = await line.run('user', 'import', 'users.csv')

  expect(dry.out).toBe('Dry run: 2 created, 0 updated, 0 unchanged, 1 refused.')
  expect(outcome).toMatchObject({ code: 1, out: '2 created, 0 updated, 0 unchanged, 1 refused.' })
  expect(outcome.err).toContain('line 4: Not a new user: the user_id is in line 2 already.')
  const { users } = await line.storage()
  expect(await users.find(userId('1'))).toMatchObject({ claims: { name: 'Ann' } })
})

test('user import refuses a file that is not UTF-8 with the number of the line, and writes nobody', async () => {
  const line = await withDatabase()
  await writeFile(join(line.folder, 'users.csv'), Buffer.from('user_id,name\n1,Ann\n2,J\u{F6}rg\n', 'latin1'))

  const outcome = await line.run('user', 'import', 'users.csv')

  expect(outcome).toEqual({
    code: 2,
    out: '',
    err: 'mintmark: Line 3 is not UTF-8. Save the file as UTF-8, or convert it with iconv.',
  })
  const { users } = await line.storage()
  expect(await users.find(userId('1'))).toBeUndefined()
})

test('user import refuses each invalid line with its number and the reason, and writes the other users', async () => {
  const line = await withDatabase()
  const storage = await line.storage()
  await storage.clients.insert(aClientRecord({ clientId: clientId('app') }))
  const input = [
    '{"user_id":"a b"}',
    '{',
    '',
    '{"user_id":"app"}',
    '{"user_id":"ok"}',
    '{"user_id":"x","pw":1}',
    '{"userId":"y"}',
  ]
  await writeFile(join(line.folder, 'users.jsonl'), input.join('\n'))

  const outcome = await line.run('user', 'import', 'users.jsonl', '--report', 'refused.jsonl')

  const expected = [
    [1, 'identifier_invalid'],
    [2, 'line_invalid'],
    [4, 'identifier_taken'],
    [6, 'line_invalid'],
    [7, 'line_invalid'],
  ]
  expect(outcome).toMatchObject({ code: 1, out: '1 created, 0 updated, 0 unchanged, 5 refused.' })
  expect(outcome.err.split('\n')).toEqual([
    expect.stringMatching(/^line 1: a b: /),
    'line 2: Not a user: the line is not JSON.',
    expect.stringMatching(/^line 4: app: /),
    expect.stringMatching(/^line 6: Not a user: .*pw/),
    'line 7: Not a user: user_id: must be a text or a whole number.',
    'mintmark: 5 lines were refused.',
  ])
  const report = (await readFile(join(line.folder, 'refused.jsonl'), 'utf8')).trim().split('\n')
  expect(report.map((each) => JSON.parse(each) as { readonly line: number; readonly reason: string })).toMatchObject(
    expected.map(([at, reason]) => ({ line: at, reason })),
  )
  expect(await storage.users.find(userId('ok'))).toMatchObject({ active: true })
})

test('user import continues after the last checkpoint when it was killed, and writes every user', async () => {
  const line = await withDatabase()
  const file = join(line.folder, 'users.jsonl')
  const users = Array.from({ length: 8000 }, (_, index) => ({
    user_id: `u${index}`,
    claims: { name: `User ${index}` },
  }))
  await writeFile(file, jsonLines(users))
  const checkpoint = `${file}.checkpoint`
  const [command, ...args] = program
  const child = spawn(command, [...args, 'user', 'import', 'users.jsonl'], { cwd: line.folder, stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  const watcher = watch(line.folder, (_event, name) => {
    if (name === 'users.jsonl.checkpoint') child.kill('SIGKILL')
  })

  expect(await exited).toBe('SIGKILL')
  watcher.close()
  const { lines } = JSON.parse(await readFile(checkpoint, 'utf8')) as { readonly lines: number }
  const resumed = await line.run('user', 'import', 'users.jsonl', '--report', 'refused.jsonl')

  expect(lines).toBeGreaterThanOrEqual(1000)
  expect(lines).toBeLessThan(8000)
  expect(resumed).toMatchObject({ code: 0, err: `Continues after line ${lines}.` })
  const counts = /^(\d+) created, 0 updated, (\d+) unchanged, 0 refused\.$/.exec(resumed.out)
  expect(Number(counts?.[1]) + Number(counts?.[2])).toBe(8000)
  await expect(stat(checkpoint)).rejects.toThrow('ENOENT')
  expect(await readFile(join(line.folder, 'refused.jsonl'), 'utf8')).toBe('')
  const storage = await line.storage()
  const all = { filter: undefined, sort: undefined, page: { kind: 'index', offset: 0, limit: 0 } } as const
  expect(await storage.users.list(all)).toMatchObject({ total: 8000 })
})

test('user import refuses a checkpoint of another file or of an earlier version of the file', async () => {
  const line = await withDatabase()
  await writeFile(join(line.folder, 'users.jsonl'), jsonLines([{ user_id: 'a' }]))
  await writeFile(join(line.folder, 'users.jsonl.checkpoint'), '{"source":"other"}')

  expect(await line.run('user', 'import', 'users.jsonl')).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining('is the checkpoint of another file or database') as string,
  })
  const storage = await line.storage()
  expect(await storage.users.find(userId('a'))).toBeUndefined()
})

test('user import reads the standard input, and draws a progress bar only on a terminal', async () => {
  const line = await withDatabase()
  const text = jsonLines([{ user_id: 'é' }, { user_id: 'a', claims: { name: 'é' } }])
  const bytes = Buffer.from(text)
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  const drawn: string[] = []
  terminal.on('data', (piece) => drawn.push(String(piece)))
  const input = async function* () {
    // Two pieces with half a character each.
    const middle = bytes.lastIndexOf(0xa9)
    yield bytes.subarray(0, middle)
    yield bytes.subarray(middle)
  }

  const piped = await line.with({ input }).run('user', 'import', '-')
  await writeFile(join(line.folder, 'b.jsonl'), jsonLines([{ user_id: 'b' }]))
  await line.with({ terminal }).run('user', 'import', 'b.jsonl')

  expect(piped).toMatchObject({ code: 1, out: '1 created, 0 updated, 0 unchanged, 1 refused.' })
  const storage = await line.storage()
  expect(await storage.users.find(userId('a'))).toMatchObject({ claims: { name: 'é' } })
  expect(drawn.join('')).toContain('100 %  1 users')
})
