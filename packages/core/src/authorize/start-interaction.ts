import {
  digestSecret,
  type Random,
  randomSecret,
  redirect,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import {
  after,
  type ClientId,
  type DurationSeconds,
  epochSeconds,
  type EpochSeconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'

import { documentOf, type ClientDocuments } from '../clients/client-documents.ts'
import type { Journal } from '../events.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import { loginOf, type SignedIn } from '../sessions/signed-in-user.ts'
import type { BrowserBinding, Browsers } from '../sessions/browser.ts'
import type { InteractionDecision, InteractionUrls } from './decide.ts'
import type { DetailTypes } from '../permissions/detail-types.ts'
import type { UserRequest } from './request.ts'
import { RedirectableError } from './response.ts'
import type { InteractionSeal } from './sealed-interaction.ts'
import type { PushSeal } from './sealed-push.ts'

export interface InteractionDependencies {
  readonly storage: OAuthStorage
  readonly journal: Journal
  /** Returns the user whom the host's session identifies. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>
  readonly interactionLimits: InteractionLimits
  readonly seal: InteractionSeal
  readonly pushSeal: PushSeal
  readonly clientDocuments: ClientDocuments
  readonly detailTypes: DetailTypes
  readonly random: Random
  readonly browsers: Browsers
  readonly interactionLifetime: DurationSeconds
  readonly interactionUrls: InteractionUrls
  /** Reports once that the host may have no sign-in page. */
  readonly reportMissingPages: (request: ServerRequest) => void
}

/** Counts the requests that cost the server something before anybody has signed in. */
interface InteractionLimits {
  /** Counts by browser. */
  readonly startedInteractions: RateLimiter
  /** Counts all browsers without the cookie together: each request would be another browser. */
  readonly interactionsOfNewBrowsers: RateLimiter
  /** Counts, for each interaction, the forms that were sent to the sign-in page. */
  readonly signInAttempts: RateLimiter
}

/**
 * Seals the request into a handle that is bound to the browser, and redirects to the host's page. Nothing is stored.
 * @throws OAuthError temporarily_unavailable — reason `interactions_throttled`: this browser, or all new browsers
 *   together, have started too many interactions; RedirectableError invalid_request — reason
 *   `request_too_large`.
 */
export async function startInteraction(
  step: {
    readonly authorization: UserRequest
    readonly decision: Exclude<InteractionDecision, { kind: 'ready' }>
    readonly request: ServerRequest
    /** The host's session in the request. */
    readonly session: SignedIn | undefined
  },
  now: EpochSeconds,
  deps: InteractionDependencies,
): Promise<ServerResponse> {
  const { authorization, decision, request, session } = step
  const browser = await deps.browsers.bind(request)
  await limitStartedInteractions({ browser, clientId: authorization.client.clientId }, now, deps.interactionLimits)
  const interaction = {
    digest: await digestSecret(randomSecret(deps.random)),
    browserDigest: browser.digest,
    clientId: authorization.client.clientId,
    parameters: authorization.parameters,
    resources: authorization.resources,
    login: decision.kind === 'login' ? undefined : loginOf(decision.signedInUser, session),
    createdAt: now,
    expiresAt: after(now, deps.interactionLifetime),
    version: 1,
  }
  const handle = await deps.seal.seal({
    interaction,
    document: documentOf(authorization.client),
    sessionAuthTime: session && epochSeconds(session.authTime),
  })
  // RFC 6749 §4.1.2.1: a request that cannot be processed is an invalid_request.
  if (handle === undefined) throw new RedirectableError(refuse('request_too_large'), authorization.target)
  deps.journal.record(request, {
    type: 'interaction.started',
    kind: decision.kind,
    clientId: authorization.client.clientId,
  })
  deps.reportMissingPages(request)
  return redirect(interactionLocation(pageUrl(decision, deps.interactionUrls), handle), browser.headers)
}

/**
 * RFC 6819 §4.4.1.11: abandoned requests must not exhaust the server. Strangers choose the client and can send any number
 * of requests without the cookie, so these are neither counted by client nor together with browsers that are known.
 */
async function limitStartedInteractions(
  { browser, clientId }: { readonly browser: BrowserBinding; readonly clientId: ClientId },
  now: EpochSeconds,
  limits: InteractionLimits,
): Promise<void> {
  const decision = browser.isNew
    ? await limits.interactionsOfNewBrowsers.consume('total', now)
    : await limits.startedInteractions.consume(`browser ${browser.digest}`, now)
  if (!decision.allowed) throw refuse('interactions_throttled', { clientId }, { retryAfter: decision.retryAfter })
}

/** Returns the URL of the host's page for the next step. */
export const pageUrl = (
  { kind }: { readonly kind: keyof InteractionUrls },
  { [kind]: url, login }: InteractionUrls,
): string => url ?? login

/** Adds the handle of the interaction to the URL of the host's page. */
export function interactionLocation(page: string, handle: string): string {
  const url = new URL(page)
  url.searchParams.set('interaction', handle)
  return url.href
}
