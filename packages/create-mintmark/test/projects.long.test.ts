import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { freePort } from '../../../test/support/free-port.ts'
import { startProgram } from '../../../test/support/start-program.ts'
import { emptyDatabaseOfTheRun } from '../../storage-sql/test/support/mariadb-of-the-run.ts'
import { aDatabase } from '../../storage-sql/test/support/postgres-of-the-run.ts'
import { openBrowser } from '../template/server/test/browser.ts'
import {
  addToExpress,
  combinations,
  generateProjects,
  writeCompilerConfiguration,
  type GeneratedProject,
  type GeneratedProjects,
} from './generated-projects.ts'

let generated: GeneratedProjects
let added: readonly GeneratedProject[]
beforeAll(async () => {
  generated = await generateProjects()
  added = await Promise.all(['own', 'ours'].map((users) => addToExpress(generated, users)))
})
afterAll(() => generated.remove())

it(`every combination of framework, database and users type-checks: ${combinations.length}`, () => {
  const configuration = writeCompilerConfiguration(generated)

  const { status, stdout } = spawnSync(resolve('node_modules/typescript7/bin/tsc'), ['-p', configuration], {
    encoding: 'utf8',
  })

  expect([status, stdout]).toEqual([0, ''])
})

describe.each(['express-sqlite-ours', 'hono-sqlite-ours', 'fastify-sqlite-ours', 'hono-postgresql-own'])(
  'the project %s',
  (name) => {
    it('passes its own test', () => {
      const { folder } = projectNamed(name)

      const { status, stdout } = spawnSync(process.execPath, ['--test', 'test/*.test.ts'], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], NODE_OPTIONS: '--conditions=@mintmark/source' },
      })

      expect([status, stdout]).toEqual([0, expect.stringMatching(/^(?:#|ℹ) pass 4$/m)])
    })
  },
)

// Each framework with SQLite, and each database with one framework.
describe.each([
  ['express-sqlite-own', async () => ({})],
  ['hono-sqlite-ours', async () => ({})],
  ['fastify-sqlite-own', async () => ({})],
  ['fastify-postgresql-ours', async () => ({ MINTMARK_POSTGRES: (await aDatabase()).url })],
  ['express-mariadb-ours', async () => ({ MINTMARK_MARIADB: await emptyDatabaseOfTheRun() })],
])('the project %s', (name, database) => {
  it('is set up, started, and signs a user in to a client by its link', async () => {
    const { folder, environment } = projectNamed(name)
    const port = await freePort()
    const issuer = `http://localhost:${port}`
    const env = { ...environment, ...(await database()), MINTMARK_ISSUER: issuer, HOST: '127.0.0.1' }
    const setUp = runSource(folder, 'src/setup.ts', env)
    const again = runSource(folder, 'src/setup.ts', env)
    const command = [process.execPath, ...sources, 'src/main.ts'] as const
    const server = await startProgram({ command: [...command], cwd: folder, env, port, readyPath: '/ready' })
    onTestFinished(() => server.stop())

    const browser = openBrowser(issuer)
    const consent = await browser.open(new URL(`${issuer}/try?key=${environment['TRY_KEY']}`))
    const signedIn = await browser.fillIn(consent, { decision: 'allow' })
    const [, password = ''] = /^Sign in as +ann \/ (\w+)/m.exec(setUp) ?? []
    const other = openBrowser(issuer)
    const signInPage = await other.open(new URL(`${issuer}/try?show=token`))
    const asked = await other.fillIn(signInPage, { username: 'ann@example.com', password })
    const tokens = asked.html.includes('name="decision"') ? await other.fillIn(asked, { decision: 'allow' }) : asked

    expect(setUp).toMatch(/^Client +my-app, secret \S+/m)
    expect(again).not.toContain('secret ')
    expect(signedIn.html).toContain('<h1>Signed in as Ann Lee</h1>')
    expect(tokens.html).toContain('access_token')
    expect((await browser.open(new URL(issuer))).html).toContain('You are signed in here')
  })
})

it('a project with Express to which it is added keeps its pages, and signs a user in to a client by its link', async () => {
  const { folder, environment } = projectNamed('added-ours')
  const port = await freePort()
  const issuer = `http://localhost:${port}/id`
  const env = { MINTMARK_ISSUER: issuer, PORT: String(port) }
  runSource(folder, 'mintmark/setup.ts', env)
  const command = [process.execPath, ...sources, 'main.ts'] as const
  const server = await startProgram({ command: [...command], cwd: folder, env, port, readyPath: '/id/jwks' })
  onTestFinished(() => server.stop())

  const browser = openBrowser(new URL(issuer).origin)
  const consent = await browser.open(new URL(`${issuer}/try?key=${environment['TRY_KEY']}`))
  const signedIn = await browser.fillIn(consent, { decision: 'allow' })
  const home = await browser.open(new URL('/', issuer))
  const passkeys = await browser.open(new URL(`${issuer}/passkeys`))

  expect(signedIn.html).toContain('<h1>Signed in as Ann Lee</h1>')
  expect(home.html).toBe('my own page')
  expect(passkeys.html).toMatch(/passkey/i)
})

function projectNamed(name: string): GeneratedProject {
  const project = [...generated.projects, ...added].find((candidate) => candidate.name === name)
  if (project === undefined) throw new Error(`No combination is named ${name}.`)
  return project
}

const sources = ['--conditions=@mintmark/source']

/** Runs a program of a project. @returns its output. @throws Error if it fails. */
function runSource(folder: string, path: string, variables: Readonly<Record<string, string>>): string {
  const env = { ...process.env, NODE_OPTIONS: '', ...variables }
  const { status, stdout, stderr } = spawnSync(process.execPath, [...sources, path], {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  if (status !== 0) throw new Error(`${path} failed.\n${stdout}${stderr}`)
  return stdout
}
