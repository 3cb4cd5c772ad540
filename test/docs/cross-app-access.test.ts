import { registerIdentityProvider } from '@mintmark/scim'
import { type JsonObject, providerId, userId } from '@mintmark/storage-interface'
import { jsonText } from '@mintmark/storage-interface/stores'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import { allowAgent, identityProviderOptions } from '../../docs/snippets/cross-app-access/identity-provider.ts'
import { registerAgent } from '../../docs/snippets/cross-app-access/register-agent.ts'
import { serverOptions } from '../../docs/snippets/cross-app-access/server-options.ts'
import { jwtBearerGrant } from '../support/assertion-site.ts'
import { exchangeGrant } from '../support/exchange-site.ts'
import { basic, encode, postForm } from '../support/flow.ts'
import { startServer } from '../support/server-under-test.ts'
import { postAs, tokensFor } from '../support/token-calls.ts'

it('the agent of the page gets an ID-JAG at the company and an access token at the service (ID-JAG §4)', async () => {
  const company = await startServer(identityProviderOptions)
  const service = await startServer({ ...serverOptions, issuer: 'https://id.example.com' })
  onTestFinished(async () => {
    await company.close()
    await service.close()
  })
  await allowAgent(company.storage, 'A')
  const { clientSecret = '' } = await registerAgent(service.storage)
  const jwks = (await company.send({ path: '/jwks' })).json as JsonObject
  await connect(service, { issuer: company.issuer, jwks })
  const { id_token: idToken } = await tokensFor(company, 'A', { scope: 'openid' })

  const { json } = await postAs(company, 'A', {
    path: '/token',
    form: {
      grant_type: exchangeGrant,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: 'https://id.example.com',
      subject_token: idToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    },
  })
  const form = encode({ grant_type: jwtBearerGrant, assertion: String(json['access_token']) })
  const reply = await postForm(service, '/token', form, { authorization: basic('agent', clientSecret) })

  expect(decodeJwt(String(reply.json['access_token']))).toMatchObject({
    sub: 'kim',
    aud: 'https://mcp.example.com/',
    scope: 'tools.use',
  })
})

/** Connects the company, whose user U1 is Kim at the service. */
async function connect(
  { storage, clock }: Awaited<ReturnType<typeof startServer>>,
  { issuer, jwks }: { readonly issuer: string; readonly jwks: JsonObject },
): Promise<void> {
  const crossAppAccess = { clientIds: ['agent'], scopes: ['tools.use'], resources: ['https://mcp.example.com/'] }
  const assertions = { issuer, jwks, crossAppAccess }
  await registerIdentityProvider({ providerId: 'acme', assertions }, { storage, clock: clock.now })
  await storage.provisionedUsers.insert({
    providerId: providerId('acme'),
    userId: userId('kim'),
    createdAt: clock.now(),
    state: {
      active: true,
      externalId: 'U1',
      resource: jsonText({ userName: 'kim' }),
      renderKey: 'k',
      comparable: { userName: 'kim' },
      claims: {},
    },
  })
}
