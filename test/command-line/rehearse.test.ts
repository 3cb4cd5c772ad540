import { expect, test } from 'vitest'

import { aCommandLine } from './command-line.ts'
import { aSite } from './examined-site.ts'

test.each(['okta', 'entra'])('every step of a rehearsal of %s passes against our own server', async (profile) => {
  const { line, issuer } = await aSite()
  const registered = JSON.parse((await line.run('idp', 'register', 'try', '--profile', profile, '--json')).out) as {
    readonly tenantUrl: string
    readonly secret: string
  }
  expect(registered.tenantUrl).toContain(issuer)

  const { code, out } = await line
    .with({ env: { MINTMARK_SCIM_SECRET: registered.secret } })
    .run('idp', 'rehearse', registered.tenantUrl, '--profile', profile)

  expect(out).toMatch(/^All \d+ steps passed\.$/m)
  expect(code).toBe(0)
})

test('a rehearsal names the steps that fail, and exits with 1', async () => {
  const { line, issuer } = await aSite()

  const { code, out, err } = await line
    .with({ env: { MINTMARK_SCIM_SECRET: 'wrong' } })
    .run('idp', 'rehearse', `${issuer}/scim/v2/enterprise-idps/acme`, '--profile', 'okta')

  expect(out).toContain('→ status 401, expected 200')
  expect(err).toMatch(/\d+ of \d+ steps failed/)
  expect(code).toBe(1)
})

test('a rehearsal without a secret is refused before any request is sent', async () => {
  const line = await aCommandLine()

  const { code, err } = await line.run('idp', 'rehearse', 'https://scim.example', '--profile', 'okta')

  expect(err).toContain('MINTMARK_SCIM_SECRET')
  expect(code).toBe(2)
})
