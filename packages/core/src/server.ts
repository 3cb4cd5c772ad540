import {
  aNonEmptyString,
  aNumber,
  aString,
  anObjectWith,
  afterPreparation,
  checkOptions,
  createRouter,
  type HttpService,
  oneOf,
  type OptionChecks,
  type PathRoute,
  required,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
  wholeNumber,
  withHeaders,
} from '@mintmark/internal'
import type { ClientRules } from './clients/check-metadata.ts'
import { initiateLoginUrl, type LoginHints } from './clients/initiate-login.ts'
import type { OpenRegistration } from './clients/open-registration.ts'
import { after, clientId, sessionId, userId } from '@mintmark/storage-interface'
import type { SessionEndReason } from '@mintmark/storage-interface/stores'
import { findInteraction, type PendingInteraction } from './authorize/pending-interaction.ts'
import { findApproval, type PendingApproval } from './decoupled/approval.ts'
import { renderApiError, renderBearerError, renderBrowserError, requestRefused } from './errors.ts'
import type { KeyRing } from './keys/ring.ts'
import { SealingKeyError } from './sealing-key-error.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { refuse } from './refusals.ts'
import { serverRoutes } from './routes.ts'
import { parseSettings, type ServerSettings } from './settings.ts'
import { endOtherSessions, listSessions, type SessionSummary } from './sessions/list-sessions.ts'
import { aSessionId } from './sessions/signed-in-user.ts'
import { type ActiveAccessToken, findActiveAccessToken } from './tokens/access-token.ts'
import type { DeliverOnceOptions, DeliveryReport, DeliveryWorker } from './delivery/worker.ts'
import { serverDependencies, type ServerDependencies } from './dependencies.ts'
import { newIssuerReport, unsafeOptions } from './unsafe-options.ts'
import { requireStores } from '@mintmark/storage-interface/stores'

