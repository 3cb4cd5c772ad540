import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { epochSeconds, providerId, userId } from '@mintmark/storage-interface'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { aCommandLine, withDatabase } from './command-line.ts'

// One file for the commands that administer a server: each test is short, and they share the table of refusals below.
test('init writes a configuration without secrets and a sealing key that only its owner can read, and overwrites nothing', async () => {
  const line = await aCommandLine()

  const first = await line.run('init', '--issuer', 'https://as.test')
  const key = await readFile(join(line.folder, 'mintmark.sealing-key'), 'utf8')
  const again = await line.run('init', '--issuer', 'https://other.test')

  expect(first).toMatchObject({ code: 0, err: '' })
  expect(key).toMatch(/^[\w-]{43}\n$/)
  expect((await stat(join(line.folder, 'mintmark.sealing-key'))).mode & 0o777).toBe(0o600)
  const config = await readFile(join(line.folder, 'mintmark.config.json'), 'utf8')
  expect(JSON.parse(config)).toEqual({
    issuer: 'https://as.test',
    sqlite: 'mintmark.db',
    sealingKeyFile: 'mintmark.sealing-key',
  })
  expect(config).not.toContain(key.trim())
  expect(again).toEqual({
    code: 1,
    out: '',
    err: 'mintmark: mintmark.config.json already exists, and was not changed.',
  })
  expect(await readFile(join(line.folder, 'mintmark.config.json'), 'utf8')).toBe(config)
})

test.for([
  [['init', '--issuer', 'http://as.test'], 'must use https'],
  [
    ['init', '--issuer', 'https://as.test', '--postgres', 'postgres://me:hush@db/x'],
    'Remove the password from --postgres',
  ],
  [['client', 'list', '--postgres', 'postgres://db/x?password=hush'], 'Remove the password from --postgres'],
  [['client', 'list', '--sqlite', 'a', '--postgres', 'postgres://db/x'], 'Two databases are given'],
  [['client', 'list', '--mariadb', 'mariadb://me:hush@db/x'], 'Remove the password from --mariadb. Set MYSQL_PWD'],
  [['client', 'list', '--sqlite', 'a', '--mariadb', 'mariadb://db/x'], 'Two databases are given'],
  [['migrate', 'copy', '--from', 'mariadb://me:hush@db/x', '--to', 'a.db'], 'Remove the password from --from'],
  [['migrate', 'copy', '--from', 'a.db', '--to', 'postgres://me:hush@db/x'], 'Remove the password from --to'],
  [['client', 'list', '--sqlite', 'a.db'], 'No issuer is given'],
  [['client', 'list'], 'No database is given'],
  [['client', 'list', '--config', 'nowhere.json'], 'There is no file'],
  [['client', 'list', '--limit', '0'], 'Use a whole number'],
  [['client', 'secret', 'rotate', 'A', '--previous-ends-in', 'soon'], 'Use a duration such as 45s, 30m, 24h or 7d.'],
  [['client', 'create'], "missing required argument 'name'"],
  [['client', 'update', 'A', '--profile', 'strict'], 'Allowed choices'],
  [['client', 'create', 'App', '--secret', 'hush'], "unknown option '--secret'"],
  [['user', 'remove', 'U1'], 'Add --yes'],
  [['migrate', 'print', '--dialect', 'mysql'], 'Allowed choices'],
  [['fly'], "unknown command 'fly'"],
] as const)('%j is a usage error: exit code 2 and one line that says why', async ([argv, reason]) => {
  const line = await aCommandLine()

  const { code, out, err } = await line.run(...argv)

  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(reason)
  expect(err.split('\n')).toHaveLength(1)
  expect(err).not.toContain('hush')
})

