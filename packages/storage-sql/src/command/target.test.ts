import { expect, test } from 'vitest'

import { openTarget } from './target.ts'

test.each([
  ['no database', {}],
  ['two databases', { sqlite: ':memory:', postgres: 'postgres://127.0.0.1:1/none' }],
])('refuses a command that names %s', async (_, options) => {
  await expect(openTarget(options, 'apply', 'mintmark-migrate apply')).rejects.toThrow(
    'apply needs --sqlite FILE or --postgres URL',
  )
})
