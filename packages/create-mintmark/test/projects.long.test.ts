import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { bundle } from '../../../test/runtimes/bundle.ts'
import { workerdCommand } from '../../../test/runtimes/workerd.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { startProgram } from '../../../test/support/start-program.ts'
import { emptyDatabaseOfTheRun } from '../../storage-sql/test/support/mariadb-of-the-run.ts'
import { aDatabase } from '../../storage-sql/test/support/postgres-of-the-run.ts'
import { openBrowser } from '../template/browser/test/browser.ts'
import { callSetUp } from '../template/frameworks/cloudflare-workers/scripts/call-setup.ts'
import {
  addToExpress,
  combinations,
  generateProjects,
  nameOf,
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

const onNode = combinations.filter(({ framework }) => framework.setUp === 'by-command')

/** Returns where the new, empty database of a project is. */
async function emptyDatabase(name: string): Promise<Readonly<Record<string, string>>> {
  if (name === 'postgresql') return { MINTMARK_POSTGRES: (await aDatabase()).url }
  return name === 'mariadb' ? { MINTMARK_MARIADB: await emptyDatabaseOfTheRun() } : {}
}

describe.each(onNode.map(nameOf))('the project %s', (name) => {
  it('is set up, started, and signs a user in to a client by the links that it prints', async () => {
    const { folder, environment, choices } = projectNamed(name)
    const port = await freePort()
    const issuer = `http://localhost:${port}`
    const env = {
      ...environment,
      ...(await emptyDatabase(choices.database.name)),
      MINTMARK_ISSUER: issuer,
      HOST: '127.0.0.1',
    }
    const setUp = runSource(folder, 'src/setup.ts', env)
    const again = runSource(folder, 'src/setup.ts', env)
    const command = [process.execPath, ...sources, 'src/main.ts'] as const
    const server = await startProgram({ command: [...command], cwd: folder, env, port, readyPath: '/ready' })
    onTestFinished(() => server.stop())

    await expect.poll(() => server.output(), { timeout: 60_000 }).toMatch(/^Tokens: /m)
    const { signedIn, tokens, home } = await followLinks(server.output(), setUp)

    expect(setUp).toMatch(/^Client +my-app, secret \S+/m)
    expect(again).not.toContain('secret ')
    expect(signedIn).toContain('<h1>Signed in as Ann Lee</h1>')
    expect(tokens).toContain('access_token')
    expect(home).toContain('You are signed in here')
  })
})

describe.each(['cloudflare-workers-durable-object-ours', 'cloudflare-workers-durable-object-own'])(
  'the project %s, in workerd',
  (name) => {
    it('is set up, and signs a user in to a client by its link', async () => {
      const { issuer, environment } = await startWorker(projectNamed(name))
      const key = environment['SETUP_KEY'] ?? ''

      const setUp = await callSetUp(issuer, key)
      const again = await callSetUp(issuer, key)
      const links = `Try it: ${issuer}/try?key=${environment['TRY_KEY']}\nTokens: ${issuer}/try?show=token`
      const { signedIn, tokens, home } = await followLinks(links, setUp)

      expect(setUp).toMatch(/^Client +my-app, secret \S+/m)
      expect(again).not.toContain('secret ')
      expect(signedIn).toContain('<h1>Signed in as Ann Lee</h1>')
      expect(tokens).toContain('access_token')
      expect(home).toContain('You are signed in here')
    })
  },
)

it("a Worker reads revocations and removes expired rows by its object's alarm, without a request", async () => {
  const project = projectNamed('cloudflare-workers-durable-object-own')
  writeFileSync(join(project.folder, 'src/with-sql.ts'), workerWithSql)
  const { issuer, environment } = await startWorker(project, { entry: 'src/with-sql.ts' })
  const setUp = await callSetUp(issuer, environment['SETUP_KEY'] ?? '')
  const links = `Try it: ${issuer}/try?key=${environment['TRY_KEY']}\nTokens: ${issuer}/try?show=token`
  await followLinks(links, setUp)
  const runSql = async (statement: string): Promise<unknown> =>
    (await fetch(`${issuer}/sql`, { method: 'POST', body: statement })).json()
  // These change rows as another process would, of which the server knows nothing.
  await runSql('UPDATE mintmark_interactions SET expires_at = 1')
  await runSql('UPDATE mintmark_sessions SET revoked_at = created_at')
  const state = () =>
    runSql(`SELECT (SELECT count(*) FROM mintmark_interactions) AS interactions,
      (SELECT count(*) FROM mintmark_revocations WHERE position >
        coalesce((SELECT position FROM mintmark_cursors WHERE consumer = 'logout'), 0)) AS unread`)

  const before = await state()

  expect(before).toEqual([{ interactions: 2, unread: 2 }])
  await expect.poll(state, { timeout: 90_000, interval: 1000 }).toEqual([{ interactions: 0, unread: 0 }])
})

/** The Worker of a project. It also runs SQL in the database of its object. */
const workerWithSql = `import type { DurableObjectState } from '#durable-object'
import type { Environment } from '#worker-settings'
import worker, { Mintmark as Server } from '#worker'

export default worker

export class Mintmark extends Server {
  readonly #sql: DurableObjectState['storage']['sql']

  constructor(state: DurableObjectState, environment: Environment) {
    super(state, environment)
    this.#sql = state.storage.sql
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/sql') return super.fetch(request)
    return Response.json(this.#sql.exec(await request.text()).toArray())
  }
}
`

describe('the set-up of a Worker', () => {
  const project = () => projectNamed('cloudflare-workers-durable-object-own')

  it('creates nothing without the key', async () => {
    const { issuer, environment } = await startWorker(project())

    await expect(callSetUp(issuer, 'another key')).rejects.toThrow('/setup answered 401')
    const withoutKey = await fetch(`${issuer}/setup`, { method: 'POST' })

    expect(withoutKey.status).toBe(401)
    expect(await callSetUp(issuer, environment['SETUP_KEY'] ?? '')).toMatch(/^Client +my-app, secret \S+/m)
  })

  it('is off without the secret SETUP_KEY, whatever key is sent', async () => {
    const { issuer } = await startWorker(project(), { variables: { SETUP_KEY: '' } })

    await expect(callSetUp(issuer, '')).rejects.toThrow('/setup answered 404')
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

interface WorkerOptions {
  /** Instead of those of `.env`. */
  readonly variables?: Readonly<Record<string, string>>
  readonly entry?: string
}

/** Bundles a project for Workers, and runs it in workerd. */
async function startWorker(project: GeneratedProject, { variables, entry = 'src/worker.ts' }: WorkerOptions = {}) {
  const { folder, environment } = project
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const bundled = await bundle({ entry: join(folder, entry), node: 'all' })
  const bindings = { ...environment, MINTMARK_ISSUER: issuer, ...variables }
  const command = workerdCommand({ port, folder: bundled, bindings, durableObject: 'Mintmark', node: 'compatible' })
  const running = await startProgram({ command, cwd: bundled, port, readyPath: '/ready' })
  onTestFinished(() => {
    running.stop()
    rmSync(bundled, { recursive: true })
  })
  return { issuer, environment }
}

/** Follows the two links that a project prints, each in a new browser. @returns the last pages. */
async function followLinks(links: string, setUp: string) {
  const [, tryIt = ''] = /^Try it: +(\S+)/m.exec(links) ?? []
  const [, showTokens = ''] = /^Tokens: +(\S+)/m.exec(links) ?? []
  const { origin } = new URL(tryIt)
  const browser = openBrowser(origin)
  const consent = await browser.open(new URL(tryIt))
  const signedIn = await browser.fillIn(consent, { decision: 'allow' })
  const [, password = ''] = /^Sign in as +ann \/ (\w+)/m.exec(setUp) ?? []
  const other = openBrowser(origin)
  const signInPage = await other.open(new URL(showTokens))
  const asked = await other.fillIn(signInPage, { username: 'ann@example.com', password })
  const tokens = asked.html.includes('name="decision"') ? await other.fillIn(asked, { decision: 'allow' }) : asked
  const home = await browser.open(new URL(origin))
  return { signedIn: signedIn.html, tokens: tokens.html, home: home.html }
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
