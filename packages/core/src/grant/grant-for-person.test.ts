import { epochSeconds, seconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { registerClient } from '../client/register-client.ts'
import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { grantForUser } from './grant-for-user.ts'

const now = epochSeconds(1_900_000_000)

async function aWorld() {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const { client } = await registerClient({ clientName: 'Kiosk', grantTypes: [] }, { storage })
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: now })
  const given = (subject: string) => ({
    // The brand of a client that has proved who it is.
    client: client as AuthenticatedClient,
    signedIn: { subject, authTime: now, amr: ['hwk'] },
    scopes: ['openid'],
    lifetime: seconds(300),
  })
  return { storage, given }
}

it('stores a grant and a token family for an extension grant about a user (RFC 6749 §4.5)', async () => {
  const { storage, given } = await aWorld()

  const first = await grantForUser(given('U1'), now, { storage })
  const second = await grantForUser(given('U1'), now, { storage })

  const standing = await storage.status.ofFamily(first.familyId)
  expect(first).toMatchObject({ user: { userId: 'U1' }, authentication: { authTime: now, amr: ['hwk'] } })
  expect(standing).toMatchObject({
    family: { expiresAt: now + 300, refresh: undefined, scopes: ['openid'] },
    grant: { grantId: first.grantId },
  })
  expect([second.grantId === first.grantId, second.familyId === first.familyId]).toEqual([true, false])
})

it.each(['U1', 'nobody'])('refuses a grant about a user who is not active: %s (RFC 6749 §5.2)', async (subject) => {
  const { storage, given } = await aWorld()
  await storage.users.deactivate(userId('U1'), now)

  await expect(grantForUser(given(subject), now, { storage })).rejects.toMatchObject({
    code: 'invalid_grant',
    reason: 'grant_refused',
  })

  expect(await storage.grants.listByUser(userId(subject))).toEqual([])
})
