import { expect, test } from 'vitest'

import { withDatabase } from './command-line.ts'

const redirect = ['--redirect-uri', 'https://app.test/cb']

test.each([
  ['opnid', 'Did you mean the scope openid? The client is registered for opnid.'],
  ['openid', ''],
  ['orders.read', ''],
])('a client that is registered for the scope %s is created, with the advice %j', async (scope, advice) => {
  const line = await withDatabase()

  const created = await line.run('client', 'create', 'App', ...redirect, '--scope', scope)

  expect(created.code).toBe(0)
  if (advice === '') expect(created.err).not.toContain('Did you mean')
  else expect(created.err).toContain(advice)
})
