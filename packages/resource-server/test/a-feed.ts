import { onTestFinished } from 'vitest'

import type { AccessTokenClaims } from '../src/access-token/access-token-claims.ts'
import { remoteKeySet } from '../src/authorization-server/remote-key-set.ts'
import { revocationFeed, type ListeningRule } from '../src/revocation-feed/revocation-feed.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { createFeedServer, type FeedAnswer, type FeedRequest } from './feed-server.ts'

/** A feed over a server that answers as the test says, at a time that the test sets; it stops with the test. */
export async function aFeed(
  answer: (request: FeedRequest, count: number) => FeedAnswer | Promise<FeedAnswer> = () => ({}),
  rule: Partial<ListeningRule> = {},
) {
  const at = { seconds: 1000 }
  const clock = () => at.seconds * 1000
  const { requests, fetch } = await createFeedServer(answer)
  const feed = revocationFeed(
    { mode: 'on_demand', toleratedSilence: 10_000, ...rule },
    {
      url: 'https://as.test/token/revocation-feed',
      issuer: 'https://as.test',
      credentials: { clientId: 'api', clientSecret: 's ä' },
      keys: remoteKeySet('https://as.test/jwks', { fetch, clock }),
      random: systemRandom,
      fetch,
      clock,
    },
  )
  onTestFinished(() => feed.stop())
  return { at, requests, feed }
}

export const aToken = (change: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
  issuer: 'https://as.test',
  subject: 'U1',
  clientId: 'c',
  tokenId: 't',
  audience: ['https://api.test'],
  scopes: [],
  issuedAt: 990,
  expiresAt: 1600,
  claims: { family: 'f', grant: 'g', generation: 0 },
  ...change,
})

export const isDown = { code: 'temporarily_unavailable', reason: 'authorization_server_unavailable' }
export const down = (): never => {
  throw new Error('refused')
}
