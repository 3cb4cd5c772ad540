import type { Site } from '../site.ts'
import { runCodeFlow, tokensOf, type Tokens } from './code-flow.ts'
import type { Lane, Reply } from './lane.ts'
import { get, postForm } from './request-text.ts'
import { offered, type Flow, type Workload } from './workload.ts'

/** The workloads by name. */
export const workloads = {
  'client credentials': {
    requests: 1,
    prepare: async (site, lanes) => {
      const form = { grant_type: 'client_credentials', ...site.serviceParameters }
      return lanes.map(() => cycle([postForm(site.paths.token, form, site)]))
    },
  },
  refresh: { requests: 1, prepare: async (site, lanes) => Promise.all(lanes.map(async (lane) => rotation(site, lane))) },
  'code + PKCE': {
    requests: 2,
    prepare: async (site, lanes) =>
      lanes.map(() => async (lane) => {
        await runCodeFlow(site, lane)
      }),
  },
  // Each token is met again only after thousands of others.
  introspection: withTokens(introspectionRequest, 5120),
  'introspection, repeated': withTokens(introspectionRequest, 64),
  userinfo: withTokens(userinfoRequest, 5120),
  'userinfo, repeated': withTokens(userinfoRequest, 64),
  discovery: { requests: 1, prepare: async (site, lanes) => lanes.map(() => cycle([get(offered(site.paths.metadata))])) },
  jwks: { requests: 1, prepare: async (site, lanes) => lanes.map(() => cycle([get(offered(site.paths.jwks))])) },
} as const satisfies Readonly<Record<string, Workload>>

export type WorkloadName = keyof typeof workloads

/** Asks about people's access tokens, each lane about its own share of them in turn. */
function withTokens(request: (token: string, site: Site) => string, count: number): Workload {
  return {
    requests: 1,
    async prepare(site, lanes) {
      const share = Math.ceil(count / lanes.length)
      const tokens = await Promise.all(lanes.map(async (lane) => obtain(share, async () => runCodeFlow(site, lane))))
      return tokens.map((own) => cycle(own.map(({ access_token: token }) => request(token, site)), isActive))
    },
  }
}

async function obtain(count: number, flow: () => Promise<Tokens>): Promise<readonly Tokens[]> {
  const tokens: Tokens[] = []
  while (tokens.length < count) tokens.push(await flow())
  return tokens
}

function introspectionRequest(token: string, site: Site): string {
  return postForm(offered(site.paths.introspection), { token }, site)
}

function userinfoRequest(token: string, site: Site): string {
  return get(offered(site.paths.userinfo), { authorization: `Bearer ${token}` })
}

const isActive = (reply: Reply): boolean => !reply.body.includes('"active":false')

/** The same requests round and round. */
function cycle(requests: readonly string[], isExpected: (reply: Reply) => boolean = () => true): Flow {
  let turn = 0
  return async (lane) => {
    const reply = await lane.exchange(requests[turn % requests.length] ?? '')
    turn += 1
    if (reply.status !== 200 || !isExpected(reply)) throw new Error(`Not expected: ${reply.head}\n${reply.body}`)
  }
}

/** Each answer's refresh token is the next request's (RFC 9700 §4.14.2). */
async function rotation(site: Site, lane: Lane): Promise<Flow> {
  let { refresh_token: token } = await runCodeFlow(site, lane)
  return async (own) => {
    const form = { grant_type: 'refresh_token', refresh_token: offered(token) }
    token = tokensOf(await own.exchange(postForm(site.paths.token, form, site))).refresh_token
  }
}
