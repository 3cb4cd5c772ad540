import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { assertionOf } from '../support/client-assertion.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, encode, postForm } from '../support/flow.ts'
import { expectServing, refusedByRedirect, refusedInJson } from '../support/refused.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let under: ServerUnderTest
beforeAll(async () => {
  under = await startServer()
  await expectServing(under)
})
afterAll(() => under.close())

it.each(['fapi2', 'fapi2_message_signing'] as const)(
  'a server does not start with minimumProfile %s while it cannot bind tokens to a key (FAPI 2.0 SP §5.3.2.1)',
  (minimumProfile) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
    const open = () =>
      createAuthorizationServer({
        issuer: 'https://as.test',
        storage,
        keys,
        signedIn: async () => undefined,
        minimumProfile,
      })

    expect(open).toThrow(/minimumProfile .* cannot bind access tokens/)
  },
)

it.each(['fapi2', 'fapi2_message_signing', 'unknown'])(
  'a client whose stored registration contradicts its profile %s gets nothing (FAPI 2.0 SP §5.3.2)',
  async (profile) => {
    await changeClient(under.storage, clientId('A'), { profile })
    await refusedByRedirect(
      under,
      { error: 'unauthorized_client' },
      { send: () => authorize(under), reason: 'profile_contradicted' },
    )
    await changeClient(under.storage, clientId('A'), { profile: 'standard' })

    await changeClient(under.storage, clientId('B'), { profile, grantTypes: ['client_credentials'] })
    const assertion = await assertionOf(under)
    await refusedInJson(
      under,
      { status: 400, error: 'unauthorized_client' },
      {
        send: () => postForm(under, '/token', encode({ grant_type: 'client_credentials', ...assertion }), {}),
        reason: 'profile_contradicted',
        // The assertion is used up.
        kept: 'whatever',
      },
    )
    await changeClient(under.storage, clientId('B'), { profile: 'standard' })
  },
)

it('an assertion of a FAPI client names the issuer as a text and not in a list (FAPI 2.0 SP §5.3.2.1)', async () => {
  await changeClient(under.storage, clientId('B'), { profile: 'fapi2' })
  const assertion = await assertionOf(under, { claims: { aud: [under.issuer] } })
  await refusedInJson(
    under,
    { status: 401, error: 'invalid_client' },
    {
      send: () => postForm(under, '/token', encode({ grant_type: 'client_credentials', ...assertion }), {}),
      reason: 'client_assertion_audience',
    },
  )
  await changeClient(under.storage, clientId('B'), { profile: 'standard' })
})
