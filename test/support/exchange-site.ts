import { registerClient, type AuthorizationServerOptions } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'

import { basic, encode, postForm, type Change } from './flow.ts'
import type { Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'
import { tokensFor } from './token-calls.ts'

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/** A server where each API may exchange the tokens that it gets for tokens for the next one. */
export interface ExchangeSite extends ServerUnderTest {
  readonly secrets: Readonly<Record<string, string>>
}

export type Exchange = NonNullable<AuthorizationServerOptions['tokenExchange']>

const apis = [
  'https://api.test',
  'https://down.test',
  'https://deep.test',
  'https://last.test',
  'https://end.test',
  'https://over.test',
]

/** The client of each API: it serves that API, and may get tokens for the next one. */
const agents = ['agent0', 'agent1', 'agent2', 'agent3', 'agent4'] as const

const rules: Exchange['rules'] = agents.map((agent, index) => ({
  clients: [agent],
  mode: 'delegation',
  audiences: [apis[index + 1] ?? ''],
  maxDepth: 4,
}))

export async function startExchangeSite(
  change: Partial<Exchange> & { readonly storage?: AdminStorage } & Partial<AuthorizationServerOptions> = {},
): Promise<ExchangeSite> {
  const { rules: ownRules = rules, decide, mayAct, ...options } = change
  const site = await startServer({
    resources: Object.fromEntries(apis.map((uri) => [uri, { scopes: ['api.read', 'api.write'] }])),
    tokenExchange: {
      rules: ownRules,
      ...(decide !== undefined && { decide }),
      ...(mayAct !== undefined && { mayAct }),
    },
    ...options,
  })
  const registered = await Promise.all(
    [...agents, 'auditor'].map((clientId, index) =>
      registerClient(
        {
          clientId,
          clientName: clientId,
          grantTypes: [exchangeGrant, 'client_credentials'],
          scopes: ['api.read', 'api.write'],
          // The auditor serves all APIs.
          servedAudiences: clientId === 'auditor' ? apis : [apis[index] ?? ''],
        },
        { storage: site.storage, clientRules: site.server.clientRules },
      ),
    ),
  )
  const secrets = Object.fromEntries(
    registered.map(({ client, clientSecret }) => [client.clientId, clientSecret ?? '']),
  )
  return { ...site, secrets }
}

/** Returns the credentials of an agent. */
export const asAgent = (site: ExchangeSite, agent: string): string => basic(agent, site.secrets[agent] ?? '')

/** Exchanges a token as an agent. */
export const exchange = (
  site: ExchangeSite,
  agent: string,
  subjectToken: string,
  change: Change = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  postForm(
    site,
    '/token',
    encode({ grant_type: exchangeGrant, subject_token: subjectToken, subject_token_type: accessTokenType, ...change }),
    { authorization: asAgent(site, agent), ...headers },
  )

/** Obtains an access token of U1 for the first API, through client A. */
export async function userToken(site: ExchangeSite): Promise<string> {
  const tokens = await tokensFor(site, 'A', { scope: 'api.read', resource: 'https://api.test' })
  return tokens.access_token
}

/** Exchanges a token of U1 once for each agent, and returns all tokens, from the user's own to the last. */
export async function chainOf(site: ExchangeSite, agentNames: readonly string[]): Promise<readonly string[]> {
  const chain = [await userToken(site)]
  for (const agent of agentNames) {
    const reply = await exchange(site, agent, chain.at(-1) ?? '')
    if (reply.status !== 200) throw new Error(`No token: ${reply.status} ${reply.text} ${site.lastReason()}`)
    chain.push(String(reply.json['access_token']))
  }
  return chain
}

/** Whether a resource server is told that a token is active. */
export async function isActive(site: ExchangeSite, token: string): Promise<boolean> {
  const headers = { authorization: asAgent(site, 'auditor') }
  return (await postForm(site, '/token/introspection', encode({ token }), headers)).json['active'] === true
}
