import { expect, test } from 'vitest'

import { freePort } from '../support/free-port.ts'
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

test('a rehearsal names the steps that fail, with the detail of the server and the profile that they need', async () => {
  const { line } = await aSite()
  const { tenantUrl, secret } = JSON.parse(
    (await line.run('idp', 'register', 'try', '--profile', 'strict', '--json')).out,
  ) as { readonly tenantUrl: string; readonly secret: string }

  const { code, out, err } = await line
    .with({ env: { MINTMARK_SCIM_SECRET: secret } })
    .run('idp', 'rehearse', tenantUrl, '--profile', 'entra')

  expect(out).toMatch(/→ status 400, expected 200: (?:A|The) [^\n]+\.\n/)
  expect(err).toMatch(/\d+ of \d+ steps failed\. .*--profile entra/)
  expect(code).toBe(1)
})

test.each([
  { given: 'a wrong Secret Token', path: '/scim/v2/enterprise-idps/acme', says: '401: the Secret Token is wrong' },
  { given: 'another address', path: '/scim', says: '404: this is not a SCIM server. Copy all of the SCIM Tenant URL' },
])('a rehearsal with $given sends one request, and says what to correct', async ({ path, says }) => {
  const { line, issuer } = await aSite()

  const { code, out, err } = await line
    .with({ env: { MINTMARK_SCIM_SECRET: 'wrong' } })
    .run('idp', 'rehearse', `${issuer}${path}`, '--profile', 'okta')

  expect(err).toContain(says)
  expect(out).toBe('')
  expect(code).toBe(1)
})

test('a rehearsal says why the server cannot be reached', async () => {
  const line = await aCommandLine()
  const port = await freePort()

  const { err } = await line
    .with({ env: { MINTMARK_SCIM_SECRET: 'any' } })
    .run('idp', 'rehearse', `http://localhost:${port}/scim`, '--profile', 'okta')

  expect(err).toContain('cannot be reached: ECONNREFUSED')
})

test('a rehearsal without a secret is refused before any request is sent', async () => {
  const line = await aCommandLine()

  const { code, err } = await line.run('idp', 'rehearse', 'https://scim.example', '--profile', 'okta')

  expect(err).toContain('MINTMARK_SCIM_SECRET')
  expect(code).toBe(2)
})
