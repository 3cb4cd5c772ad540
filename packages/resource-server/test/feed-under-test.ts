import { onTestFinished } from 'vitest'

import type { AccessTokenClaims } from '../src/access-token.ts'
import { authenticateRequest } from '../src/credentials.ts'
import { createRemoteKeySet } from '../src/key-set.ts'
import { createRevocationFeed, type PollingRule } from '../src/revocation-feed.ts'
import { systemRandom } from '../src/runtime.ts'
import { createFeedServer, type FeedAnswer, type FeedRequest } from './feed-server.ts'

/** Creates a feed for a server whose responses the test defines, with a clock that the test sets. It stops with the test. */
export async function aFeed(
  answer: (request: FeedRequest, count: number) => FeedAnswer | Promise<FeedAnswer> = () => ({}),
  rule: Partial<PollingRule> = {},
) {
  const at = { seconds: 1000 }
  const clock = () => at.seconds * 1000
  const { requests, fetch } = await createFeedServer(answer)
  const feed = createRevocationFeed(
    { mode: 'on_demand', toleratedSilence: 10_000, ...rule },
    {
      url: async () => 'https://as.test/token/revocation-feed',
      issuer: 'https://as.test',
      clientId: 'api',
      authenticate: () =>
        authenticateRequest(
          { clientId: 'api', clientSecret: 's ä' },
          { issuer: 'https://as.test', clock, random: systemRandom },
        ),
      keys: createRemoteKeySet(async () => 'https://as.test/jwks', { fetch, clock }),
      random: systemRandom,
      fetch,
      clock,
    },
  )
  onTestFinished(() => feed.stop())
  return { at, requests, feed }
}

/** The names of the client and the user in the feed. */
export const refs = { client_ref: ['c'], user_ref: ['u'] }

export const aToken = (change: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
  issuer: 'https://as.test',
  subject: 'U1',
  clientId: 'c',
  tokenId: 't',
  audience: ['https://api.test'],
  scopes: [],
  authorizationDetails: [],
  organizationId: undefined,
  issuedAt: 990,
  expiresAt: 1600,
  claims: { ...refs, family: 'f', grant: 'g', generation: 0 },
  ...change,
})

export const unavailable = { code: 'temporarily_unavailable', reason: 'authorization_server_unavailable' }
export const refuseConnection = (): never => {
  throw new Error('refused')
}