test('rejects a configuration with an unknown member or a password', async () => {
  const line = await aCommandLine()
  const runWith = async (config: string) => {
    await writeFile(join(line.folder, 'mintmark.config.json'), config)
    return line.run('migrate', 'list')
  }

  expect(await runWith('{"isuer": "https://as.test"}')).toMatchObject({
    code: 2,
    err: expect.stringContaining('isuer') as string,
  })
  expect(await runWith('{')).toMatchObject({ code: 2, err: expect.stringContaining('is not JSON') as string })
  expect(await runWith('{"postgres": "postgres://me:hush@db/x"}')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Remove the password from') as string,
  })
})

test('flags take precedence over the environment, and the environment over the configuration', async () => {
  const mintmark = await withDatabase()
  await mintmark.run('migrate', 'apply', '--sqlite', 'flag.db')
  await mintmark.with({ env: { MINTMARK_SQLITE: 'environment.db' } }).run('migrate', 'apply')

  const elsewhere = mintmark.with({ env: { MINTMARK_SQLITE: 'environment.db' } })
  await elsewhere.run('client', 'create', 'App', '--id', 'B', '--redirect-uri', 'https://app.test/cb')

  const idsOf = async (...flags: readonly string[]) => (await elsewhere.run('client', 'list', '--json', ...flags)).out
  expect(JSON.parse(await idsOf())).toMatchObject([{ clientId: 'B' }])
  expect(JSON.parse(await idsOf('--sqlite', 'flag.db'))).toEqual([])
  expect(JSON.parse((await mintmark.run('client', 'list', '--json')).out)).toEqual([])
})

test('migrate lists, applies and prints the schema; other commands refuse an unmigrated database', async () => {
  const line = await aCommandLine()
  await line.run('init', '--issuer', 'https://as.test')

  const before = await line.run('migrate', 'list')
  await writeFile(join(line.folder, 'mintmark.db'), '')
  const pending = await line.run('migrate', 'list', '--json')
  const refused = await line.run('client', 'list')
  const applied = await line.run('migrate', 'apply')

  expect(before).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/There is no file \S+: mintmark migrate apply creates it\.$/) as string,
  })
  expect(pending.code).toBe(1)
  expect(JSON.parse(pending.out)).toContain('0001-schema')
  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('Run: npx mintmark migrate apply') as string,
  })
  expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('Applied: 0001-schema') as string })
  expect(await line.run('migrate', 'apply')).toEqual({ code: 0, out: 'Nothing to apply.', err: '' })
  expect(await line.run('migrate', 'list')).toEqual({ code: 0, out: 'Up to date.', err: '' })
  expect((await line.run('migrate', 'print', '--dialect', 'postgres')).out).toContain('CREATE TABLE')
})

test('registers a client, shows it without its secrets, rotates its secret, disables and enables it, and logs the operator', async () => {
  const mintmark = await withDatabase()

  const created = await mintmark.run(
    'client',
    'create',
    'My App',
    '--id',
    'A',
    '--redirect-uri',
    'https://app.test/cb',
    '--scope',
    'openid',
    'email',
  )
  const secret = /client_secret {2}(\S{43})$/m.exec(created.out)?.[1] ?? 'none'
  const rotated = await mintmark.run('client', 'secret', 'rotate', 'A', '--json')
  const third = await mintmark.run('client', 'secret', 'rotate', 'A')
  await mintmark.run('client', 'secret', 'revoke', 'A')
  const disabled = await mintmark.run('client', 'disable', 'A')

  expect(created).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(rotated.out)).toEqual({ clientId: 'A', clientSecret: expect.stringMatching(/^\S{43}$/) as string })
  expect(third).toEqual({
    code: 1,
    out: '',
    err: 'mintmark: The client already has two active secrets. Revoke one of them first.',
  })
  expect(disabled).toEqual({ code: 0, out: 'Client A is disabled.', err: '' })
  const shown = await mintmark.run('client', 'show', 'A')
  expect(shown.out).toContain('My App')
  expect(shown.out).not.toContain(secret)
  const storage = await mintmark.storage()
  const entries = await storage.logs.list({ log: 'admin', before: undefined, limit: 50 })
  expect(JSON.stringify(entries)).toContain('cli:tess')
  expect(JSON.stringify(entries)).not.toContain(secret)
  expect((await mintmark.run('client', 'list')).out).toMatch(/^ID +NAME.*\nA {3}My App .*Z$/)
  expect(await mintmark.run('client', 'enable', 'A')).toMatchObject({ code: 0 })
})

