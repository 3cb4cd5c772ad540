import { registerClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { assertionOf } from '../support/client-assertion.ts'
import { token, type Change } from '../support/flow.ts'
import { startServer } from '../support/server-under-test.ts'

it('the jti "C 1" of client "B" and the jti "1" of client "B C" are different (RFC 7523 §3)', async () => {
  const under = await startServer()
  onTestFinished(() => under.close())
  const machine = { grantTypes: ['client_credentials'], scopes: ['api.read'] }
  await changeClient(under.storage, clientId('B'), machine)
  const b = await under.storage.clients.find(clientId('B'))
  await registerClient(
    {
      ...machine,
      clientId: 'B C',
      clientName: 'Neighbour',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: b?.jwks ?? {},
    },
    { storage: under.storage },
  )
  const requestToken = (assertion: Change) =>
    token(under, { grant_type: 'client_credentials', ...assertion }, { authorization: '' })

  const first = await requestToken(await assertionOf(under, { claims: { jti: 'C 1' } }))
  const second = await requestToken(await assertionOf(under, { claims: { iss: 'B C', sub: 'B C', jti: '1' } }))

  expect([first.status, second.status]).toEqual([200, 200])
})
