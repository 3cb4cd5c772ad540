import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'

import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'

import { openBrowser } from '../../packages/create-mintmark/template/browser/test/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/start-program.ts'
import { createNextProject, removeFonts, run } from './next-project.ts'

const { packages } = inject('packed')
const { folder: outside } = inject('outside')
const starter = ['node', join(outside, 'node_modules/create-mintmark/dist/main.js')]

/** The packages that the project uses, and those that they use. */
const names = [
  'adapter-fetch',
  'admin',
  'cli',
  'core',
  'pages',
  'provisioning',
  'scim',
  'storage-interface',
  'storage-sql',
  'testkit',
].map((name) => `@mintmark/${name}`)

const project = await createNextProject()
if (project === undefined) console.warn('The npm registry did not answer, so no project of create-next-app is tested.')

// Skipped only in an outage of the registry, which must not fail the tests; the warning above says so.
describe.skipIf(project === undefined)("the starter, with Next.js, in a project of today's create-next-app", () => {
  const folder = project ?? ''
  let issuer: string
  let port: number
  beforeAll(async () => {
    port = await freePort()
    issuer = `http://localhost:${port}/id`
    removeFonts(folder)
    run([...starter, folder, '--no-install', '--issuer', issuer], { cwd: folder })
    const tarballs = packages.filter(({ name }) => names.includes(name)).map(({ tarball }) => tarball)
    const others = ['kysely', 'pg', 'mysql2', '@simplewebauthn/server', '@types/pg', '@types/node@^24']
    // Installing may need the machine's own settings, such as its proxy or certificates.
    const install = ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund']
    run([...install, ...tarballs, ...others], { cwd: folder, env: process.env })
  })
  afterAll(() => rmSync(dirname(folder), { recursive: true }))

  /** Builds and starts a project, and signs a user in by its link. */
  async function signIn(at: string) {
    const setUp = run(['node', 'mintmark/setup.ts'], { cwd: at })
    run(['npm', 'run', 'build'], { cwd: at })
    const command = ['npm', 'start', '--', '--port', String(port), '--hostname', '127.0.0.1'] as const
    const server = await startProgram({ command: [...command], cwd: at, port, readyPath: '/id/jwks' })
    onTestFinished(() => server.stop())

    const { TRY_KEY: key } = parseEnv(readFileSync(join(at, 'mintmark/.env'), 'utf8'))
    const browser = openBrowser(new URL(issuer).origin)
    const consent = await browser.open(new URL(`${issuer}/try?key=${key}`))
    return { setUp, signedIn: await browser.fillIn(consent, { decision: 'allow' }) }
  }
  const statusOf = async (path: string) => (await fetch(new URL(path, issuer))).status

  it('adds a server that type-checks, builds, and signs a user in to a client by its link', async () => {
    const { setUp, signedIn } = await signIn(folder)

    expect(setUp).toMatch(/^Client +my-app, secret \S+/m)
    expect(signedIn.html).toContain('<h1>Signed in as Ann Lee</h1>')
    expect(await statusOf('/.well-known/oauth-authorization-server/id')).toBe(200)
    expect(await statusOf('/id/pricing')).toBe(404)
    expect(await statusOf('/')).toBe(200)
  })

  it('creates a new project that builds, and signs a user in to a client by its link', async () => {
    const parent = dirname(folder)
    const created = join(parent, 'new')
    run([...starter, 'new', '--framework', 'nextjs', '--no-install', '--issuer', issuer], { cwd: parent })
    renameSync(join(folder, 'node_modules'), join(created, 'node_modules'))
    onTestFinished(() => renameSync(join(created, 'node_modules'), join(folder, 'node_modules')))

    const { signedIn } = await signIn(created)

    expect(signedIn.html).toContain('<h1>Signed in as Ann Lee</h1>')
    expect(await (await fetch(new URL('/', issuer))).text()).toContain('It works')
  })

  it('creates a new project that type-checks with each database and each user table', () => {
    const parent = dirname(folder)
    // Projects beside the folder find the packages there.
    renameSync(join(folder, 'node_modules'), join(parent, 'node_modules'))
    for (const database of ['sqlite', 'postgresql', 'mariadb']) {
      for (const users of ['ours', 'own']) {
        const options = ['--framework', 'nextjs', '--database', database, '--users', users, '--no-install']
        run([...starter, `new-${database}-${users}`, ...options], { cwd: parent })
      }
    }
    const configuration = { extends: './new-sqlite-ours/tsconfig.json', include: ['new-*/**/*.ts', 'new-*/**/*.tsx'] }
    writeFileSync(join(parent, 'tsconfig.json'), JSON.stringify(configuration))

    expect(run(['node', 'node_modules/typescript/bin/tsc', '-p', '.'], { cwd: parent })).toBe('')
  })
})
