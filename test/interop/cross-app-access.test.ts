import { auth, type CrossAppAccessProvider } from '@modelcontextprotocol/client'
import { updateClient } from '@mintmark/core'
import { clientId, providerId, userId } from '@mintmark/storage-interface'
import { expect, it, onTestFinished } from 'vitest'

import { providerFor } from '../../docs/snippets/cross-app-access/agent.ts'
import { exchangeGrant } from '../support/exchange-site.ts'
import { jwtBearerGrant } from '../support/assertion-site.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, tokensFor } from '../support/token-calls.ts'
import { startToolsApi, type ToolsApi } from './tools-api.ts'

/** The identity provider of a company, and a service with tools to which the company provisions its users. */
interface World {
  readonly idp: ServerUnderTest
  readonly tools: ToolsApi
  readonly scim: ScimSite
  /** The identifier that the service has for the company's user U1. */
  readonly user: string
  readonly provider: CrossAppAccessProvider
}

async function start(): Promise<World> {
  const idp = await startLoopbackServer({ crossAppAccess: { issues: true } })
  const tools = await startToolsApi({
    crossAppAccess: { accepts: true },
    // The identity provider of this test is on loopback.
    dangerouslyAllowOutbound: [idp.issuer],
  })
  const scim = await startScimSite({ oauth: tools.site })
  onTestFinished(async () => {
    await scim.close()
    await idp.close()
  })
  const { clientSecret = '' } = await tools.register({
    clientId: 'agent-at-tools',
    clientName: 'Agent',
    grantTypes: [jwtBearerGrant],
    scopes: ['mcp.use'],
  })
  await changeClient(tools.site.storage, clientId('RS'), { servedAudiences: [tools.resource] })
  await trust(idp, tools)
  const created = await scim.send({
    method: 'POST',
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'kim@acme.example',
      externalId: 'U1',
      active: true,
    },
  })
  const { id_token: idToken } = await tokensFor(idp, 'X', { scope: 'openid' })
  const provider = providerFor(
    { issuer: idp.issuer, clientId: 'X', clientSecret: idp.clients.X.secret, idToken: idToken ?? '' },
    { issuer: tools.site.issuer, clientId: 'agent-at-tools', clientSecret },
  )
  return { idp, tools, scim, user: String(created.json['id']), provider }
}

/** An administrator of each side allows the agent to act for users of the company at the service. */
async function trust(idp: ServerUnderTest, { site, resource }: ToolsApi): Promise<void> {
  await updateClient(
    { clientId: 'X' },
    {
      grantTypes: ['authorization_code', exchangeGrant],
      crossAppAudiences: {
        [site.issuer]: { client_id: 'agent-at-tools', scopes: ['mcp.use'], resources: [resource] },
      },
    },
    { storage: idp.storage },
  )
  const { identityProviders } = site.storage
  const found = await identityProviders.find(providerId('T1'))
  if (found === undefined) throw new Error('There is no provider T1.')
  const crossAppAccess = {
    tenant: undefined,
    subject: 'external_id',
    clientIds: [clientId('agent-at-tools')],
    scopes: ['mcp.use'],
    resources: [resource],
    reuse: 'until_expiry',
  } as const
  const assertions = {
    issuer: idp.issuer,
    jwksUri: `${idp.issuer}/jwks`,
    jwks: undefined,
    revocationSubject: undefined,
    crossAppAccess,
  }
  await identityProviders.compareAndSwap({ ...found, assertions }, found.version)
}

it('an MCP client uses the tools for a user of the company, until the directory deactivates the user (SEP-990, ID-JAG §4)', async () => {
  const { idp, tools, scim, user, provider } = await start()

  const outcome = await auth(provider, { serverUrl: tools.resource })
  const token = provider.tokens()?.access_token ?? ''
  const answer = await tools.call(token)

  const isActive = async () => (await introspect(tools.site, token, 'RS')).json['active']

  expect([outcome, answer.status, await answer.json()]).toEqual(['AUTHORIZED', 200, { subject: user }])
  expect(await isActive()).toBe(true)
  expect(idp.events.findLast(({ type }) => type === 'assertion.issued')).toMatchObject({
    clientId: 'X',
    subject: 'U1',
    audience: tools.site.issuer,
    scopes: ['mcp.use'],
  })

  const patch = { op: 'replace', path: 'active', value: false }
  await scim.send({
    method: 'PATCH',
    path: `/users/${user}`,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [patch] },
  })

  expect(await isActive()).toBe(false)
  await expect(auth(provider, { serverUrl: tools.resource })).rejects.toThrow('assertion')
  expect(tools.site.lastReason()).toBe('assertion_subject_inactive')
})

it('an MCP client gets nothing more once the access of the user has been revoked at the company (ID-JAG §4.3.3)', async () => {
  const { idp, tools, provider } = await start()
  const before = await auth(provider, { serverUrl: tools.resource })

  await idp.storage.users.revokeAccess(userId('U1'), idp.clock.now())

  expect(before).toBe('AUTHORIZED')
  await expect(auth(provider, { serverUrl: tools.resource })).rejects.toThrow()
  expect(idp.lastReason()).toBe('subject_token_invalid')
})
