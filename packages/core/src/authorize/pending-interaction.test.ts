import { aUser } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { accountNameOf } from './pending-interaction.ts'

it.each([
  [{ email: 'ann@example.test', preferred_username: 'ann', name: 'Ann Lee' }, 'ann@example.test'],
  [{ email: '', preferred_username: 'ann', name: 'Ann Lee' }, 'ann'],
  [{ preferred_username: 7, name: 'Ann Lee' }, 'Ann Lee'],
  [{}, aUser().userId],
])('shows the user of %j as %s (OIDC Core §5.1)', (claims, name) => {
  expect(accountNameOf({ ...aUser(), claims })).toBe(name)
})
