import {
  createRouter,
  type HttpService,
  json,
  noStore,
  type RenderError,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
  systemClock,
  systemRandom,
} from '@mintmark/internal'
import { defineBrowserCookie } from './authorize/browser.ts'
import type { AuthorizationEndpointDependencies } from './authorize/endpoint.ts'
import {
  findInteraction,
  type FindInteractionDependencies,
  type PendingInteraction,
} from './authorize/pending-interaction.ts'
import { formPostResponseMode, queryResponseMode } from './authorize/response.ts'
import { clientSecretBasic, clientSecretPost, publicClient } from './clients/methods.ts'
import { privateKeyJwt } from './clients/private-key-jwt.ts'
import { createRemoteKeySets } from './clients/remote-key-set.ts'
import { renderApiError, renderBearerError, renderBrowserError, requestRefused } from './errors.ts'
import { openJournal } from './events.ts'
import { createVerifiedJwts } from './keys/jws.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { createMemoryRateLimiter } from './rate-limiter.ts'
import { serverRoutes } from './routes.ts'
import { parseSettings, type ServerSettings, unsafeOptions } from './settings.ts'
import { reportFaults } from './telemetry.ts'
import type { TokenEndpointDependencies } from './token/endpoint.ts'
import { authorizationCodeGrant } from './token/grants/authorization-code.ts'
import { clientCredentialsGrant } from './token/grants/client-credentials.ts'
import { refreshTokenGrant } from './token/grants/refresh-token.ts'
import type { TokenTargetDependencies } from './token/resources.ts'
import { type ActiveAccessToken, findActiveAccessToken } from './tokens/access-token.ts'
import { createRevocationFeed, type RevocationFeed } from './tokens/feed-watch.ts'
import type { IntrospectionEndpointDependencies } from './tokens/introspection.ts'
import type { RevocationEndpointDependencies } from './tokens/revocation.ts'
import type { UserinfoEndpointDependencies } from './tokens/userinfo.ts'

/** An OAuth 2.0 authorization server with an OpenID Connect identity layer, for an adapter to serve. */
export interface AuthorizationServer extends HttpService {
  readonly issuer: string
  /**
   * The interaction that a request to the host's login or consent page belongs to.
   * @throws whatever `renderError` renders: OAuthError access_denied — reason `cross_site_post`; invalid_request — reason
   *   `interaction_unknown` and those of the authorization request.
   */
  interaction(request: ServerRequest): Promise<PendingInteraction>
  /** What an access token that was presented to the host allows; undefined unless it is honoured here and now. */
  accessToken(token: string): Promise<ActiveAccessToken | undefined>
  /** The answer to an error of an interaction: back to the client where that is safe, otherwise an error page. */
  renderError(error: unknown, request: RequestHead): ServerResponse
}

/**
 * Creates a server. Nothing is global: any number of servers live in one process.
 * @throws TypeError that names a bad option and says what to change.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const settings = parseSettings(options)
  const deps = serverDependencies(options, settings)
  for (const unsafe of unsafeOptions(settings)) deps.journal.announce(unsafe)
  const renderPage: RenderError = (error, request) =>
    renderBrowserError(error, request, { issuer: settings.issuer, renderErrorPage: options.renderErrorPage })
  const recorded =
    (render: RenderError): RenderError =>
    (error, request) => {
      deps.journal.record(request, requestRefused(error, request))
      return render(error, request)
    }
  const router = createRouter({
    origin: settings.issuerUrl.origin,
    bodyLimit: 16_384,
    tooLarge: () => json(413, bodyTooLarge, noStore),
    routes: serverRoutes(deps, {
      api: recorded(renderApiError),
      browser: recorded(renderPage),
      bearer: recorded(renderBearerError),
    }),
    notFound: () => json(404, { error: 'not_found' }, noStore),
    methodNotAllowed: () => json(405, methodNotAllowed, noStore),
  })

  return {
    ...router,
    issuer: settings.issuer,
    interaction: (request) => findInteraction(request, deps.clock(), deps),
    accessToken: (token) => findActiveAccessToken(token, deps.clock(), deps),
    renderError: recorded(renderPage),
  }
}

const bodyTooLarge = { error: 'invalid_request', error_description: 'The request body is too large.' }

const methodNotAllowed = { error: 'invalid_request', error_description: 'This endpoint does not answer this method.' }

/** Everything that the endpoints ask for, made once per server. */
export type ServerDependencies = AuthorizationEndpointDependencies &
  FindInteractionDependencies &
  TokenEndpointDependencies &
  IntrospectionEndpointDependencies &
  RevocationEndpointDependencies &
  UserinfoEndpointDependencies & {
    readonly pages: AuthorizationServerOptions['pages']
    readonly revocationFeed: RevocationFeed | undefined
  }

export function serverDependencies(options: AuthorizationServerOptions, settings: ServerSettings): ServerDependencies {
  const { storage, keys } = options
  const { issuer, lifetimes, scopes, resources, feedRetention: retention } = settings
  const random = options.random ?? systemRandom
  const clock = options.clock ?? systemClock
  const keySets = createRemoteKeySets(options.fetch ?? globalThis.fetch)
  const target: TokenTargetDependencies = { ...settings, accessTokenLifetime: lifetimes.accessToken }
  const verifiedJwts = createVerifiedJwts()
  const grantDeps = { ...target, storage, random, lifetimes, retryWindow: settings.retryWindow }

  return {
    issuer,
    storage,
    keys,
    verifiedJwts,
    random,
    scopes,
    clock,
    journal: openJournal(options.onEvent ?? reportFaults(console), { clock, random }),
    signedIn: options.signedIn,
    mapClaims: options.claims,
    browserCookie: defineBrowserCookie(issuer),
    interactionUrls: settings.interactionUrls,
    pages: options.pages,
    revocationFeed:
      retention === undefined
        ? undefined
        : createRevocationFeed({ revocations: storage.revocations, retention: retention }),
    rules: {
      issuer,
      keys,
      verifiedJwts,
      scopes,
      resources,
      responseModes: [queryResponseMode, formPostResponseMode],
      dangerouslyAllowMissingPkceFor: settings.dangerouslyAllowMissingPkceFor,
    },
    clientAuthentication: [
      clientSecretBasic,
      clientSecretPost,
      privateKeyJwt({ issuer, storage, keySets }),
      publicClient,
    ],
    failedAuthentications:
      options.rateLimits?.failedAuthentications ?? createMemoryRateLimiter({ points: 100, window: 60 }),
    startedInteractions:
      options.rateLimits?.startedInteractions ?? createMemoryRateLimiter({ points: 100, window: 600 }),
    grants: [
      authorizationCodeGrant(grantDeps),
      refreshTokenGrant(grantDeps),
      clientCredentialsGrant(target),
      ...(options.grants ?? []),
    ],
    accessTokenAlgorithm: settings.accessTokenAlgorithm,
    idTokenLifetime: lifetimes.idToken,
    interactionLifetime: lifetimes.interaction,
    codeLifetime: lifetimes.authorizationCode,
  }
}