test('client create has a flag for every member of the client metadata (RFC 7591 §2)', async () => {
  const mintmark = await withDatabase()
  const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] }
  await writeFile(join(mintmark.folder, 'keys.json'), JSON.stringify(jwks))

  const flags = [
    ['client', 'create', 'My App', '--id', 'A', '--auth', 'private_key_jwt', '--jwks-file', 'keys.json'],
    ['--redirect-uri', 'https://app.test/cb', '--grant', 'authorization_code', 'refresh_token', '--scope', 'openid'],
    ['--audience', 'https://api.test', '--id-token-signed-response-alg', 'ES256', '--require-auth-time'],
    ['--userinfo-signed-response-alg', 'EdDSA', '--default-max-age', '60'],
  ]
  const { code } = await mintmark.run(...flags.flat())

  expect(code).toBe(0)
  expect(JSON.parse((await mintmark.run('client', 'show', 'A', '--json')).out)).toMatchObject({
    clientName: 'My App',
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks,
    redirectUris: ['https://app.test/cb'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid'],
    servedAudiences: ['https://api.test'],
    idTokenSignedResponseAlg: 'ES256',
    userinfoSignedResponseAlg: 'EdDSA',
    defaultMaxAge: 60,
    requireAuthTime: true,
  })
})

test('client update changes only the given metadata, removes a member when its value is empty, and prints a new secret', async () => {
  const mintmark = await withDatabase()
  const first = ['--redirect-uri', 'https://app.test/cb', '--scope', 'openid', '--client-uri', 'https://app.test/']
  await mintmark.run('client', 'create', 'My App', '--id', 'A', '--auth', 'none', '--default-max-age', '60', ...first)
  const show = async () =>
    JSON.parse((await mintmark.run('client', 'show', 'A', '--json')).out) as Readonly<Record<string, unknown>>
  const before = await show()

  const changed = await mintmark.run(
    'client',
    'update',
    'A',
    '--name',
    'Our App',
    '--profile',
    'mcp',
    '--require-auth-time',
    '--redirect-uri',
    'https://app.test/cb',
    'https://app.test/other',
    '--scope',
    'openid',
    'email',
  )

  expect(changed).toEqual({ code: 0, out: 'Client A is changed.', err: '' })
  const given = {
    clientName: 'Our App',
    profile: 'mcp',
    requireAuthTime: true,
    redirectUris: ['https://app.test/cb', 'https://app.test/other'],
    scopes: ['openid', 'email'],
  }
  const after = await show()
  expect(after).toEqual({ ...before, ...given, version: after['version'] })

  const confidential = await mintmark.run('client', 'update', 'A', '--auth', 'client_secret', '--profile', 'standard')
  expect(confidential.out).toMatch(/^client_id +A\nclient_secret {2}\S{43}$/)
  const cleared = await mintmark.run(
    'client',
    'update',
    'A',
    '--json',
    '--client-uri',
    '',
    '--default-max-age',
    '',
    '--no-require-auth-time',
  )
  expect(JSON.parse(cleared.out)).toMatchObject({ clientId: 'A', clientName: 'Our App', requireAuthTime: false })
  const { clientUri, defaultMaxAge, requireAuthTime, scopes } = await show()
  expect([clientUri, defaultMaxAge, requireAuthTime, scopes]).toEqual([undefined, undefined, false, given.scopes])
  const entries = await (await mintmark.storage()).logs.list({ log: 'admin', before: undefined, limit: 50 })
  expect(JSON.stringify(entries)).toContain('client.updated')
  expect(JSON.stringify(entries)).not.toContain(/client_secret {2}(\S{43})$/.exec(confidential.out)?.[1])

  const encryption = ['--id-token-encrypted-response-alg', 'ECDH-ES', '--jwks-uri', 'https://app.test/jwks']
  expect(await mintmark.run('client', 'update', 'A', ...encryption)).toMatchObject({ code: 0 })
  expect((await show())['idTokenEncryptedResponseAlg']).toBe('ECDH-ES')
  await mintmark.run('client', 'update', 'A', '--id-token-encrypted-response-alg', '', '--jwks-uri', '')
  expect((await show())['idTokenEncryptedResponseAlg']).toBeUndefined()
  const nothing = await mintmark.run('client', 'update', 'A')
  expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('Say what to change')])
})

