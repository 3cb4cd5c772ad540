// One file: how a request finds its interaction, and what the pages of the host can do with it.

import { type Clock, type Endpoint, redirect, type ServerRequest, type ServerResponse } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, InteractionRecord, JsonObject, UserRecord } from '@mintmark/storage-interface'

import { logoUrl } from '../clients/logo.ts'
import { unverifiedDevice, unverifiedHost } from '../clients/unverified-host.ts'
import { indexParameters, type Parameters } from '../parameters.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import {
  currentSession,
  identifySession,
  recallUser,
  type SignedIn,
  type SignedInUser,
} from '../sessions/signed-in-user.ts'
import { requireSameOrigin } from '../sessions/browser.ts'
import {
  checkDecision,
  completeInteraction,
  decideNext,
  type InteractionAnswer,
  leavesConsentOpen,
} from './complete-interaction.ts'
import { cancelInteraction, denyInteraction } from './deny-interaction.ts'
import type { CompleteInteractionDependencies, InteractionStep } from './interaction-step.ts'
import { detailId } from '../permissions/authorization-details.ts'
import { type AuthorizationDetailText, type DetailTypes, typeNameOf, typeOf } from '../permissions/detail-types.ts'
import { limitErrorRedirects, namingClient } from './error-redirect.ts'
import { recallCompleted } from './consume-interaction.ts'
import { requireClientId, verifyRedirect } from '../clients/proven-redirect.ts'
import { reopenRequest } from './pushed-request.ts'
import { recallDecoupled, reopenDecoupled } from './decoupled-request.ts'
import { parseAuthorizationRequest, type UserRequest } from './request.ts'
import type { InteractionUrls } from './decide.ts'
import { interactionLocation, pageUrl } from './start-interaction.ts'

/**
 * Finds the interaction of a request to the host's page. The query contains its handle, and a cookie identifies the
 * browser. The authorization request is validated again, so a client that was disabled meanwhile is refused.
 * @throws OAuthError access_denied — reason `cross_site_post`; invalid_request — reason `interaction_unknown`: it has
 *   expired, was completed or belongs to another browser; and the errors of request validation.
 */
export async function findInteraction(
  request: ServerRequest,
  now: EpochSeconds,
  deps: CompleteInteractionDependencies,
): Promise<PendingInteraction> {
  requireSameOrigin(request)
  const handle = request.url.searchParams.get('interaction') ?? ''
  const opened = await deps.seal.open(handle)
  const browser = await deps.browsers.read(request)
  // RFC 9700 §4.7: without this check, anybody who sees the URL could complete another user's sign-in.
  if (opened === undefined || opened.interaction.browserDigest !== browser || !(now < opened.interaction.expiresAt))
    throw refuse('interaction_unknown')
  const { interaction: sealed, document, sessionAuthTime } = opened
  const found = await deps.storage.interactions.find(sealed.digest, browser, now)
  const isRepeated = found === 'consumed'
  const isForm = request.method !== 'GET'
  const stored = found === 'consumed' ? isForm && (await recallCompleted(sealed, now, deps)) : found
  // RFC 6749 §4.1.2: an interaction issues one code. Only a form that is sent again gets it again.
  if (stored === false) throw refuse('interaction_unknown', { clientId: sealed.clientId })
  // RFC 9700 §4.7: a faulty store must not return another browser's interaction, or one that has expired.
  if (stored !== undefined && (stored.browserDigest !== browser || !(now < stored.expiresAt)))
    throw refuse('interaction_unknown')

  const known = stored === undefined ? sealed : { ...sealed, login: stored.login, version: stored.version }
  const resources = known.resources.map((resource) => ['resource', resource] as const)
  const received = indexParameters([...Object.entries(known.parameters), ...resources])
  const client = await deps.clientDocuments.reopen(requireClientId(received), document, now)
  const session = currentSession(await deps.signedIn(request), now)
  const presence = { signedIn: session, isFromSession: stored === undefined || known.login?.inSession === true, now }
  const recalled = await recallUser(known.login, presence, deps.storage)
  const isSignedIn = async () => (recalled ?? (await identifySession(session, now, deps.storage))) !== undefined
  const authorization = await reopenAuthorization({ received, client, isSignedIn, isRepeated, now }, deps)
  const isSwitchingAccount = request.url.searchParams.get('account') === 'other'
  const user = isSwitchingAccount ? undefined : recalled
  const isStored = stored !== undefined
  const record = isStored && !isRepeated ? await rememberSession(known, { session, now }, deps) : known
  const visit = { http: request, handle, sessionAuthTime, session, now }
  const step = { ...visit, record, isStored, isRepeated, user, request: authorization }
  return pendingInteraction(step, isSwitchingAccount ? recalled : undefined, deps)
}

