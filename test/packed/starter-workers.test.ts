import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'

import { openBrowser } from '../../packages/create-mintmark/template/browser/test/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/start-program.ts'
import { run } from './next-project.ts'

const { packages } = inject('packed')
const { folder: outside } = inject('outside')

/** The packages that the project uses, and those that they use. */
const names = [
  'adapter-fetch',
  'admin',
  'core',
  'pages',
  'provisioning',
  'scim',
  'storage-interface',
  'storage-sql',
  'testkit',
].map((name) => `@mintmark/${name}`)

const registry = await fetch('https://registry.npmjs.org/wrangler/latest').catch(() => undefined)
if (!registry?.ok) console.warn('The npm registry did not answer, so no project for Cloudflare Workers is tested.')

// Skipped only in an outage of the registry, which must not fail the tests; the warning above says so.
describe.skipIf(!registry?.ok)('the starter, with Cloudflare Workers, in workerd as wrangler starts it', () => {
  let parent: string
  let folder: string
  let port: number
  beforeAll(async () => {
    port = await freePort()
    parent = mkdtempSync(join(tmpdir(), 'mintmark-workers-'))
    folder = join(parent, 'my-worker')
    const starter = ['node', join(outside, 'node_modules/create-mintmark/dist/main.js')]
    run(
      [...starter, folder, '--framework', 'cloudflare-workers', '--no-install', '--issuer', `http://localhost:${port}`],
      { cwd: parent },
    )
    const tarballs = packages.filter(({ name }) => names.includes(name)).map(({ tarball }) => tarball)
    // Installing may need the machine's own settings, such as its proxy or certificates.
    const install = ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund']
    run([...install, ...tarballs], { cwd: folder, env: process.env })
  })
  afterAll(() => rmSync(parent, { recursive: true }))

  it('the project type-checks, its test passes, and wrangler can bundle it', () => {
    expect(run(['npm', 'run', 'check'], { cwd: folder })).not.toContain('error')
    expect(run(['npm', 'test'], { cwd: folder })).toMatch(/^(?:#|ℹ) pass 4$/m)
    expect(run(['npm', 'run', 'deploy', '--', '--dry-run'], { cwd: folder })).toContain('--dry-run: exiting now.')
  })

  it('npm run dev prints two links: one signs a user in to a client, the other shows the tokens', async () => {
    const server = await startProgram({ command: ['npm', 'run', 'dev'], cwd: folder, port, readyPath: '/ready' })
    onTestFinished(() => server.stop())
    await expect.poll(() => server.output(), { timeout: 60_000 }).toMatch(/^Tokens: /m)
    const printed = server.output()
    const [, link = ''] = /^Try it: +(\S+)/m.exec(printed) ?? []
    const [, tokensLink = ''] = /^Tokens: +(\S+)/m.exec(printed) ?? []
    const [, password = ''] = /^Sign in as +ann \/ (\w+)/m.exec(printed) ?? []

    const browser = openBrowser(new URL(link).origin)
    const signedIn = await browser.fillIn(await browser.open(new URL(link)), { decision: 'allow' })
    const other = openBrowser(new URL(link).origin)
    const asked = await other.fillIn(await other.open(new URL(tokensLink)), { username: 'ann', password })
    const tokens = await other.fillIn(asked, { decision: 'allow' })

    expect(signedIn.html).toContain('<h1>Signed in as Ann Lee</h1>')
    expect(tokens.html).toContain('access_token')
  })
})