test('a refused command exits with 1, prints one line that says why, and changes nothing', async () => {
  const mintmark = await withDatabase()
  await mintmark.run('client', 'create', 'Taken', '--id', 'taken', '--redirect-uri', 'https://app.test/cb')
  await mintmark.run('keys', 'rotate')
  const kids = async () =>
    (JSON.parse((await mintmark.run('keys', 'list', '--json')).out) as { keyId: string }[]).map(({ keyId }) => keyId)
  const stored = async () => [
    await mintmark.run('client', 'list', '--json'),
    await mintmark.run('idp', 'list', '--json'),
    await kids(),
  ]
  const before = await stored()

  for (const [argv, reason] of refusals) {
    const { code, out, err } = await mintmark.run(...argv)

    expect({ code, out }, argv.join(' ')).toEqual({ code: 1, out: '' })
    expect(err).toContain(reason)
    expect(err.split('\n')).toHaveLength(1)
    expect(err).not.toContain('Internal error')
  }
  expect(await stored()).toEqual(before)
})

test('an identity provider is registered with its SCIM Tenant URL and a Secret Token that is shown once', async () => {
  const mintmark = await withDatabase('https://as.test/login')

  const registered = await mintmark.run('idp', 'register', 'acme', '--name', 'Acme', '--profile', 'okta')
  const rotated = await mintmark.run('idp', 'rotate', 'acme', '--previous-ends-in', '1h', '--json')
  const setup = await mintmark.run('idp', 'setup', 'acme', 'okta')

  expect(registered.out).toMatch(
    /^SCIM Tenant URL {2}https:\/\/as\.test\/login\/scim\/v2\/enterprise-idps\/acme\nSecret Token {5}mmscim_acme_\S{43}$/,
  )
  expect(JSON.parse(rotated.out)).toEqual({ secret: expect.stringMatching(/^mmscim_acme_\S{43}$/) as string })
  expect(setup.out).toContain('https://as.test/login/scim/v2/enterprise-idps/acme')
  expect(await mintmark.run('idp', 'revoke-secrets', 'acme')).toMatchObject({ code: 0 })
  expect(await mintmark.run('idp', 'disable', 'acme')).toMatchObject({ code: 0 })
  const [provider] = JSON.parse((await mintmark.run('idp', 'list', '--json')).out) as {
    disabledAt?: number
    secrets: unknown[]
  }[]
  expect(provider?.disabledAt).toBeTypeOf('number')
  expect(provider?.secrets).toHaveLength(1)
})

test('idp domains replaces the verified domains, prints them and refuses a value that is not a domain', async () => {
  const mintmark = await withDatabase()
  await mintmark.run('idp', 'register', 'acme', '--domain', 'old.example')
  const stored = async () =>
    (await (await mintmark.storage()).identityProviders.find(providerId('acme')))?.verifiedDomains

  const replaced = await mintmark.run('idp', 'domains', 'acme', 'Example.com', 'example.org')
  const domains = await stored()
  const refused = await mintmark.run('idp', 'domains', 'acme', 'kim@example.net')

  expect(replaced).toEqual({ code: 0, out: 'Verified domains of acme: example.com, example.org.', err: '' })
  expect(domains).toEqual(['example.com', 'example.org'])
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(await stored()).toEqual(domains)
  expect(await mintmark.run('idp', 'domains', 'acme')).toMatchObject({ out: 'Verified domains of acme: none.' })
  expect(await stored()).toEqual([])
  expect(await mintmark.run('idp', 'domains', 'nobody', 'example.com')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no such identity provider.') as string,
  })
})

