import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { registerClient } from '@mintmark/core'
import { devicePage } from '@mintmark/pages'
import { describe, expect, it, onTestFinished } from 'vitest'

import { approve, deviceGrant, openConsent, answer } from '../support/device-world.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { aCommandLine } from './command-line.ts'

async function anIssuer(): Promise<ServerUnderTest> {
  const site = await startLoopbackServer({ device: { renderPage: devicePage } })
  onTestFinished(() => site.close())
  await registerClient(
    {
      clientId: 'cli',
      clientName: 'Command line',
      tokenEndpointAuthMethod: 'none',
      grantTypes: [deviceGrant, 'refresh_token'],
      scopes: ['openid', 'profile', 'offline_access'],
      redirectUris: [],
    },
    { storage: site.storage },
  )
  return site
}

/** Runs `mintmark login`; while it waits for the first time, the user acts on the code that it has shown. */
async function runLogin(site: ServerUnderTest, argv: readonly string[], act: (userCode: string) => Promise<unknown>) {
  const err: string[] = []
  let waits = 0
  const line = (await aCommandLine()).with({
    err: (text) => void err.push(text),
    sleep: async () => {
      waits += 1
      const [userCode = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(err.join('\n')) ?? []
      if (waits === 2) await act(userCode)
    },
  })
  const outcome = await line.run('login', site.issuer, '--client', 'cli', '--scope', 'openid profile', ...argv)
  return { ...outcome, err: err.join('\n'), folder: line.folder, waits }
}

describe('mintmark login', () => {
  it('shows the page and the code, waits for the user, and keeps no token', async () => {
    const site = await anIssuer()

    const { code, out, err } = await runLogin(site, [], (userCode) => approve(site, userCode))

    expect(err).toContain(`${site.issuer}/device`)
    expect(out).toContain('Signed in as U1, with openid profile')
    expect(out).toContain('The tokens were not kept')
    expect(code).toBe(0)
    expect(out + err).not.toMatch(/ey[\w-]+\.ey/)
  })

  it('writes the tokens to a new file that only the user can read, and overwrites none', async () => {
    const site = await anIssuer()

    const { code, folder } = await runLogin(site, ['--save', 'tokens.json'], (userCode) => approve(site, userCode))

    const file = join(folder, 'tokens.json')
    expect(code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ token_type: 'Bearer', scope: 'openid profile' })
  })

  it('prints the tokens only when it is told to', async () => {
    const site = await anIssuer()

    const { out } = await runLogin(site, ['--json'], (userCode) => approve(site, userCode))

    expect(JSON.parse(out)).toHaveProperty('id_token')
  })

  it('fails when the user denies the request, and when nobody decides in time', async () => {
    const site = await anIssuer()

    const denied = await runLogin(site, [], async (userCode) => answer(site, await openConsent(site, userCode), 'deny'))
    const late = await runLogin(site, [], async () => site.clock.advance(601))

    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('The request was denied.')])
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('Nobody approved the code in time.')])
  })

  it('says what is wrong with the issuer or the client', async () => {
    const site = await anIssuer()
    const plain = await startLoopbackServer()
    onTestFinished(() => plain.close())
    const line = await aCommandLine()

    const unsupported = await line.run('login', plain.issuer, '--client', 'cli')
    const unknown = await line.run('login', site.issuer, '--client', 'nobody')
    const unregistered = await line.run('login', site.issuer, '--client', 'P')

    expect(unsupported.err).toContain('does not support the device authorization grant')
    expect(unknown.err).toContain('invalid_client')
    expect(unregistered.err).toContain('unauthorized_client')
  })
})
