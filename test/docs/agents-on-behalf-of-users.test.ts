import { clientId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import { actFor } from '../../docs/snippets/agents-on-behalf-of-users/agent.ts'
import { registerAssistant } from '../../docs/snippets/agents-on-behalf-of-users/register.ts'
import { serverOptions } from '../../docs/snippets/agents-on-behalf-of-users/server-options.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { startServer } from '../support/server-under-test.ts'
import { tokensFor } from '../support/token-calls.ts'
import { configAt, sendTo } from './client-at-app.ts'

it('the assistant exchanges the token of a user, and the new token names both (RFC 8693 §4.1)', async () => {
  const site = await startServer(serverOptions)
  onTestFinished(() => site.close())
  await changeClient(site.storage, clientId('A'), { scopes: ['invoices.read', 'invoices.write'] })
  const { clientSecret } = await registerAssistant(site.storage)
  const config = await configAt(site.issuer, { clientId: 'assistant', clientSecret, send: sendTo(site.server) })
  const user = await tokensFor(site, 'A', {
    scope: 'invoices.read invoices.write',
    resource: 'https://assistant.example.com',
  })

  const token = await actFor(config, user.access_token)

  expect(decodeJwt(token)).toMatchObject({
    sub: 'U1',
    act: { sub: 'assistant' },
    aud: 'https://invoices.example.com',
    scope: 'invoices.read',
  })
})
