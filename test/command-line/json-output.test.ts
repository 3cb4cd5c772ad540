import { epochSeconds, userId } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { aCommandLine, withDatabase, type CommandLine } from './command-line.ts'

test('every command has --json, except the commands that print SQL or a shell script', async () => {
  const withoutJson = (await commandsOf(await aCommandLine(), [])).filter(({ flags }) => !flags.includes('--json'))

  expect(withoutJson.map(({ words }) => words.join(' '))).toEqual(['migrate print', 'completion'])
})

test('commands that change something print their result as one JSON document', async () => {
  const line = await withDatabase()
  const storage = await line.storage()
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: epochSeconds(1_700_000_000) })
  await line.run('client', 'create', 'Notes', '--id', 'notes', '--grant', 'client_credentials', '--scope', 'notes')
  await line.run('idp', 'register', 'acme')
  const json = async (...argv: readonly string[]): Promise<unknown> => {
    const { code, out, err } = await line.run(...argv, '--json')
    expect([argv.join(' '), code, err]).toEqual([argv.join(' '), 0, ''])
    return JSON.parse(out)
  }

  expect(await json('client', 'disable', 'notes')).toMatchObject({ clientId: 'notes', disabledAt: aNumber })
  expect(await json('client', 'enable', 'notes')).not.toHaveProperty('disabledAt')
  expect(await json('client', 'secret', 'revoke', 'notes')).toEqual({ clientId: 'notes' })
  expect(await json('idp', 'disable', 'acme')).toMatchObject({ providerId: 'acme', disabledAt: aNumber })
  expect(await json('idp', 'deactivate-users', 'acme')).toEqual({ providerId: 'acme', deactivated: 0, kept: 0 })
  expect(await json('idp', 'enable', 'acme')).toMatchObject({ providerId: 'acme' })
  expect(await json('idp', 'revoke-secrets', 'acme')).toEqual({ providerId: 'acme' })
  expect(await json('idp', 'domains', 'acme', 'acme.test')).toMatchObject({ verifiedDomains: ['acme.test'] })
  const signing = ['--idp-issuer', 'https://acme.okta.com', '--keys', 'https://acme.okta.com/oauth2/v1/keys']
  expect(await json('idp', 'assertions', 'acme', ...signing)).toMatchObject({
    assertions: { issuer: 'https://acme.okta.com', jwksUri: 'https://acme.okta.com/oauth2/v1/keys' },
  })
  expect(await json('idp', 'setup', 'acme', 'okta')).toMatchObject({
    fields: { 'Global token revocation endpoint': expect.stringMatching(/acme\/global-token-revocation$/) as string },
  })
  expect(await json('idp', 'assertions', 'acme')).not.toHaveProperty('assertions')
  expect(await json('idp', 'setup', 'acme', 'okta')).toMatchObject({ text: expect.stringContaining('Okta') as string })
  expect(await json('user', 'deactivate', 'U1')).toHaveProperty('revoked')
  expect(await json('user', 'reactivate', 'U1')).toMatchObject({ userId: 'U1', active: true })
  expect(await json('organization', 'create', 'Acme', '--id', 'acme')).toMatchObject({ organizationId: 'acme' })
  expect(await json('organization', 'member', 'add', 'acme', 'U1')).toMatchObject({ userId: 'U1', roles: [] })
  expect(await json('organization', 'member', 'remove', 'acme', 'U1')).toMatchObject({ userId: 'U1' })
  expect(await json('idp', 'organization', 'acme', 'acme')).toMatchObject({ organizationId: 'acme' })
  expect(await json('idp', 'organization', 'acme')).not.toHaveProperty('organizationId')
  expect(await json('organization', 'rename', 'acme', 'Acme Inc')).toMatchObject({ displayName: 'Acme Inc' })
  expect(await json('organization', 'remove', 'acme', '--yes')).toEqual({ organizationId: 'acme' })
  expect(await json('session', 'end', '--user', 'U1')).toEqual({ userId: 'U1', count: 0 })
  expect(await json('user', 'remove', 'U1', '--yes')).toMatchObject({ userId: 'U1' })
  expect(await json('purge')).toEqual({ removed: aNumber })
})

test('init --json lists the files that it wrote', async () => {
  const { out } = await (await aCommandLine()).run('init', '--issuer', 'https://as.test', '--json')

  expect(JSON.parse(out)).toEqual({
    written: ['mintmark.config.json', 'mintmark.sealing-key'],
    needsSealingKey: false,
  })
})

interface FoundCommand {
  readonly words: readonly string[]
  readonly flags: readonly string[]
}

/** Returns the commands that have no subcommands, as the completion lists them. */
async function commandsOf(line: CommandLine, words: readonly string[]): Promise<readonly FoundCommand[]> {
  const complete = async (last: string): Promise<readonly string[]> =>
    (await line.run('__complete', '--', ...words, last)).out.split('\n').filter((name) => name !== '')
  // The completion also lists the choices of an argument, which are not commands.
  const names = words.includes('completion') || words.includes('setup') ? [] : await complete('')
  if (names.length === 0) return [{ words, flags: await complete('--') }]
  const found = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => commandsOf(line, [...words, name])),
  )
  return found.flat()
}

const aNumber = expect.any(Number) as number
