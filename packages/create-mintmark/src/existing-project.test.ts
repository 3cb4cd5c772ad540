import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { findExistingProject } from './existing-project.ts'
import { run } from './run.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-mintmark-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (path: string, text = ''): void => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), text)
}
const writeManifest = (dependencies: object): void => write('package.json', JSON.stringify({ dependencies }))

test.each([
  ['Express', { express: '^5.0.0' }, 'package.json', ['express'], ''],
  ['Next.js with app', { next: '16.0.0' }, 'app/page.tsx', ['nextjs'], ''],
  ['Next.js with src/app', { next: '16.0.0' }, 'src/app/page.tsx', ['nextjs'], 'src'],
  ['Next.js with src/pages', { next: '16.0.0' }, 'src/pages/index.tsx', ['nextjs'], 'src'],
  ['both', { next: '16.0.0', express: '^5.0.0' }, 'app/page.tsx', ['express', 'nextjs'], ''],
])('recognizes a project with %s', async (_, dependencies, file, frameworks, sources) => {
  write(file)
  writeManifest(dependencies)

  const found = await findExistingProject(cwd)

  expect(found?.frameworks.map(({ name }) => name)).toEqual(frameworks)
  expect(found?.sources).toBe(sources)
})

test('recognizes no project without a package.json, or with another framework', async () => {
  expect(await findExistingProject(cwd)).toBeUndefined()
  writeManifest({ koa: '^3.0.0' })
  expect(await findExistingProject(cwd)).toBeUndefined()
})

test('refuses to add to a project that has Mintmark, such as one that it made, and changes nothing', async () => {
  await runIn(['server'])
  const before = readdirSync(join(cwd, 'server'), { recursive: true })

  const { code, err, programs } = await runIn(['server'])

  expect([code, programs]).toEqual([1, []])
  expect(err).toContain('is not empty: it contains .env.')
  expect(readdirSync(join(cwd, 'server'), { recursive: true })).toEqual(before)
})

test('adds a folder to an Express project in the working directory, and installs only what it does not have', async () => {
  writeManifest({ express: '^5.0.0', kysely: '^0.28.0' })

  const { code, out, programs } = await runIn([])

  expect(code).toBe(0)
  expect(readdirSync(cwd).toSorted()).toEqual(['mintmark', 'package.json'])
  expect(readdirSync(join(cwd, 'mintmark'))).toEqual(expect.arrayContaining(['.env', '.gitignore', 'mintmark.ts']))
  expect(readFileSync(join(cwd, 'mintmark/.env'), 'utf8')).toMatch(/^MINTMARK_ISSUER=http:\/\/localhost:3000\/id$/m)
  expect(readFileSync(join(cwd, 'mintmark/.env'), 'utf8')).toMatch(/^SAMPLE_PASSWORD=\w+$/m)
  expect(programs[0]).toMatch(/^npm install @mintmark\/adapter-express@/)
  expect(programs[0]).not.toMatch(/ (?:express|kysely)@/)
  expect(programs.slice(1)).toEqual([expect.stringMatching(/^npm install -D @types\/node@/), 'node mintmark/setup.ts'])
  expect(out).toContain("  import { mintmark } from './mintmark/mintmark.ts'\n  app.use(await mintmark())\n")
  expect(out).toContain('http://localhost:3000/id/try?key=')
})

test('adds a folder and route handlers to a Next.js project, below src if the project has src/app', async () => {
  writeManifest({ next: '16.0.0' })
  write('src/app/page.tsx')

  expect(await runIn(['.', '--no-install', '--users', 'ours'])).toMatchObject({ code: 0, programs: [] })

  expect(readdirSync(join(cwd, 'src')).toSorted()).toEqual(['app', 'mintmark'])
  const route = readFileSync(join(cwd, 'src/app/id/[...path]/route.ts'), 'utf8')
  expect(route).toContain("from '../../../mintmark/mintmark'")
  expect(readFileSync(join(cwd, 'src/mintmark/.env'), 'utf8')).toContain('MINTMARK_SQLITE=src/mintmark/mintmark.db\n')
})

test.each(['mintmark/users.ts', 'app/.well-known/[...path]/route.ts'])(
  'refuses a project that has the file %s, by its name, and writes nothing',
  async (file) => {
    writeManifest({ next: '16.0.0' })
    write(file, 'mine')
    const before = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).toSorted()

    const { code, err, programs } = await runIn([])

    expect([code, err, programs]).toEqual([1, `create-mintmark: ${join(cwd, file)} exists. Nothing was changed.`, []])
    expect(readFileSync(join(cwd, file), 'utf8')).toBe('mine')
    expect(readdirSync(cwd, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(before)
  },
)

test.each([
  [
    { next: '1', express: '1' },
    [],
    'the folder has a project with express and nextjs. Choose --framework express or nextjs, or a new folder.',
  ],
  [
    { next: '1' },
    ['--framework', 'hono'],
    'the folder has a project with nextjs. Choose --framework nextjs, or a new folder.',
  ],
  [{ next: '1' }, ['--name', 'x'], 'the project has a name already: leave out --name.'],
  [
    { next: '1' },
    ['--issuer', 'http://localhost:3000/auth'],
    'with Next.js, the path of --issuer is /id, as its routes.',
  ],
  [
    { next: '1' },
    ['--issuer', 'localhost:3000/id'],
    '--issuer "localhost:3000/id" is not an http or https URL without a slash at its end.',
  ],
])('refuses the project %j with the options %j, and writes nothing', async (dependencies, argv, reason) => {
  writeManifest(dependencies)

  const { code, err } = await runIn(argv)

  expect([code, err.split('\n')[0]]).toEqual([2, `create-mintmark: ${reason}`])
  expect(readdirSync(cwd)).toEqual(['package.json'])
})

/** Runs the command in `cwd`. */
async function runIn(argv: readonly string[]) {
  const output = { out: [] as string[], err: [] as string[], programs: [] as string[] }
  const code = await run(argv, {
    out: (line) => output.out.push(line),
    err: (line) => output.err.push(line),
    ask: undefined,
    runProgram: (command) => {
      output.programs.push(command.join(' '))
      return Promise.resolve(true)
    },
    env: {},
    cwd,
    nodeVersion: '22.18.0',
    signal: new AbortController().signal,
  })
  return { code, out: output.out.join('\n'), err: output.err.join('\n'), programs: output.programs }
}
