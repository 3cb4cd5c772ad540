import { afterAll, beforeAll, expect, it } from 'vitest'

import { answerInteraction, authorize, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let under: ServerUnderTest
beforeAll(async () => {
  under = await startServer()
})
afterAll(() => under.close())

it('each thing that happens is one event, with what was granted and not what was asked for', async () => {
  const before = under.events.length

  const started = await authorize(under, { scope: 'openid profile email' })
  const back = await answerInteraction(under, started, 'scope=openid&scope=email')
  await redeem(under, back.location.searchParams.get('code') ?? '')

  const granted = ['openid', 'email']
  expect(under.events.slice(before)).toMatchObject([
    { type: 'interaction.started', kind: 'consent', clientId: 'A' },
    { type: 'code.issued', clientId: 'A', userId: 'U1', scopes: granted },
    { type: 'tokens.issued', clientId: 'A', subject: 'U1', grantType: 'authorization_code', scopes: granted },
  ])
})
