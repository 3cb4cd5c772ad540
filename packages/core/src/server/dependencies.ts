import type { AuthorizationEndpointDependencies } from '../authorization/authorization-endpoint.ts'
import { queryResponseMode } from '../authorization/response-mode.ts'
import { clientSecretBasic } from '../client/client-secret-basic.ts'
import { clientSecretPost } from '../client/client-secret-post.ts'
import { publicClient } from '../client/public-client.ts'
import { defineCookie } from '../http/index.ts'
import type { FindInteractionDependencies } from '../interaction/find-interaction.ts'
import { systemClock } from '../runtime/clock.ts'
import { systemRandom } from '../runtime/random.ts'
import { authorizationCodeGrant } from '../token/authorization-code-grant.ts'
import type { TokenEndpointDependencies } from '../token/token-endpoint.ts'
import { cookieSuffix } from './cookie-suffix.ts'
import type { AuthorizationServerOptions, ServerSettings } from './options.ts'

/** Everything that the endpoints ask for, made once per server. */
export type ServerDependencies = AuthorizationEndpointDependencies &
  FindInteractionDependencies &
  TokenEndpointDependencies

export function serverDependencies(options: AuthorizationServerOptions, settings: ServerSettings): ServerDependencies {
  const { storage, keys } = options
  const { issuer, lifetimes, scopeDescriptions } = settings
  const random = options.random ?? systemRandom

  return {
    issuer,
    storage,
    keys,
    random,
    clock: options.clock ?? systemClock,
    signedIn: options.signedIn,
    browserCookie: defineCookie(settings.issuerUrl.origin, `mintmark-browser${cookieSuffix(settings.issuerUrl)}`),
    interactionUrls: settings.interactionUrls,
    scopeDescriptions,
    rules: {
      responseModes: [queryResponseMode],
      scopeDescriptions,
      dangerouslyAllowMissingPkceFor: settings.dangerouslyAllowMissingPkceFor,
    },
    clientAuthentication: [clientSecretBasic, clientSecretPost, publicClient],
    grants: [
      authorizationCodeGrant({
        storage,
        defaultAudience: settings.defaultAudience,
        familyLifetime: lifetimes.accessToken,
      }),
    ],
    accessTokenAlgorithm: settings.accessTokenAlgorithm,
    accessTokenLifetime: lifetimes.accessToken,
    idTokenLifetime: lifetimes.idToken,
    interactionLifetime: lifetimes.interaction,
    codeLifetime: lifetimes.authorizationCode,
  }
}
