import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { freePort } from '../support/free-port.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'

const { packages } = inject('packed')
const { oldestNodeForSources } = inject('outside')
const tarballs = packages.filter(({ name }) => name !== 'create-mintmark').map(({ tarball }) => tarball)

/** Starts in an empty folder whose path contains a space, and installs the packed tarballs. */
describe('the starter, on the oldest Node that runs TypeScript without flags', () => {
  let folder: string
  beforeAll(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'mintmark-starter-')), 'my folder')
    mkdirSync(folder)
    const starter = packages.find(({ name }) => name === 'create-mintmark')?.tarball ?? ''
    runInFolder(
      'npm',
      'exec',
      '--yes',
      '--offline',
      `--package=${starter}`,
      '--',
      'create-mintmark',
      'my-server',
      '--no-install',
    )
  })
  afterAll(() => rmSync(dirname(folder), { recursive: true }))

  /** Runs a command. @returns its output. @throws Error if it fails. */
  const runInFolder = (...command: readonly string[]): string => run(command, { cwd: folder })
  const runInProject = (...command: readonly string[]): string =>
    run(command, { cwd: join(folder, 'my-server'), env: { MINTMARK_ISSUER: issuer } })
  let issuer = ''

  it('creates the files, and depends on the versions of its release', () => {
    expect(readdirSync(folder)).toEqual(['my-server'])
    expect(readdirSync(join(folder, 'my-server')).toSorted()).toEqual([
      '.env',
      '.gitignore',
      'README.md',
      'package.json',
      'src',
      'test',
      'tsconfig.json',
    ])
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'my-server/package.json'), 'utf8')) as Manifest
    const released = packages.map(({ name, version }) => [name, `^${version}`] as const)
    expect(Object.entries(dependencies).filter(([name]) => name.startsWith('@mintmark/'))).toEqual(
      released.filter(([name]) => name in dependencies),
    )
  })

  it('refuses to create the project again, and changes nothing', () => {
    const main = join(inject('outside').folder, 'node_modules/create-mintmark/dist/main.js')
    const again = spawnSync(oldestNodeForSources, [main, 'my-server'], { cwd: folder, encoding: 'utf8' })

    expect(again.status).toBe(1)
    expect(again.stderr).toMatch(/^create-mintmark: .* is not empty: it contains \.env\. .*; nothing was changed\.\n$/)
  })

  describe('after npm install', () => {
    let server: RunningProgram
    let printed: string
    beforeAll(async () => {
      const port = await freePort()
      issuer = `http://localhost:${port}`
      runInProject('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs)
      printed = runInProject('npm', 'run', 'setup')
      const env = { ...environment, MINTMARK_ISSUER: issuer, HOST: '127.0.0.1' }
      server = await startProgram({ command: ['npm', 'start'], cwd: join(folder, 'my-server'), env, port })
    })
    afterAll(() => server.stop())

    it('the project type-checks, and its test passes', () => {
      runInProject('npm', 'run', 'check')
      expect(runInProject('npm', 'test')).toMatch(/^(?:#|ℹ) pass 4$/m)
    })

    it('the server serves the discovery document', async () => {
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`)

      expect(await answer.json()).toMatchObject({ issuer, token_endpoint: `${issuer}/token` })
    })

    it('the directory creates and deactivates a user', async () => {
      const [, tenantUrl, secret] = /^SCIM Tenant URL (\S+)\nSecret Token +(\S+)$/m.exec(printed) ?? []
      const send = async (method: string, path: string, body: object): Promise<Resource> => {
        const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/scim+json' }
        const answer = await fetch(`${tenantUrl}${path}`, { method, headers, body: JSON.stringify(body) })
        return { status: answer.status, ...((await answer.json()) as Omit<Resource, 'status'>) }
      }

      const eve = { schemas: [userSchema], externalId: '1', userName: 'eve@acme.example' }
      const created = await send('POST', '/Users', eve)
      const change = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'active', value: false }] }
      const deactivated = await send('PATCH', `/Users/${created.id}`, change)

      expect(created).toMatchObject({ status: 201, active: true })
      expect(deactivated).toMatchObject({ status: 200, id: created.id, active: false })
    })

    it('the doctor finds no failure, and running set-up again creates nothing', () => {
      const checks = runInProject('npm', 'run', 'doctor')

      expect(checks).not.toMatch(/^fail/m)
      expect(checks).toMatch(/^ok +clients\.pkce/m)
      expect(runInProject('npm', 'run', '--silent', 'setup')).toBe(
        'Done. Existing records were not changed, and their secrets cannot be shown again.\n',
      )
    })
  })
})

/** Commands find the oldest Node first. npm is the installed version. */
const environment = { PATH: `${dirname(oldestNodeForSources)}:${process.env['PATH']}`, NO_COLOR: '1', NODE_OPTIONS: '' }

function run([program = '', ...args]: readonly string[], { cwd, env }: RunOptions): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...environment, ...env } } as const
  const { status, stdout, stderr } = spawnSync(program, args, options)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.\n${stdout}${stderr}`)
  return stdout
}

interface RunOptions {
  readonly cwd: string
  readonly env?: object
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

interface Resource {
  readonly status: number
  readonly id: string
  readonly active: boolean
}

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
