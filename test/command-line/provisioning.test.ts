import { expect, test } from 'vitest'

import { withDatabase } from './command-line.ts'

const create = ['provisioning', 'create', 'crm', 'https://crm.example/scim', '--name', 'CRM', '--provider', 'acme']

test('a partner is created with a credential from the environment, listed, enabled, synchronized and removed', async () => {
  const line = await withDatabase()
  await line.run('idp', 'register', 'acme')
  const withSecret = line.with({ env: { MINTMARK_PARTNER_SECRET: 'partner-secret-4711' } })

  const outcomes = [
    await withSecret.run(...create),
    await line.run('provisioning', 'list'),
    await line.run('provisioning', 'enable', 'crm'),
    await line.run('provisioning', 'synchronize', 'crm', '--json'),
    await withSecret.run(
      'provisioning',
      'replace-credential',
      'crm',
      '--client-id',
      'us',
      '--token-endpoint',
      'https://crm.example/token',
    ),
    await line.run('provisioning', 'failures', 'crm', '--json'),
    await line.run('provisioning', 'disable', 'crm'),
    await line.run('provisioning', 'remove', 'crm'),
    await line.run('provisioning', 'list', '--json'),
  ]

  expect(outcomes.map(({ code, err }) => [code, err])).toEqual(outcomes.map(() => [0, '']))
  expect(outcomes[1]?.out).toMatch(/crm +CRM +https:\/\/crm.example\/scim +acme/)
  expect(JSON.parse(outcomes[3]?.out ?? '')).toEqual({ users: 0, groups: 0 })
  expect(JSON.parse(outcomes.at(-1)?.out ?? '')).toEqual([])
  expect(JSON.stringify(outcomes)).not.toContain('partner-secret-4711')
  const entries = await (await line.storage()).logs.list({ log: 'admin', before: undefined, limit: 100 })
  expect(JSON.stringify(entries)).toContain('"cli:tess"')
})

test('a partner without a credential, and one that cannot be reached, are refused with a sentence', async () => {
  const line = await withDatabase()
  await line.run('idp', 'register', 'acme')

  expect(await line.run(...create)).toMatchObject({
    code: 2,
    err: 'mintmark: No credential is given. Set MINTMARK_PARTNER_SECRET.',
  })
  const withSecret = line.with({ env: { MINTMARK_PARTNER_SECRET: 'partner-secret-4711' } })
  await withSecret.run('provisioning', 'create', 'crm', 'https://crm.invalid/scim', '--name', 'CRM', '--host-users')
  expect(await line.run('provisioning', 'compare', 'crm')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^mintmark: The partner did not answer as SCIM requires\..* \(\w+\)$/) as string,
  })
  expect(await line.run('provisioning', 'enable', 'none')).toMatchObject({
    code: 1,
    err: 'mintmark: There is no such target.',
  })
})
