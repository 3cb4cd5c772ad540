import { expect, test } from 'vitest'
import * as admin from './index.ts'

test('exports these names and no others', () => {
  expect(Object.keys(admin).toSorted()).toMatchInlineSnapshot(`
    [
      "AdminError",
      "adminScopes",
      "createAdminServer",
      "createAdministration",
      "keepRequestLog",
      "logAdminEvents",
      "protectLastAdministrators",
    ]
  `)
})