/** Validates the request of an interaction again, or finds it if the client made it on another device. */
async function reopenAuthorization(
  visit: {
    /** The parameters that the interaction kept. */
    readonly received: Parameters
    readonly client: ClientRecord
    readonly isSignedIn: () => Promise<boolean>
    /** Whether the interaction was completed before. */
    readonly isRepeated: boolean
    readonly now: EpochSeconds
  },
  deps: CompleteInteractionDependencies,
): Promise<UserRequest> {
  const { received, client, isSignedIn, isRepeated, now } = visit
  const decoupled = recallDecoupled(received)
  if (decoupled !== undefined) return namingClient(client, () => reopenDecoupled(decoupled, { client, now }, deps))
  const { parameters, form } = await namingClient(client, () =>
    reopenRequest(received, { client, now, isRepeated }, deps),
  )
  const redirect = verifyRedirect(parameters, client)
  return limitErrorRedirects({ client, isSignedIn }, () =>
    parseAuthorizationRequest(parameters, { client, redirect, form }, deps.rules),
  )
}

/**
 * Records that the host has a session of the user who signed in, so that the user must have it from now on (OIDC Core
 * §3.1.2.3). A `sessionId` is recorded at the sign-in already.
 */
async function rememberSession(
  record: InteractionRecord,
  { session, now }: { readonly session: SignedIn | undefined; readonly now: EpochSeconds },
  { storage }: CompleteInteractionDependencies,
): Promise<InteractionRecord> {
  const { login: recorded, digest, browserDigest, version } = record
  if (recorded === undefined || session?.subject !== recorded.userId) return record
  if (recorded.inSession === true || recorded.authentication.sessionId !== undefined) return record
  const login = { ...recorded, inSession: true }
  const { outcome } = await storage.interactions.recordLogin({ digest, browserDigest, version, login, now })
  // Otherwise another tab has advanced the interaction, and the next request remembers it.
  return outcome === 'swapped' ? { ...record, login, version: version + 1 } : record
}

/** A requested scope, as a consent page shows it. */
interface RequestedScope {
  readonly name: string
  /** A sentence for users. */
  readonly description: string
  /** Whether the user has consented to it before. */
  readonly granted: boolean
}

/** An API that the client requests access to, as a consent page shows it. */
interface RequestedResource {
  /** Its identifier (RFC 8707). */
  readonly uri: string
  readonly name: string
  /** Whether the user has consented to it before. */
  readonly granted: boolean
}

/** An authorization detail that the client requests, as a consent page shows it. Encode its title and rows. */
interface RequestedDetail extends AuthorizationDetailText {
  /** Identifies the entry in `grantedDetails` of `complete`. */
  readonly id: string
  readonly type: string
  /** The entry as `parse` of its type returned it. */
  readonly detail: JsonObject
}

/** An organization of the user, as a consent page shows it. */
interface RequestedOrganization {
  readonly organizationId: string
  /** Encode it when you show it. */
  readonly name: string
}

