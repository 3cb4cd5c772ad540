import {
  type CookieDefinition,
  digestSecret,
  type Random,
  randomSecret,
  redirect,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import { after, type DurationSeconds, type EpochSeconds, type OAuthStorage } from '@mintmark/storage-interface'

import type { Journal } from '../events.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import { loginOf } from '../sessions/signed-in-user.ts'
import { bindBrowser, type BrowserBinding } from './browser.ts'
import type { InteractionDecision } from './decide.ts'
import type { AuthorizationRequest } from './request.ts'

export interface InteractionDependencies {
  readonly storage: OAuthStorage
  readonly journal: Journal
  /** Limits how many interactions a browser starts. */
  readonly startedInteractions: RateLimiter
  readonly random: Random
  readonly browserCookie: CookieDefinition
  readonly interactionLifetime: DurationSeconds
  /** The absolute URLs of the host's pages. */
  readonly interactionUrls: { readonly login: string; readonly consent: string }
}

/**
 * Stores the request under a handle that is bound to the browser, and redirects to the host's page.
 * @throws OAuthError temporarily_unavailable — reason `interactions_throttled`: the browser has started too many.
 */
export async function startInteraction(
  step: {
    readonly authorization: AuthorizationRequest
    readonly decision: Exclude<InteractionDecision, { kind: 'ready' }>
    readonly request: ServerRequest
  },
  now: EpochSeconds,
  deps: InteractionDependencies,
): Promise<ServerResponse> {
  const { authorization, decision, request } = step
  const handle = randomSecret(deps.random)
  const browser = await bindBrowser(request, deps.browserCookie, deps.random)
  await limitBrowser(browser, now, deps.startedInteractions)
  await deps.storage.interactions.insert({
    digest: await digestSecret(handle),
    browserDigest: browser.digest,
    clientId: authorization.client.clientId,
    parameters: authorization.parameters,
    resources: authorization.resources,
    login: decision.kind === 'consent' ? loginOf(decision.signedInUser) : undefined,
    createdAt: now,
    expiresAt: after(now, deps.interactionLifetime),
    version: 1,
  })
  deps.journal.record(request, {
    type: 'interaction.started',
    kind: decision.kind,
    clientId: authorization.client.clientId,
  })
  return redirect(interactionLocation(deps.interactionUrls[decision.kind], handle), browser.headers)
}

/** RFC 6819 §4.4.1.11: abandoned requests must not fill the store. */
async function limitBrowser(browser: BrowserBinding, now: EpochSeconds, limiter: RateLimiter): Promise<void> {
  const decision = await limiter.consume(`browser ${browser.digest}`, now)
  if (decision.allowed) return
  // RFC 6585 §4.
  throw refuse('interactions_throttled', {}, { retryAfter: decision.retryAfter })
}

/** The URL of the host's page, with the handle of the interaction. */
export function interactionLocation(page: string, handle: string): string {
  const url = new URL(page)
  url.searchParams.set('interaction', handle)
  return url.href
}