/** An OAuth 2.0 authorization server with an OpenID Connect identity layer, for an adapter to serve. */
export interface AuthorizationServer extends HttpService {
  readonly issuer: string
  /** The rules for clients of this server. Registration and administration check clients against them. */
  readonly clientRules: ClientRules
  /** With the option of the same name: what `createRegistrationServer` needs to register clients without a permission. */
  readonly openRegistration: OpenRegistration | undefined
  /**
   * Proves that this process can issue tokens: storage answers, and every key that signs opens with this process's
   * sealing key. Call it before the process accepts requests, and from a readiness probe; keys that were read a moment
   * ago are not read again. Without this call, a server with a wrong sealing key starts, and answers every request with
   * 503.
   * @throws Error that says what to change; StorageUnavailableError when storage does not answer.
   */
  ready(): Promise<void>
  /**
   * Returns the interaction that a request to the host's login or consent page belongs to.
   * @throws errors that `renderError` renders: OAuthError access_denied — reason `cross_site_post`; invalid_request —
   * reason `interaction_unknown`, or a reason of the authorization request.
   */
  interaction(request: ServerRequest): Promise<PendingInteraction>
  /**
   * Returns what an access token that was presented to the host allows; `undefined` unless this server currently
   * accepts it.
   */
  accessToken(token: string): Promise<ActiveAccessToken | undefined>
  /**
   * Returns a request that waits for the decision of this user (CIBA Core 1.0), by the `id` that `ciba.askUser` got. Call
   * it for the user who is signed in.
   * @returns `undefined` when the request was decided, has expired, or is about another user.
   * @throws TypeError when the option `ciba` is off.
   */
  approval(id: string, subject: string): Promise<PendingApproval | undefined>
  /**
   * Returns the URL that sends a user to a client to sign in there: third-party initiated login (OIDC Core §4). The
   * client starts a normal request with it, so a user with a session at this server need not sign in again.
   * @returns `undefined` when the client does not exist, is disabled, or has no `initiate_login_uri`.
   * @throws TypeError when an option is unknown or is not a string.
   */
  initiateLoginUrl(client: string, hints?: LoginHints): Promise<string | undefined>
  /**
   * Sends messages to clients, such as logout tokens (Back-Channel Logout §2.5) and notifications that a user has decided
   * (CIBA Core 1.0 §10.2), until the signal is aborted. Any number of processes may do so. It continues after outages of
   * the storage.
   * @throws TypeError when there is nothing to send, or the storage cannot keep deliveries.
   */
  deliver(options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * Sends the messages that are due, for scheduled jobs and runtimes without long-lived processes.
   * @throws TypeError as `deliver`; StorageUnavailableError.
   */
  deliverOnce(options?: DeliverOnceOptions): Promise<DeliveryReport>
  /**
   * Ends a session by the `sessionId` that the host gave it, or by the `sid` of clients with public subjects, which is
   * the same. The tokens that are bound to the session are revoked, and no client can join it later, even if this
   * server has never seen it. Throws TypeError if it is not a string of 1 to 255 characters.
   * @param reason `host` by default.
   * @returns `unchanged` when it was ended before.
   */
  endSession(session: string, reason?: SessionEndReason): Promise<'revoked' | 'unchanged'>
  /**
   * Ends all stored sessions of a user: the sessions of `createCookieSessions`, and sessions of the host that a client
   * has joined. The session whose `sessionId` is `except` stays active.
   * @param options `reason` is `host` by default.
   * @returns the number of sessions.
   */
  endSessions(
    subject: string,
    options?: { readonly reason?: SessionEndReason; readonly except?: string | undefined },
  ): Promise<number>
  /**
   * Lists the active sessions of a user, newest first, for an account page: the sessions of `createCookieSessions`, and
   * sessions of the host that a client has joined. An account page must let users end only sessions that are in their
   * list.
   */
  listSessions(subject: string): Promise<readonly SessionSummary[]>
  /**
   * Renders an error of an interaction: as a redirect to the client where that is safe, otherwise as an error page.
   */
  renderError(error: unknown, request: RequestHead): Promise<ServerResponse>
}

/**
 * Creates a server. There is no global state: one process can have any number of servers.
 * @throws TypeError that names an invalid option and says what to change.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const settings = parseSettings(options)
  const deps = serverDependencies(options, settings)
  for (const unsafe of unsafeOptions(settings, options.storage)) deps.journal.recordWithoutRequest(unsafe)
  const reportNewIssuer = newIssuerReport({ ...deps, storage: options.storage })
  const render = errorRenderers(options, settings, deps)
  const router = createRouter({
    origin: settings.issuerUrl.origin,
    bodyLimit: 16_384,
    tooLarge: (request) => render.api(refuse('message_too_large'), request),
    routes: withUsableKeys(serverRoutes(deps, render), options.keys, reportNewIssuer),
    capacity: deps.capacity,
    notFound: (request) => render.api(refuse('path_not_found'), request),
    methodNotAllowed: (request) => render.api(refuse('method_not_allowed'), request),
  })

  return {
    ...router,
    issuer: settings.issuer,
    clientRules: {
      scopes: [...settings.scopes.keys()],
      resources: [...settings.resources.keys()],
      minimumProfile: settings.minimumProfile,
      ownAuthenticationMethods: (options.clientAuthentication ?? []).map(({ method }) => method),
    },
    openRegistration: deps.openRegistration,
    async ready() {
      await Promise.all(options.keys.algorithms.map((algorithm) => options.keys.signer(algorithm)))
      await options.keys.ready?.()
      await reportNewIssuer()
    },
    interaction: (request) => findInteraction(request, deps.clock(), deps),
    accessToken: (token) => findActiveAccessToken(token, deps.clock(), deps),
    async approval(id, subject) {
      checkOptions('approval', { id, subject }, { id: required(aString), subject: required(aNonEmptyString) })
      if (deps.ciba === undefined) throw new TypeError('approval: the option ciba is off.')
      return findApproval({ id, subject }, deps.clock(), deps)
    },
    async initiateLoginUrl(client, hints = {}) {
      checkOptions<LoginHints>('initiateLoginUrl', hints, { loginHint: aString, targetLinkUri: aString })
      const found = await deps.storage.clients.find(clientId(client))
      return found?.disabledAt === undefined && found ? initiateLoginUrl(found, settings.issuer, hints) : undefined
    },
    async deliver(deliverOptions) {
      checkOptions('deliver', deliverOptions, { signal: required(anObjectWith('addEventListener')) })
      return requireDelivery(deps, options).run(deliverOptions)
    },
    async deliverOnce(delivering = {}) {
      checkOptions('deliverOnce', delivering, {
        limit: wholeNumber(1),
        deadline: aNumber(0, Number.MAX_SAFE_INTEGER),
      })
      return requireDelivery(deps, options).once(delivering)
    },
    ...sessionEnds(deps),
    listSessions: (subject) => listSessions(subject, deps.clock(), deps.storage),
    renderError: render.browser,
  }
}

/** Returns the functions that record a refusal and render it, for each kind of caller. */
function errorRenderers(
  options: AuthorizationServerOptions,
  { issuer }: ServerSettings,
  { journal, keySets, clock }: ServerDependencies,
) {
  const recordAndRender =
    (render: (error: unknown, request: RequestHead) => ServerResponse | Promise<ServerResponse>) =>
    async (error: unknown, request: RequestHead): Promise<ServerResponse> => {
      journal.record(request, requestRefused(error, request))
      const response = await render(error, request)
      return withHeaders(response, [journal.correlationHeader(request)])
    }
  const { keys, renderErrorPage } = options
  const renderPage = (error: unknown, request: RequestHead): Promise<ServerResponse> => {
    const correlationId = journal.correlationIdOf(request)
    return renderBrowserError(error, request, { issuer, keys, keySets, now: clock(), renderErrorPage, correlationId })
  }
  return {
    api: recordAndRender(renderApiError),
    browser: recordAndRender(renderPage),
    bearer: recordAndRender(renderBearerError('userinfo')),
    grants: recordAndRender(renderBearerError('grants')),
  }
}

/** Returns the functions with which a host ends sessions. */
function sessionEnds(deps: ServerDependencies): Pick<AuthorizationServer, 'endSession' | 'endSessions'> {
  return {
    async endSession(session, reason = 'host') {
      // A host that has lost the identifier must not believe that it has ended the session.
      checkOptions('endSession', { session, reason }, { session: required(aSessionId), reason: required(aReason) })
      const now = deps.clock()
      const end = { sessionId: sessionId(session), reason, now, tombstoneUntil: after(now, deps.sessionRetention) }
      const { outcome } = await deps.storage.sessions.revoke(end)
      if (outcome !== 'revoked') return 'unchanged'
      deps.journal.recordWithoutRequest({ type: 'session.ended', sessionId: session, reason })
      return 'revoked'
    },
    async endSessions(subject, options = {}) {
      checkOptions<SessionsEnd>('endSessions', { subject, ...options }, sessionsEnd)
      const { reason = 'host', except } = options
      const now = deps.clock()
      const ended =
        except === undefined
          ? await deps.storage.sessions.revokeOfUser(userId(subject), reason, now)
          : await endOtherSessions(subject, { kept: except, reason, now }, deps.storage)
      for (const session of ended)
        deps.journal.recordWithoutRequest({ type: 'session.ended', sessionId: session, reason })
      return ended.length
    },
  }
}

type SessionsEnd = { readonly subject: string } & NonNullable<Parameters<AuthorizationServer['endSessions']>[1]>

const aReason = oneOf('user', 'client', 'host', 'administrator', 'replaced')
const sessionsEnd: OptionChecks<SessionsEnd> = {
  subject: required(aNonEmptyString),
  reason: aReason,
  except: aSessionId,
}

/**
 * Makes every endpoint answer 503 while the keys in storage are not the keys of this process: a server that serves some
 * endpoints looks healthy, and starts sign-ins that the other servers cannot finish. Once the keys were read, no
 * request waits for this check. While storage is down, endpoints that do not need storage still answer.
 */
const withUsableKeys = (
  routes: readonly PathRoute[],
  keys: KeyRing,
  reportNewIssuer: () => Promise<void>,
): readonly PathRoute[] =>
  afterPreparation(routes, async () => {
    try {
      await keys.publicKeys()
      // For a host that did not call `ready`. No request waits for it or fails by it.
      reportNewIssuer().catch(() => undefined)
      return true
    } catch (error) {
      if (error instanceof SealingKeyError) throw error
      return false
    }
  })

function requireDelivery({ delivery }: ServerDependencies, { storage }: AuthorizationServerOptions): DeliveryWorker {
  requireStores(storage, { capability: 'delivery', feature: 'deliver' })
  if (delivery === undefined)
    throw new TypeError('deliver: there is nothing to send. Remove backChannelLogout: false, or set ciba.')
  return delivery
}