/** A pending authorization request, as the host's page sees it. */
export interface PendingInteraction {
  /** The next step. */
  readonly kind: keyof InteractionUrls
  readonly client: {
    readonly clientId: string
    readonly clientName: string
    /**
     * Identifies a client whose name nobody has verified; show it before the name. For a client that describes itself,
     * it is the host of that URL. For a client that registered itself without a signed statement, it is the host or
     * scheme of the redirect URI. `undefined` if an administrator or a signed statement has confirmed the name.
     */
    readonly unverifiedHost: string | undefined
    /** Pages of the client, all https: its home page, privacy policy and terms of service. Nobody has reviewed them. */
    readonly clientUri: string | undefined
    readonly policyUri: string | undefined
    readonly tosUri: string | undefined
    /**
     * The URL of the client's logo at this server; `undefined` if it has no logo or nobody has verified its name. The
     * server fetches the logo at the first request, so the URL may return an error.
     */
    readonly logoUrl: string | undefined
  }
  /**
   * The verified redirect URI of the client; `undefined` if the client is on another device (RFC 8628). The consent page
   * must then be shown, because somebody else may have sent the user the code.
   */
  readonly redirectUri: string | undefined
  readonly scopes: readonly RequestedScope[]
  /** The APIs that the tokens are for. A consent page names them, because APIs may share scope values (RFC 8707 §3). */
  readonly resources: readonly RequestedResource[]
  /**
   * The user's organizations that the tokens may be for. If there are several, the user has to choose, and `complete`
   * needs `organization`. Empty while nobody has signed in, or if the client does not ask for an organization.
   */
  readonly organizations: readonly RequestedOrganization[]
  /**
   * The authorization details that the client requests (RFC 9396). The page must show each entry and pass
   * `grantedDetails` to `complete`, which otherwise throws.
   */
  readonly details: readonly RequestedDetail[]
  /** The signed-in user, if any. */
  readonly subject: string | undefined
  /** A name by which the user recognizes the account, from its claims. Encode it when you show it. */
  readonly accountName: string | undefined
  /**
   * The URL at which the user signs in with another account; link to it on pages that show `accountName`. `undefined`
   * while nobody has signed in, and if the client accepts no other user (`id_token_hint`).
   */
  readonly switchAccountUrl: string | undefined
  /**
   * Where the button "Cancel" of a page posts its form, with or without fields: the server returns `access_denied` to the
   * client. A user who came here by mistake needs a way back.
   */
  readonly cancelUrl: string
  /** The login name that the client expects, unless the user has just left that account. Encode it when you show it. */
  readonly loginHint: string | undefined
  /** The authentication contexts that the client prefers or requires, best first (OIDC Core §3.1.2.1, §5.5.1.1). */
  readonly acrValues: readonly string[]
  /** The user's preferred languages, best first (OIDC Core §3.1.2.1). */
  readonly uiLocales: readonly string[]
  /**
   * Continues the interaction. The response sends the browser to the client when the interaction is complete, or else
   * to the host's page for the next step. A sign-in that is dated more than a minute in the future is ignored.
   * @throws errors for `renderError`: OAuthError invalid_request — reason `interaction_completed`: another tab has
   *   already completed it; access_denied — reason `user_inactive`: the account is deactivated; invalid_request — reason
   *   `details_undecided`: the answer has no `grantedDetails`, `scopes_undecided`: the answer of a consent page has no
   *   `grantedScopes`; temporarily_unavailable — reason `codes_throttled`, and
   *   unmet_authentication_requirements — reason `acr_unmet`, which are returned to the client.
   * @throws TypeError when a member of the answer has another type, or `authTime` is missing or not in seconds.
   */
  complete(answer: InteractionAnswer): Promise<ServerResponse>
  /**
   * Returns `access_denied` to the client, and removes earlier consent to what the page showed. @throws like `complete`.
   */
  deny(): Promise<ServerResponse>
  /** Returns `access_denied` to the client. Earlier consent stays. @throws like `complete`. */
  cancel(): Promise<ServerResponse>
}

/** Describes the interaction for the host's page. */
async function pendingInteraction(
  step: InteractionStep,
  previousUser: SignedInUser | undefined,
  deps: CompleteInteractionDependencies,
): Promise<PendingInteraction> {
  const { http, request } = step
  const decision = await decideNext({ ...step, isChosen: step.isStored }, step.user, deps)
  if (decision.kind === 'login' && http.method !== 'GET')
    await limitAttempts(step, deps.interactionLimits.signInAttempts)
  const { grant, organizations } = 'grant' in decision ? decision : { grant: undefined, organizations: [] }
  const user = decision.kind === 'login' ? undefined : decision.signedInUser.user
  const hasLeftHintedAccount = previousUser !== undefined && accountNameOf(previousUser.user) === request.loginHint

  return {
    kind: decision.kind === 'ready' ? 'consent' : decision.kind,
    client: describeClient(request, deps.rules.issuer),
    redirectUri: redirectOf(request),
    scopes: request.consentScopes.map((name) => ({
      name,
      description: deps.scopes.get(name)?.description ?? name,
      granted: grant?.scopes.includes(name) === true,
    })),
    resources: request.consentResources.map((uri) => ({
      uri,
      name: deps.rules.resources.get(uri)?.name ?? uri,
      granted: grant?.resources.includes(uri) === true,
    })),
    details: await describeDetails(request, deps.detailTypes),
    organizations: organizations.map(({ organizationId, displayName }) => ({ organizationId, name: displayName })),
    subject: user?.userId,
    accountName: user && accountNameOf(user),
    switchAccountUrl: user && switchAccountUrl(user, step, deps.interactionUrls),
    cancelUrl: interactionLocation(deps.rules.issuer + cancelPath, step.handle),
    loginHint: hasLeftHintedAccount ? undefined : request.loginHint,
    acrValues: request.acrValues,
    uiLocales: request.uiLocales,
    async complete(answer) {
      checkDecision(answer)
      // Otherwise the browser would return to the consent page, whatever the user chooses there, and nobody would be told.
      if (decision.kind === 'consent' && leavesConsentOpen(answer, request))
        throw refuse('scopes_undecided', { clientId: request.client.clientId })
      return completeInteraction(answer, step, deps)
    },
    deny: () => denyInteraction(step, deps),
    cancel: () => cancelInteraction(step, deps),
  }
}

