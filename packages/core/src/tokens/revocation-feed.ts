import { type Clock, type Endpoint, noStore, withHeaders } from '@mintmark/internal'
import { seconds, type DurationSeconds, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'

import {
  authenticateClient,
  requireConfidential,
  type ClientAuthenticationDependencies,
  type ConfidentialClient,
} from '../clients/authenticate.ts'
import type { Journal } from '../events.ts'
import { signJwt } from '../keys/jws.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import { type Parameters, readForm, refuseRepeated } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import type { FeedPage } from './feed-page.ts'
import type { RevocationFeed } from './feed-watch.ts'

interface RevocationFeedEndpointDependencies extends ClientAuthenticationDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly clock: Clock
  readonly journal: Journal
}

/**
 * `POST /token/revocation-feed`: the revocations since the cursor of a resource server, signed for it. If there are none
 * yet, the response waits for the first one, but no longer than the requested time.
 */
export const revocationFeedEndpoint =
  (feed: RevocationFeed, deps: RevocationFeedEndpointDependencies): Endpoint =>
  async (request) => {
    const receivedAt = deps.clock()
    const form = refuseRepeated(readForm(request))
    const caller = requireResourceServer(
      requireConfidential(await authenticateClient({ request, form }, receivedAt, deps)),
    )
    const feedRequest = parseFeedRequest(form)
    await feed.waitForEntries(feedRequest, caller.clientId, receivedAt)
    // Read again, because time has passed while the request waited.
    const now = deps.clock()
    const page = await feed.read(feedRequest.cursor, now)
    const claims = { iss: deps.issuer, aud: caller.clientId, ...pageClaims({ page, feedRequest }, now) }
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
  // RFC 7662 §4: only resource servers may learn about tokens.
  if (client.servedAudiences.length === 0) throw refuse('client_serves_no_audience', { clientId: client.clientId })
  return client
}

const pageClaims = (
  { page, feedRequest }: { readonly page: FeedPage; readonly feedRequest: FeedRequest },
  now: EpochSeconds,
): JsonObject => ({
  iat: now,
  nonce: feedRequest.nonce,
  cursor: page.cursor,
  covers_after: page.coversAfter,
  more: page.more,
  ended: page.revocations,
})

/** The parameters of a request to the feed. */
interface FeedRequest {
  /** The position that the caller has read to; `undefined` for the beginning. */
  readonly cursor: string | undefined
  /** How long to wait for an entry. */
  readonly wait: DurationSeconds
  /** Returned in the response, so that an earlier response cannot be replayed (RFC 8725 §3.10). */
  readonly nonce: string
}

/** @throws OAuthError invalid_request — reason `feed_question_malformed`. */
function parseFeedRequest(form: Parameters): FeedRequest {
  const [cursor, wait = '0', nonce = ''] = [form.get('cursor'), form.get('wait'), form.get('nonce')]
  // RFC 6749 §5.2: a parameter is missing or malformed.
  if ((cursor?.length ?? 0) > 128 || !/^\d{1,3}$/.test(wait) || !/^[\w-]{16,128}$/.test(nonce))
    throw refuse('feed_question_malformed')
  return { cursor, wait: seconds(Math.min(Number(wait), maxWait)), nonce }
}

/** In seconds: many proxies close requests that take much longer. */
const maxWait = 20
