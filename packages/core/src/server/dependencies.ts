import type { AuthorizationEndpointDependencies } from '../authorization/authorization-endpoint.ts'
import { formPostResponseMode } from '../authorization/form-post-response-mode.ts'
import { queryResponseMode } from '../authorization/response-mode.ts'
import { openJournal } from '../event/journal.ts'
import { reportFaults } from '../event/report-faults.ts'
import { createMemoryRateLimiter } from '../rate-limit/rate-limiter.ts'
import { clientSecretBasic } from '../client/client-secret-basic.ts'
import { clientSecretPost } from '../client/client-secret-post.ts'
import { privateKeyJwt } from '../client/private-key-jwt.ts'
import { publicClient } from '../client/public-client.ts'
import { remoteKeySets } from '../client/remote-key-set.ts'
import { defineBrowserCookie } from '../interaction/browser-binding.ts'
import type { FindInteractionDependencies } from '../interaction/find-interaction.ts'
import type { IntrospectionEndpointDependencies } from '../introspection/introspection-endpoint.ts'
import { createVerifiedJwts } from '../keys/jws.ts'
import { refreshTokenGrant } from '../refresh/refresh-token-grant.ts'
import type { TokenTargetDependencies } from '../resource/token-target.ts'
import { createRevocationFeed, type RevocationFeed } from '../tokens/feed-watch.ts'
import type { RevocationEndpointDependencies } from '../revocation/revocation-endpoint.ts'
import { systemClock } from '../runtime/clock.ts'
import { systemRandom } from '../runtime/random.ts'
import { authorizationCodeGrant } from '../token/authorization-code-grant.ts'
import { clientCredentialsGrant } from '../token/client-credentials-grant.ts'
import type { TokenEndpointDependencies } from '../token/token-endpoint.ts'
import type { UserinfoEndpointDependencies } from '../userinfo/userinfo-endpoint.ts'
import type { AuthorizationServerOptions } from './options.ts'
import type { ServerSettings } from './settings.ts'

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
  const keySets = remoteKeySets(options.fetch ?? globalThis.fetch)
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
