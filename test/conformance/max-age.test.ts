import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, signedInAs } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { logIn, open, outcomeOf, pageOf, refusalOf, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await signIn(site)
})
afterAll(() => site.close())
beforeEach(() => site.clock.advance(60))

describe('max_age, for U1 who signed in five seconds ago', () => {
  it.each(['10000', '6', '5'])('%s is satisfied, and auth_time shows it (OIDC Core §3.1.2.1)', async (maxAge) => {
    const { claims } = await outcomeOf(site, await open(site, { max_age: maxAge }, 'U1'))

    expect(claims['auth_time']).toBe(site.clock.now() - 5)
  })

  it.each(['4', '1', '0'])(
    '%s is exceeded, and a new sign-in has a new auth_time (OIDC Core §3.1.2.1)',
    async (maxAge) => {
      const started = await open(site, { max_age: maxAge }, 'U1')
      site.clock.advance(3)

      const { claims } = await outcomeOf(site, await logIn(site, started))

      expect(pageOf(site, started)).toBe('/login')
      expect(claims['auth_time']).toBe(site.clock.now())
    },
  )

  it('0 means prompt=login, even for a user who signed in this second (OIDC Core §3.1.2.1)', async () => {
    const reply = await authorize(site, { max_age: '0' }, { cookie: signedInAs(site, 'U1', 0) })

    expect(pageOf(site, reply)).toBe('/login')
  })

  it.each(['4', '0'])('%s with prompt=none fails with login_required (OIDC Core §3.1.2.6)', async (maxAge) => {
    const reply = await open(site, { max_age: maxAge, prompt: 'none' }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'login_required' })
  })

  it.each(['-1', '1.5', 'x', '1e3', ' 1', '9999999999'])(
    'rejects %j as a number of seconds (OIDC Core §3.1.2.1)',
    async (maxAge) => {
      const reply = await open(site, { max_age: maxAge }, 'U1')

      expect(refusalOf(reply)).toMatchObject({ error: 'invalid_request' })
      expect(site.lastReason()).toBe('max_age_invalid')
    },
  )

  it('default_max_age applies when the request has no max_age, and the request overrides it (OIDC Registration §2)', async () => {
    await changeClient(site.storage, clientId('A'), { defaultMaxAge: 3 })

    const byDefault = await open(site, {}, 'U1')
    const overruled = await open(site, { max_age: '100' }, 'U1')

    expect(pageOf(site, byDefault)).toBe('/login')
    expect(pageOf(site, overruled)).toBeUndefined()
    await changeClient(site.storage, clientId('A'), { defaultMaxAge: undefined })
  })
})