/** OIDC Core §3.1.2.2: if the request accepts only this user, another account cannot complete it. */
function switchAccountUrl(
  { userId }: UserRecord,
  { request: { subjects }, handle }: InteractionStep,
  { login }: InteractionUrls,
): string | undefined {
  if (subjects?.every((subject) => subject === userId) === true) return undefined
  const url = new URL(interactionLocation(login, handle))
  url.searchParams.set('account', 'other')
  return url.href
}

export const describeDetails = (
  { details, uiLocales }: UserRequest,
  types: DetailTypes,
): Promise<readonly RequestedDetail[]> =>
  Promise.all(
    details.map(async (detail, index) => {
      const text = await typeOf(detail, types)?.describe(detail, { uiLocales })
      // RFC 9396 §11.1: a user cannot decide about an entry without a description.
      if (typeof text?.title !== 'string' || text.title === '')
        throw new TypeError('authorizationDetails: describe must return a title.')
      return { ...text, id: detailId(index), type: typeNameOf(detail), detail }
    }),
  )

const redirectOf = ({ target }: UserRequest): string | undefined =>
  target.kind === 'redirect' ? target.redirect : undefined

export function describeClient(request: UserRequest, issuer: string): PendingInteraction['client'] {
  const { client } = request
  const { clientId, clientName, clientUri, policyUri, tosUri } = client
  const redirectUri = redirectOf(request)
  const host = redirectUri === undefined ? unverifiedDevice(client) : unverifiedHost(client, redirectUri)
  const shown = { unverifiedHost: host, logoUrl: logoUrl(issuer, client) }
  return { clientId, clientName, ...shown, clientUri, policyUri, tosUri }
}

/**
 * Counts the forms that are sent to the sign-in page. This slows down guessing within one interaction; `limitSignIns`
 * slows it down across all interactions.
 */
async function limitAttempts({ record, now }: InteractionStep, limiter: RateLimiter): Promise<void> {
  const decision = await limiter.consume(`interaction ${record.digest}`, now)
  // RFC 6749 §10.10, RFC 6585 §4.
  if (!decision.allowed)
    throw refuse('sign_in_throttled', { clientId: record.clientId }, { retryAfter: decision.retryAfter })
}

export const cancelPath = '/auth/cancel'

/** Answers the button "Cancel" of the pages. */
export const cancelEndpoint =
  (deps: CompleteInteractionDependencies & { readonly clock: Clock }): Endpoint =>
  async (request) =>
    (await findInteraction(request, deps.clock(), deps)).cancel()

/** A page of the host: shows a pending interaction on GET, and handles its form on POST. */
export type InteractionPage = (pending: PendingInteraction, request: ServerRequest) => Promise<ServerResponse>

/** Serves a host's page: finds the interaction, and redirects if another page is next. */
export const interactionPage =
  (
    kind: PendingInteraction['kind'],
    page: InteractionPage,
    deps: CompleteInteractionDependencies & { readonly clock: Clock },
  ): Endpoint =>
  async (request) => {
    const pending = await findInteraction(request, deps.clock(), deps)
    if (pending.kind === kind) return requireResponse(await page(pending, request), kind)
    // The pages after the sign-in page are opened only by users who have signed in.
    if (pending.kind === 'login' && request.method === 'GET')
      deps.journal.record(request, { type: 'sign_in.lost', clientId: pending.client.clientId })
    const handle = request.url.searchParams.get('interaction') ?? ''
    return redirect(interactionLocation(pageUrl(pending, deps.interactionUrls), handle))
  }

/** A page of a host that is not type-checked may forget to return its response, or return a text. */
function requireResponse(response: ServerResponse, kind: PendingInteraction['kind']): ServerResponse {
  const returned: unknown = response
  if (typeof returned === 'object' && returned !== null && 'status' in returned && 'headers' in returned)
    return response
  const name = kind === 'select_account' ? 'selectAccount' : kind
  throw new TypeError(
    `pages.${name} must return a response, such as that of signInPage(pending) or pending.complete(…); it returned ${returned === null ? 'null' : typeof returned}.`,
  )
}

/**
 * Returns the name of a user's account for pages: the e-mail address, the preferred username or the name, or else the
 * identifier.
 */
export function accountNameOf({ claims, userId }: Pick<UserRecord, 'claims' | 'userId'>): string {
  const names = [claims['email'], claims['preferred_username'], claims['name']]
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? userId
}
