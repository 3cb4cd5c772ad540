import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { callSetUp } from '../scripts/call-setup.ts'
import { startWorker } from '../scripts/start-worker.ts'

/** Starts your Worker in workerd on a free port, with a new database, a client and a directory. */
export async function startSite() {
  const issuer = `http://localhost:${await freePort()}`
  const folder = mkdtempSync(join(tmpdir(), 'worker-test-'))
  const [setupKey, tryKey] = [randomKey(), randomKey()]
  const variables = {
    MINTMARK_SEALING_KEY: randomKey(),
    SETUP_KEY: setupKey,
    TRY_KEY: tryKey,
    SAMPLE_PASSWORD: samplePassword,
  }
  const set = Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const args = ['--persist-to', folder, '--inspector-port', '0', '--log-level', 'error', ...set]
  const worker = await startWorker({ issuer, args })
  const stop = (): void => {
    worker.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    worker.kill()
  }

  const printed = await callSetUp(issuer, setupKey)
  const [, clientSecret = ''] = /^Client +my-app, secret ([^,\s]+)/m.exec(printed) ?? []
  const [, tenantUrl = '', secret = ''] = /^SCIM Tenant URL (\S+)\nSecret Token +(\S+)$/m.exec(printed) ?? []
  const client = { clientId: 'my-app', clientSecret, redirectUri: 'http://localhost:4000/callback' }
  return { issuer, ...client, directory: { tenantUrl, secret }, tryKey, stop }
}

/** The password of the sample user, if users.ts still has one. */
export const samplePassword = 'correct horse battery staple'

const randomKey = (): string => randomBytes(32).toString('base64url')

/** The issuer contains the port, so it must be known before the Worker starts. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((done) => probe.listen(0, 'localhost', done))
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return port
}