test('idp assertions sets who signs for a provider, prints the endpoint, and refuses an incomplete answer', async () => {
  const mintmark = await withDatabase()
  await mintmark.run('idp', 'register', 'acme')
  const keys = 'https://acme.okta.com/oauth2/v1/keys'

  const set = await mintmark.run('idp', 'assertions', 'acme', '--idp-issuer', 'https://acme.okta.com', '--keys', keys)
  const refused = await mintmark.run('idp', 'assertions', 'acme', '--keys', keys)

  const endpoint = 'https://as.test/scim/v2/enterprise-idps/acme/global-token-revocation'
  expect(set).toEqual({ code: 0, out: `acme may sign users out: ${endpoint}`, err: '' })
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('must be an https URL') as string })
  expect((await (await mintmark.storage()).identityProviders.find(providerId('acme')))?.assertions).toMatchObject({
    issuer: 'https://acme.okta.com',
    jwksUri: keys,
  })
  expect(await mintmark.run('idp', 'assertions', 'acme')).toMatchObject({ out: 'acme signs nothing for this server.' })
})

test('idp cross-app-access sets which clients act for users of a provider, keeps the issuer, and needs one', async () => {
  const mintmark = await withDatabase()
  await mintmark.run('idp', 'register', 'acme')
  const keys = ['--keys', 'https://acme.okta.com/oauth2/v1/keys']
  const access = ['--client', 'agent', '--scope', 'a', 'b', '--resource', 'https://api.test', '--once']
  const read = async () => (await (await mintmark.storage()).identityProviders.find(providerId('acme')))?.assertions

  const without = await mintmark.run('idp', 'cross-app-access', 'acme', ...access)
  await mintmark.run('idp', 'assertions', 'acme', '--idp-issuer', 'https://acme.okta.com', ...keys)
  const set = await mintmark.run('idp', 'cross-app-access', 'acme', ...access)
  await mintmark.run('idp', 'assertions', 'acme', '--idp-issuer', 'https://new.okta.com', ...keys)

  expect(without).toMatchObject({ code: 2, err: expect.stringContaining('First set the issuer') as string })
  expect(set).toEqual({ code: 0, out: 'agent may act for users of acme.', err: '' })
  expect(await read()).toMatchObject({
    issuer: 'https://new.okta.com',
    crossAppAccess: { clientIds: ['agent'], scopes: ['a', 'b'], resources: ['https://api.test'], reuse: 'once' },
  })
  expect(await mintmark.run('idp', 'cross-app-access', 'acme')).toMatchObject({ out: 'ID-JAGs of acme are refused.' })
  expect((await read())?.crossAppAccess).toBeUndefined()
})

test('idp deactivate-users blocks the users of a disabled provider, in batches, and no other users', async () => {
  const mintmark = await withDatabase()
  const storage = await mintmark.storage()
  for (const id of ['acme', 'other']) await mintmark.run('idp', 'register', id)
  const insert = (provider: string, label: string) =>
    storage.provisionedUsers.insert(aProvisionedUser(label, { providerId: providerId(provider) }))
  for (let user = 0; user < 201; user += 1) await insert('acme', `a${user}`)
  await insert('other', 'b')
  const actives = async () => {
    const users = await Promise.all(['user-a0', 'user-a200', 'user-b'].map((id) => storage.users.find(userId(id))))
    return users.map((user) => user?.active)
  }

  const early = await mintmark.run('idp', 'deactivate-users', 'acme')
  const before = await actives()
  await mintmark.run('idp', 'disable', 'acme')
  const done = await mintmark.run('idp', 'deactivate-users', 'acme')
  const again = await mintmark.run('idp', 'deactivate-users', 'acme')

  expect(early).toMatchObject({ code: 1, out: '' })
  expect(before).toEqual([true, true, true])
  expect(done).toEqual({ code: 0, out: 'Deactivated 201 users of acme.', err: '' })
  expect(await actives()).toEqual([false, false, true])
  expect((await storage.users.find(userId('user-a0')))?.blockedAt).toBeTypeOf('number')
  expect(again).toMatchObject({ code: 0, out: 'Deactivated 0 users of acme.' })
})

