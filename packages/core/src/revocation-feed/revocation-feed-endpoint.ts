import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'

import { authenticateClient, type ClientAuthenticationDependencies } from '../client/authenticate-client.ts'
import { requireConfidential, type ConfidentialClient } from '../client/require-confidential.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { Journal } from '../event/journal.ts'
import { noStore, withHeaders, type Endpoint } from '../http/index.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import { signJwt } from '../keys/jws.ts'
import { readForm, refuseRepeated } from '../parameters/read-parameters.ts'
import type { Clock } from '../runtime/clock.ts'
import { parseFeedQuestion, type FeedQuestion } from './feed-question.ts'
import type { FeedPage } from '../tokens/feed-page.ts'
import type { RevocationFeed } from '../tokens/feed-watch.ts'

export interface RevocationFeedEndpointDependencies extends ClientAuthenticationDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly clock: Clock
  readonly journal: Journal
}

/**
 * `POST /token/revocation-feed`: what has ended since a resource server asked last, signed for it alone. It keeps the
 * answer back for as long as the question allows and there is nothing to say.
 */
export const revocationFeedEndpoint =
  (feed: RevocationFeed, deps: RevocationFeedEndpointDependencies): Endpoint =>
  async (request) => {
    const askedAt = deps.clock()
    const form = refuseRepeated(readForm(request))
    const caller = requireResourceServer(
      requireConfidential(await authenticateClient({ request, form }, askedAt, deps)),
    )
    const question = parseFeedQuestion(form)
    await feed.waitBehind(question, caller.clientId, askedAt)
    // Asked again: the answer is of the moment at which it is given, not of the one at which the waiting began.
    const now = deps.clock()
    const page = await feed.read(question.cursor, now)
    const claims = { iss: deps.issuer, aud: caller.clientId, ...pageClaims({ page, question }, now) }
    const jwt = await signJwt('revocation-feed+jwt', claims, await deps.keys.signer(deps.accessTokenAlgorithm))
    if (page.revocations.length > 0)
      deps.journal.record(request, {
        type: 'revocations.delivered',
        clientId: caller.clientId,
        count: page.revocations.length,
      })
    return withHeaders(
      { status: 200, headers: [['Content-Type', 'application/revocation-feed+jwt']], body: jwt },
      noStore,
    )
  }

/** @throws OAuthError unauthorized_client — reason `client_serves_no_audience`. */
function requireResourceServer(client: ConfidentialClient): ConfidentialClient {
  // RFC 7662 §4: what happens to tokens is the business of those whom tokens are meant for.
  if (client.servedAudiences.length === 0) {
    throw new OAuthError('unauthorized_client', 'The client is not registered as a resource server.', {
      reason: 'client_serves_no_audience',
      context: { clientId: client.clientId },
    })
  }
  return client
}

const pageClaims = (
  { page, question }: { readonly page: FeedPage; readonly question: FeedQuestion },
  now: EpochSeconds,
): JsonObject => ({
  iat: now,
  nonce: question.nonce,
  cursor: page.cursor,
  covers_after: page.coversAfter,
  more: page.more,
  ended: page.revocations,
})
