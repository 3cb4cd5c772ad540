import { epochSeconds, userId } from '@mintmark/storage-interface'
import { afterEach, beforeEach, expect, it } from 'vitest'

import { startAdminSite, type AdminSite } from '../support/admin-site.ts'
import { answerInteraction, authorize, redeem, signedInAs } from '../support/flow.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'

let site: AdminSite
beforeEach(async () => {
  site = await startAdminSite()
  // The host chose this identifier itself.
  await site.oauth.storage.users.insert({ userId: userId('A'), claims: {}, createdAt: epochSeconds(1) })
})
afterEach(() => site.close())

const obtainCodeOfUserA = async (): Promise<string> => {
  const started = await authorize(site.oauth, { scope: 'openid admin:write' }, { cookie: signedInAs(site.oauth, 'A') })
  const consented = await answerInteraction(site.oauth, started, 'scope=openid&scope=admin:write')
  return consented.location.searchParams.get('code') ?? ''
}

it("a user whose id equals a client_id gets no access token from that client, because it would read as the client's own (RFC 9068 §5)", async () => {
  const scoped = await site.send({ method: 'PATCH', path: '/clients/A', body: { scopes: ['openid', 'admin:write'] } })
  expect(scoped.status).toBe(200)
  const code = await obtainCodeOfUserA()

  await expectJsonRefusal(
    site.oauth,
    { status: 400, error: 'invalid_grant' },
    {
      send: () => redeem(site.oauth, code),
      reason: 'user_id_equals_client_id',
      storage: 'may change',
    },
  )
})
