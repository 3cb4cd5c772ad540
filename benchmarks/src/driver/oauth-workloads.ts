import type { OauthSite } from '../site.ts'
import { issuer } from '../targets/fixture.ts'
import { pushRequest, requestCode, runCodeFlow, runPushedFlow, tokensOf, type Tokens } from './code-flow.ts'
import { cycle } from './cycle.ts'
import type { Lane, Reply } from './lane.ts'
import { createProver } from './proof-key.ts'
import { get, postForm, withProof } from './request-text.ts'
import { requireValue, type Flow, type Workload } from './workload.ts'

/** The workloads for an authorization server. */
export const oauthWorkloads = {
  'client credentials': {
    requests: 1,
    prepare: async ({ oauth }, lanes) => {
      const site = requireValue(oauth)
      const form = { grant_type: 'client_credentials', ...site.serviceParameters }
      return lanes.map(() => cycle([postForm(site.paths.token, form, site)]))
    },
  },
  'client credentials, DPoP': {
    requests: 1,
    prepare: async ({ oauth }, lanes) => {
      const site = requireValue(oauth)
      const prove = createProver(`${issuer}${site.paths.token}`)
      const request = postForm(site.paths.token, { grant_type: 'client_credentials', ...site.serviceParameters }, site)
      return lanes.map(() => async (lane) => {
        const { token_type: type } = tokensOf(await lane.exchange(withProof(request, prove())))
        if (type !== 'DPoP') throw new Error('The access token is not bound to the key.')
      })
    },
  },
  'pushed request': {
    requests: 1,
    prepare: async ({ oauth }, lanes) =>
      lanes.map(() => async (lane) => {
        await pushRequest(requireValue(oauth), lane)
      }),
  },
  'PAR + code + DPoP': {
    requests: 3,
    prepare: async ({ oauth }, lanes) => {
      const site = requireValue(oauth)
      const prove = createProver(`${issuer}${site.paths.token}`)
      return lanes.map(() => async (lane) => {
        await runPushedFlow(site, lane, prove())
      })
    },
  },
  refresh: rotations(32),
  'refresh, many families': rotations(2048),
  'code + PKCE': {
    requests: 2,
    prepare: async ({ oauth }, lanes) =>
      lanes.map(() => async (lane) => {
        await runCodeFlow(requireValue(oauth), lane)
      }),
  },
  /** The first request of the flow, whose code is not redeemed. */
  code: {
    requests: 1,
    prepare: async ({ oauth }, lanes) =>
      lanes.map(() => async (lane) => {
        await requestCode(requireValue(oauth), lane)
      }),
  },
  // Each token is repeated only after thousands of other tokens, so that caches do not help.
  introspection: withTokens(introspectionRequest, 5120),
  'introspection, repeated': withTokens(introspectionRequest, 64),
  userinfo: withTokens(userinfoRequest, 5120),
  'userinfo, repeated': withTokens(userinfoRequest, 64),
  discovery: documentAt('metadata'),
  jwks: documentAt('jwks'),
} as const satisfies Readonly<Record<string, Workload>>

/**
 * Refreshes tokens. The refresh token in a response is used in the next request of the family (RFC 9700 §4.14.2). Each
 * lane cycles through its share of the families.
 */
function rotations(families: number): Workload {
  return {
    requests: 1,
    async prepare({ oauth }, lanes) {
      const site = requireValue(oauth)
      const issued = await obtain(site, lanes, families)
      return issued.map((share) =>
        rotation(
          share.map((tokens) => requireValue(tokens.refresh_token)),
          site,
        ),
      )
    },
  }
}

function rotation(start: readonly string[], site: OauthSite): Flow {
  const current = [...start]
  let turn = 0
  return async (lane) => {
    const at = turn % current.length
    turn += 1
    const form = { grant_type: 'refresh_token', refresh_token: requireValue(current[at]) }
    current[at] = requireValue(tokensOf(await lane.exchange(postForm(site.paths.token, form, site))).refresh_token)
  }
}

/** Sends a request for each access token. Each lane cycles through its share of the tokens. */
function withTokens(request: (token: string, site: OauthSite) => string, count: number): Workload {
  return {
    requests: 1,
    async prepare({ oauth }, lanes) {
      const site = requireValue(oauth)
      const issued = await obtain(site, lanes, count)
      return issued.map((share) =>
        cycle(
          share.map(({ access_token: token }) => request(token, site)),
          isActive,
        ),
      )
    },
  }
}

/** Obtains tokens for the users of the site. Returns the tokens of each lane. */
async function obtain(site: OauthSite, lanes: readonly Lane[], count: number): Promise<readonly (readonly Tokens[])[]> {
  const share = Math.ceil(count / lanes.length)
  return Promise.all(
    lanes.map(async (lane, first) => {
      const tokens: Tokens[] = []
      while (tokens.length < share) tokens.push(await runCodeFlow(site, lane, first + tokens.length * lanes.length))
      return tokens
    }),
  )
}

function introspectionRequest(token: string, site: OauthSite): string {
  return postForm(requireValue(site.paths.introspection), { token }, site)
}

function userinfoRequest(token: string, site: OauthSite): string {
  return get(requireValue(site.paths.userinfo), { authorization: `Bearer ${token}` })
}

const isActive = (reply: Reply): boolean => !reply.body.includes('"active":false')

function documentAt(name: 'metadata' | 'jwks'): Workload {
  return {
    requests: 1,
    prepare: async ({ oauth }, lanes) => lanes.map(() => cycle([get(requireValue(oauth?.paths[name]))])),
  }
}
