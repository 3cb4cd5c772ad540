import { registerClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { assertionOf } from '../support/client-assertion.ts'
import { token, type Change } from '../support/flow.ts'
import { startServer } from '../support/server-under-test.ts'

it('the jti "C 1" of client "B" and the jti "1" of client "B C" are different (RFC 7523 §3)', async () => {
  const site = await startServer()
  onTestFinished(() => site.close())
  const machine = { grantTypes: ['client_credentials'], scopes: ['api.read'] }
  await changeClient(site.storage, clientId('B'), machine)
  const b = await site.storage.clients.find(clientId('B'))
  await registerClient(
    {
      ...machine,
      clientId: 'B C',
      clientName: 'Neighbour',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: b?.jwks ?? {},
    },
    { storage: site.storage },
  )
  const requestToken = (assertion: Change) =>
    token(site, { grant_type: 'client_credentials', ...assertion }, { authorization: '' })

  const first = await requestToken(await assertionOf(site, { claims: { jti: 'C 1' } }))
  const second = await requestToken(await assertionOf(site, { claims: { iss: 'B C', sub: 'B C', jti: '1' } }))

  expect([first.status, second.status]).toEqual([200, 200])
})
