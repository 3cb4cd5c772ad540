import { spawnSync } from 'node:child_process'

import { registerIdentityProvider } from '@mintmark/scim'
import { expect, it } from 'vitest'

import { storage } from '../../docs/snippets/provision-users/scim.ts'
import { userOf } from '../../docs/snippets/provision-users/sign-in.ts'

it('the program that registers a provider prints its Tenant URL and its Secret Token', () => {
  const program = 'docs/snippets/provision-users/register.ts'

  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@mintmark/source', program], {
    encoding: 'utf8',
  })

  expect(stdout, stderr).toMatch(
    /^SCIM Tenant URL http:\/\/localhost:3000\/scim\/v2\/enterprise-idps\/acme\nSecret Token mmscim_acme_[\w-]{43}\n$/,
  )
})

it('each sign-in at the provider leads to the same user, until that user is deactivated', async () => {
  await registerIdentityProvider({ providerId: 'acme' }, { storage })
  const kim = { sub: '42', email: 'kim@example.com' }

  const first = await userOf(kim)
  expect(await userOf(kim)).toBe(first)
  await storage.users.deactivate(first as never, 1 as never)

  expect(first).toMatch(/^[\w-]{22}$/)
  expect(await userOf(kim)).toBeUndefined()
})
