import { clientId } from '@mintmark/storage-interface'
import { expect, it, onTestFinished } from 'vitest'

import { registerKey } from '../../docs/snippets/agents-owned-by-people/register-key.ts'
import { scimOptions } from '../../docs/snippets/agents-owned-by-people/scim-options.ts'
import { assertionType, writeAssertion } from '../support/client-assertion.ts'
import { encode, postForm } from '../support/flow.ts'
import { signEs256 } from '../support/forge-jwt.ts'
import { startScimSite, type ScimSite } from '../support/scim-site.ts'
import { startServer } from '../support/server-under-test.ts'
import { introspect } from '../support/token-calls.ts'

const api = 'https://api.example.com'
/** The API that may introspect tokens. */
const resourceServer = 'https://api.test'

async function startSite(options: Parameters<typeof startScimSite>[0]): Promise<ScimSite> {
  const oauth = await startServer({
    scopes: { 'tickets.read': 'See tickets', 'api.read': 'Read' },
    resources: { [resourceServer]: { scopes: ['tickets.read', 'api.read'] } },
  })
  const site = await startScimSite({ oauth, ...options })
  onTestFinished(site.close)
  return site
}

/** Creates a user, and an agent that the user owns. */
async function anAgent(site: ScimSite): Promise<{ readonly owner: string; readonly agent: string }> {
  const { json: user } = await site.send({ method: 'POST', path: '/Users', body: { userName: 'ada' } })
  const owner = String(user['id'])
  const body = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Agent'],
    externalId: 'agent-42',
    agentUserName: 'triage',
    displayName: 'Ticket triage',
    active: true,
    owners: [{ value: owner, primary: true }],
  }
  const { json } = await site.send({ method: 'POST', path: '/Agents', body })
  return { owner, agent: String(json['id']) }
}

async function requestToken({ oauth }: ScimSite, agent: string) {
  const sign = signEs256(oauth.clients.B.privateKey)
  const assertion = await writeAssertion(oauth, { claims: { iss: agent, sub: agent }, sign })
  const credentials = { client_assertion_type: assertionType, client_assertion: assertion }
  return postForm(
    oauth,
    '/token',
    encode({ grant_type: 'client_credentials', resource: resourceServer, ...credentials }),
    {},
  )
}

const setActive = (site: ScimSite, path: string, value: boolean) =>
  site.send({
    method: 'PATCH',
    path,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value }],
    },
  })

it('an agent of the page gets tokens with its own key, and has none from the moment its owner is deactivated', async () => {
  const site = await startSite({ agents: {} })
  const { owner, agent } = await anAgent(site)
  expect((await requestToken(site, agent)).status).toBe(401)
  const { jwks } = (await site.storage.clients.find(clientId('B'))) ?? {}
  const [publicKey] = (jwks?.['keys'] ?? []) as Parameters<typeof registerKey>[2][]
  await registerKey(site.storage, agent, publicKey ?? {})

  const token = String((await requestToken(site, agent)).json['access_token'])
  expect((await introspect(site.oauth, token, 'RS')).json).toMatchObject({ active: true, sub: agent })
  await setActive(site, `/Users/${owner}`, false)

  expect((await introspect(site.oauth, token, 'RS')).json).toEqual({ active: false })
  const refused = await requestToken(site, agent)
  expect([refused.status, refused.json['error'], site.oauth.lastReason()]).toEqual([
    401,
    'invalid_client',
    'client_disabled',
  ])
  await setActive(site, `/Users/${owner}`, true)
  expect((await requestToken(site, agent)).status).toBe(401)
  expect((await setActive(site, `/Agents/${agent}`, true)).json).toMatchObject({ active: true })
  expect((await requestToken(site, agent)).status).toBe(200)
})

it('an agent of the page has the workload identity that the host derives', async () => {
  const site = await startSite(scimOptions)

  const { agent } = await anAgent(site)

  expect(await site.storage.clients.find(clientId(agent))).toMatchObject({
    scopes: ['tickets.read'],
    resources: [api],
    jwksUri: 'https://agents.example.com/keys',
    workload: { claims: { sub: 'spiffe://agents.example.com/triage' } },
  })
})
