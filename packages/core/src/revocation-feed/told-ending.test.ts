import { createHash } from 'node:crypto'

import { clientId, epochSeconds, familyId, grantId, userId, type Revocation } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { deliveredRevocation } from './delivered-revocation.ts'

const until = epochSeconds(1_800_000_900)
const account = createHash('sha256').update('user-1').digest('base64url')

it.each<readonly [Revocation, readonly unknown[]]>([
  [{ kind: 'token', tokenId: 'jti-1' }, ['token', 'jti-1', until]],
  [{ kind: 'family', familyId: familyId('family-1') }, ['family', 'family-1', until]],
  [{ kind: 'grant', grantId: grantId('grant-1') }, ['grant', 'grant-1', until]],
  [{ kind: 'generation', userId: userId('user-1'), generation: 3 }, ['account', `${account}.3`, until]],
  [{ kind: 'account', userId: userId('user-1') }, ['account', account, until]],
  [{ kind: 'client', clientId: clientId('client-1') }, ['client', 'client-1', until]],
  [{ kind: 'client_in_use', clientId: clientId('client-1') }, ['client', 'client-1', 0]],
])('design §4: $kind is told by the name that access tokens carry, people by digests', async (ending, told) => {
  expect(await deliveredRevocation(ending, until)).toEqual(told)
})