test('a user is listed by a filter, deactivated, reactivated and removed', async () => {
  const mintmark = await withDatabase()
  const storage = await mintmark.storage()
  for (const id of ['U1', 'U2']) {
    await storage.users.insert({
      userId: userId(id),
      claims: { email: `${id}@example.test`, name: `A \u001B[31m${id}` },
      createdAt: epochSeconds(1_700_000_000),
    })
  }

  const deactivated = await mintmark.run('user', 'deactivate', 'U1')
  const listed = await mintmark.run('user', 'list', '--filter', 'active eq false')
  const reactivated = await mintmark.run('user', 'reactivate', 'U1')
  const removed = await mintmark.run('user', 'remove', 'U1', '--yes')

  expect(deactivated).toEqual({
    code: 0,
    out: 'User U1 is deactivated. Revoked 0 sessions and 0 grants.',
    err: '',
  })
  expect(listed.out).toContain('U1@example.test')
  expect(listed.out).not.toContain('U2')
  expect(listed.out).not.toContain('\u001B')
  expect([reactivated.code, removed.code]).toEqual([0, 0])
  expect(await storage.users.find(userId('U1'))).toBeUndefined()
  expect(JSON.parse((await mintmark.run('user', 'show', 'U2', '--json')).out)).toMatchObject({
    userId: 'U2',
    active: true,
  })
  const { err } = await mintmark.run('user', 'list', '--limit', '1')
  expect(err).toBe('')
})

test('keys are announced, listed without the sealing key, and dropped', async () => {
  const mintmark = await withDatabase()

  const first = await mintmark.run('keys', 'rotate')
  const waiting = await mintmark.run('keys', 'rotate', '--json')
  const next = await mintmark.run('keys', 'rotate', '--now')
  const [key] = JSON.parse((await mintmark.run('keys', 'list', '--json')).out) as { keyId: string; state: string }[]
  const dropped = await mintmark.run('keys', 'drop', '--', key?.keyId ?? '')
  const sealed = await mintmark.run('keys', 'rotate', '--config', await withoutKey(mintmark.folder))

  expect(first.out).toMatch(/ES256 +announced/)
  expect(JSON.parse(waiting.out)).toMatchObject([{ outcome: 'waiting' }, { outcome: 'waiting' }])
  expect(next.out).toMatch(/ES256 +announced/)
  expect(key?.state).toBe('signing')
  expect(dropped.out).toContain('Dropped')
  expect(sealed).toMatchObject({ code: 2, err: expect.stringContaining('No sealing key is given') as string })
})

test('a key id of an earlier version that begins with a hyphen follows --, and the error says so', async () => {
  const mintmark = await withDatabase()

  const refused = await mintmark.run('keys', 'drop', '-wX1abc')
  const found = await mintmark.run('keys', 'drop', '--', '-wX1abc')

  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Put -- before an argument') as string })
  expect(found).toMatchObject({ code: 1, err: expect.not.stringContaining('unknown option') as string })
})

