import {
  type Clock,
  digestSecret,
  type Endpoint,
  redirect,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import type { EpochSeconds, UserRecord } from '@mintmark/storage-interface'

import { indexParameters } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import { recallUser } from '../sessions/signed-in-user.ts'
import { readBrowser, requireSameOrigin } from './browser.ts'
import {
  completeInteraction,
  decideNext,
  denyInteraction,
  type CompleteInteractionDependencies,
  type InteractionAnswer,
  type InteractionStep,
} from './complete-interaction.ts'
import { identifyClient, verifyRedirect } from './proven-redirect.ts'
import { parseAuthorizationRequest, type AuthorizationRequestRules } from './request.ts'
import { interactionLocation } from './start-interaction.ts'

export interface FindInteractionDependencies extends CompleteInteractionDependencies {
  readonly rules: AuthorizationRequestRules
}

/**
 * Finds the interaction of a request to the host's page: its handle is in the query, its browser in the cookie. The
 * stored request is validated again, so a client that was disabled meanwhile is refused.
 * @throws OAuthError access_denied — reason `cross_site_post`; invalid_request — reason `interaction_unknown`: expired,
 *   completed, or another browser's; and the errors of request validation.
 */
export async function findInteraction(
  request: ServerRequest,
  now: EpochSeconds,
  deps: FindInteractionDependencies,
): Promise<PendingInteraction> {
  requireSameOrigin(request)
  const handle = request.url.searchParams.get('interaction') ?? ''
  const browser = await readBrowser(request, deps.browserCookie)
  const digest = await digestSecret(handle)
  const record = browser === undefined ? undefined : await deps.storage.interactions.find(digest, browser, now)
  // RFC 9700 §4.7: without this check, anybody who sees the URL could complete another user's sign-in.
  if (record === undefined || record.browserDigest !== browser || !(now < record.expiresAt))
    throw refuse('interaction_unknown')

  const resources = record.resources.map((resource) => ['resource', resource] as const)
  const parameters = indexParameters([...Object.entries(record.parameters), ...resources])
  const client = await identifyClient(parameters, deps.storage)
  const redirect = verifyRedirect(parameters, client)
  const authorization = await parseAuthorizationRequest(parameters, { client, redirect }, deps.rules)
  return pendingInteraction({ http: request, handle, record, request: authorization, now }, deps)
}

/** A requested scope, as a consent page shows it. */
interface RequestedScope {
  readonly name: string
  /** A sentence for users. */
  readonly description: string
  /** Whether the user has consented to it before. */
  readonly granted: boolean
}

/** A pending authorization request, as the host's page sees it. */
export interface PendingInteraction {
  /** The next step. */
  readonly kind: 'login' | 'consent'
  readonly client: { readonly clientId: string; readonly clientName: string }
  /** The verified redirect URI of the client. */
  readonly redirectUri: string
  readonly scopes: readonly RequestedScope[]
  /** The user who has signed in to this interaction, if any. */
  readonly subject: string | undefined
  /** The user's own name for the account, from its claims. Encode it when you show it. */
  readonly accountName: string | undefined
  /** The login name that the client expects. Encode it when you show it. */
  readonly loginHint: string | undefined
  /** The authentication contexts that the client prefers or requires, best first (OIDC Core §3.1.2.1, §5.5.1.1). */
  readonly acrValues: readonly string[]
  /** The user's preferred languages, best first (OIDC Core §3.1.2.1). */
  readonly uiLocales: readonly string[]
  /**
   * Continues the interaction. The response is a redirect: to the client when it is complete, or to the host's page for
   * what is missing.
   * @throws errors for `renderError`: OAuthError invalid_request — reason `interaction_completed` when another tab was
   *   faster; unmet_authentication_requirements — reason `acr_unmet`, which is returned to the client.
   * @throws TypeError when `authTime` is missing, not in seconds, or in the future.
   */
  complete(answer: InteractionAnswer): Promise<ServerResponse>
  /** Returns `access_denied` to the client. @throws like `complete`. */
  deny(): Promise<ServerResponse>
}

/** Describes the interaction for the host's page. */
async function pendingInteraction(
  step: InteractionStep,
  deps: CompleteInteractionDependencies,
): Promise<PendingInteraction> {
  const { record, request } = step
  const decision = await decideNext(step, await recallUser(record.login, deps.storage), deps)
  const granted = decision.kind === 'login' ? [] : (decision.grant?.scopes ?? [])

  return {
    kind: decision.kind === 'login' ? 'login' : 'consent',
    client: { clientId: request.client.clientId, clientName: request.client.clientName },
    redirectUri: request.target.redirect,
    scopes: request.consentScopes.map((name) => ({
      name,
      description: deps.scopes.get(name)?.description ?? name,
      granted: granted.includes(name),
    })),
    subject: decision.kind === 'login' ? undefined : decision.signedInUser.user.userId,
    accountName: decision.kind === 'login' ? undefined : accountNameOf(decision.signedInUser.user),
    loginHint: request.loginHint,
    acrValues: request.acrValues,
    uiLocales: request.uiLocales,
    complete: (answer) => completeInteraction(answer, step, deps),
    deny: () => denyInteraction(step, deps),
  }
}

/** A page of the host: shows a pending interaction on GET, and handles its form on POST. */
export type InteractionPage = (pending: PendingInteraction, request: ServerRequest) => Promise<ServerResponse>

/** Serves a host's page: finds the interaction, and redirects to the other page if that one is next. */
export const interactionPage =
  (
    kind: PendingInteraction['kind'],
    page: InteractionPage,
    deps: FindInteractionDependencies & { readonly clock: Clock },
  ): Endpoint =>
  async (request) => {
    const pending = await findInteraction(request, deps.clock(), deps)
    if (pending.kind === kind) return page(pending, request)
    const handle = request.url.searchParams.get('interaction') ?? ''
    return redirect(interactionLocation(deps.interactionUrls[pending.kind], handle))
  }

/**
 * The name of a user's account on pages: the e-mail address, the preferred username or the name; the identifier if
 * there is none of them.
 */
export function accountNameOf({ claims, userId }: Pick<UserRecord, 'claims' | 'userId'>): string {
  const names = [claims['email'], claims['preferred_username'], claims['name']]
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? userId
}
