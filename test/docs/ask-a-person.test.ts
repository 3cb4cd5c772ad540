import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { epochSeconds, userId } from '@mintmark/storage-interface'

import { askToPay } from '../../docs/snippets/ask-a-person/agent.ts'
import { messages } from '../../docs/snippets/ask-a-person/app.ts'
import { decide } from '../../docs/snippets/ask-a-person/decide.ts'
import { registerAgent } from '../../docs/snippets/ask-a-person/register.ts'
import { options } from '../../docs/snippets/ask-a-person/server-options.ts'
import { startLoopbackServer } from '../support/server-under-test.ts'
import { configAt, withInterval } from './client-at-app.ts'

it.each([
  [
    true,
    { authorization_details: [{ type: 'payment', amount: '12.00', creditor: 'Example Ltd.', account: 'savings' }] },
  ],
  [false, { error: 'access_denied' }],
])('the agent of the page pays only if the person approves it: %s (CIBA Core 1.0)', async (allow, result) => {
  const site = await startLoopbackServer(options)
  onTestFinished(() => site.close())
  const now = epochSeconds(site.clock.now())
  await site.storage.users.insert({ userId: userId('user-1'), claims: {}, createdAt: now })
  const { clientSecret } = await registerAgent(site.storage)
  const send = withInterval(fetch, 1)
  const config = await configAt(site.issuer, { clientId: 'agent', clientSecret, send })
  messages.length = 0

  const paying = askToPay(config, 'ann@example.com', { amount: '12.00', creditor: 'Example Ltd.' })
  const settled = paying.then(decodeJwt, (error: unknown) => error)
  await expect.poll(() => messages).toHaveLength(1)
  const [message] = messages
  const session = { subject: 'user-1', authTime: now, amr: ['hwk'] }
  await decide(site.server, session, { requestId: message?.requestId ?? '', allow, account: 'savings' })

  expect(message).toMatchObject({ to: 'user-1', text: 'Shopping agent: Pay 12.00 EUR to Example Ltd. (Order 1234)' })
  expect(await settled).toMatchObject(result)
})