test('init creates no sealing key if the database has signing keys; another sealing key cannot rotate or drop them', async () => {
  const mintmark = await withDatabase()
  await mintmark.run('keys', 'rotate')
  for (const file of ['mintmark.config.json', 'mintmark.sealing-key']) await rm(join(mintmark.folder, file))

  const again = await mintmark.run('init', '--issuer', 'https://as.test')
  const keyFile = await stat(join(mintmark.folder, 'mintmark.sealing-key')).catch(() => 'none')
  const other = mintmark.with({ env: { MINTMARK_SEALING_KEY: 'B'.repeat(42) + 'A' } })
  const before = await (await mintmark.storage()).signingKeys.list()
  const rotated = await other.run('keys', 'rotate', '--now')
  const dropped = []
  for (const { keyId } of [...before, ...before]) dropped.push(await other.run('keys', 'drop', keyId))

  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Set MINTMARK_SEALING_KEY') as string })
  expect(keyFile).toBe('none')
  const refusal = /^mintmark: The stored signing keys were sealed with another sealing key.*give both: \[old, new\]\.$/
  for (const refused of [rotated, ...dropped])
    expect(refused).toEqual({ code: 1, out: '', err: expect.stringMatching(refusal) as string })
  expect(before).toHaveLength(2)
  expect(await (await mintmark.storage()).signingKeys.list()).toEqual(before)
})

test('purge deletes expired rows in batches and shows progress only on a terminal', async () => {
  const mintmark = await withDatabase()
  const storage = await mintmark.storage()
  for (let index = 0; index < 5; index += 1) {
    await storage.replays.markUsed({
      purpose: 'client_assertion_jti',
      value: `jti-${index}`,
      expiresAt: epochSeconds(2),
      now: epochSeconds(1),
    })
  }
  const shown: string[] = []

  const purged = await mintmark.with({ progress: (line) => void shown.push(line) }).run('purge', '--batch', '2')

  expect(purged).toEqual({ code: 0, out: 'Removed 5 rows.', err: '' })
  expect(shown.at(0)).toBe('2 rows removed …')
  expect(shown.at(-1)).toBe('')
  expect(await mintmark.run('purge')).toEqual({ code: 0, out: 'Removed 0 rows.', err: '' })
})

async function withoutKey(folder: string): Promise<string> {
  await writeFile(join(folder, 'no-key.json'), '{"issuer": "https://as.test", "sqlite": "mintmark.db"}')
  return 'no-key.json'
}

const refusals: readonly (readonly [argv: readonly string[], reason: string])[] = [
  [['client', 'create', 'App', '--redirect-uri', 'http://app.test/cb'], 'A redirect URI with http must be on loopback'],
  [['client', 'create', 'App', '--id', 'taken', '--redirect-uri', 'https://app.test/cb'], 'in use'],
  [
    ['client', 'create', 'App', '--auth', 'private_key_jwt', '--redirect-uri', 'https://app.test/cb'],
    'need either jwks or jwks_uri',
  ],
  [['client', 'disable', 'nobody'], 'There is no such client.'],
  [['client', 'update', 'nobody', '--name', 'App'], 'There is no such client.'],
  [
    ['client', 'update', 'taken', '--redirect-uri', 'http://app.test/cb'],
    'A redirect URI with http must be on loopback',
  ],
  [['client', 'update', 'taken', '--redirect-uri', ''], 'redirect'],
  [['client', 'update', 'taken', '--auth', 'private_key_jwt'], 'need either jwks or jwks_uri'],
  [['client', 'update', 'taken', '--name', ''], 'clientName'],
  [['client', 'list', '--limit', '1000'], 'between 1 and 200'],
  [['idp', 'register', 'under_score'], 'identifier'],
  [['idp', 'disable', 'nobody'], 'There is no such identity provider.'],
  [['user', 'show', 'nobody'], 'There is no such user.'],
  [['user', 'remove', 'nobody', '--yes'], 'There is no such user.'],
  [['user', 'list', '--filter', 'claims.email eq'], 'filter'],
  [['keys', 'drop', 'nobody'], 'There is no key nobody.'],
]
