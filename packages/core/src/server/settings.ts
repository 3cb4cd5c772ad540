import { revocationRetention, seconds, type DurationSeconds } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import { standardScopes, type ScopeRegistry } from '../authorize/scopes.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import type { Resource, ResourceRegistry } from '../token/resources.ts'
import { parseIssuer } from './issuer.ts'
import type { AuthorizationServerOptions, Lifetimes } from './options.ts'
import { parseOptions, type ParsedOptions } from './options-schema.ts'

/** The options, checked, with every default filled in. */
export interface ServerSettings {
  readonly issuer: string
  readonly issuerUrl: URL
  readonly interactionUrls: { readonly login: string; readonly consent: string }
  readonly scopes: ScopeRegistry
  readonly identityScopes: ReadonlySet<string>
  readonly resources: ResourceRegistry
  readonly defaultAudience: string
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly lifetimes: Readonly<Record<keyof Lifetimes, DurationSeconds>>
  readonly retryWindow: { readonly confidential: DurationSeconds; readonly public: DurationSeconds }
  /** For how long resource servers are told what has ended; `undefined` when they are not. */
  readonly feedRetention: DurationSeconds | undefined
  readonly dangerouslyAllowMissingPkceFor: ReadonlySet<string>
}

/** @throws TypeError that names the option and says what to change. */
export function parseSettings(options: AuthorizationServerOptions): ServerSettings {
  const issuerUrl = parseIssuer(options.issuer)
  const parsed = parseOptions(options)
  if (parsed.storage.issuer !== options.issuer) {
    throw new TypeError('The storage is bound to another issuer. Create both with the same issuer.')
  }
  requireStores(options.storage, { capability: 'oauth', feature: 'createAuthorizationServer' })

  refuseShortRetirement(parsed, options.keys)
  const interactionUrls = pageUrls(parsed.interaction, issuerUrl, options)
  const scopes = scopeRegistry(parsed.scopes)
  return {
    issuer: options.issuer,
    issuerUrl,
    interactionUrls,
    scopes,
    identityScopes: new Set([...scopes].flatMap(([name, scope]) => (scope.isIdentity ? [name] : []))),
    resources: resourceRegistry(parsed, scopes),
    defaultAudience: parsed.defaultAudience ?? options.issuer,
    accessTokenAlgorithm: accessTokenAlgorithm(options),
    lifetimes: parsed.lifetimes,
    retryWindow: parsed.refreshRetryWindow,
    feedRetention: feedRetention(parsed),
    dangerouslyAllowMissingPkceFor: new Set(parsed.dangerouslyAllowMissingPkceFor),
  }
}

function pageUrls(
  given: ParsedOptions['interaction'],
  issuerUrl: URL,
  options: AuthorizationServerOptions,
): ServerSettings['interactionUrls'] {
  const login = new URL(given.loginUrl ?? `${options.issuer}/login`, issuerUrl)
  const consent = new URL(given.consentUrl ?? `${options.issuer}/consent`, issuerUrl)
  if (options.pages !== undefined && [login, consent].some(({ origin }) => origin !== issuerUrl.origin)) {
    throw new TypeError(
      'Invalid options: pages are served at the issuer, so loginUrl and consentUrl must be there too.',
    )
  }
  if (options.pages !== undefined && login.pathname === consent.pathname) {
    throw new TypeError(
      'Invalid options: pages are told apart by their address, so loginUrl and consentUrl must differ.',
    )
  }
  return { login: login.href, consent: consent.href }
}

function scopeRegistry(own: ParsedOptions['scopes']): ScopeRegistry {
  const definitions = Object.entries(own).map(([name, option]) => {
    // OIDC Core §5.4: what these open is not for the host to say, and without their claims they would open nothing.
    if (standardScopes.has(name)) throw new TypeError(`Invalid options: scopes: ${name} is defined by OpenID Connect.`)
    const { description, claims } = typeof option === 'string' ? { description: option, claims: [] } : option
    return [name, { description, claims, idTokenClaims: [], isIdentity: claims.length > 0 }] as const
  })
  return new Map([...standardScopes, ...definitions])
}

function resourceRegistry(parsed: ParsedOptions, scopes: ScopeRegistry): ResourceRegistry {
  const resources = Object.entries(parsed.resources).map(([uri, option]): readonly [string, Resource] => {
    const unknown = option.scopes.find((scope) => !scopes.has(scope))
    if (unknown !== undefined)
      throw new TypeError(`Invalid options: resources: the scope ${unknown} of ${uri} is not among scopes.`)
    return [uri, { uri, ...option, accessTokenLifetime: option.accessTokenLifetime ?? parsed.lifetimes.accessToken }]
  })
  return new Map(resources)
}

/** @throws TypeError when a token could outlive its entry in the revocation feed. */
function feedRetention(parsed: ParsedOptions): DurationSeconds | undefined {
  if (!parsed.revocationFeed) return undefined
  const retention = seconds(longestAccessTokenLifetime(parsed) + feedMargin)
  if (retention > revocationRetention) {
    throw new TypeError(
      `Invalid options: with revocationFeed no access token may live for longer than ${revocationRetention - feedMargin} seconds.`,
    )
  }
  return retention
}

/** OIDC Core §10.1.1: a key is published for as long as anything lives that it signed. */
function refuseShortRetirement(parsed: ParsedOptions, { retirement }: KeyRing): void {
  const longest = Math.max(parsed.lifetimes.idToken, longestAccessTokenLifetime(parsed))
  if (retirement !== undefined && retirement < longest) {
    throw new TypeError(
      `Invalid options: keys are published for ${retirement} seconds after they have signed, and tokens live for ${longest}. Raise schedule.retire.`,
    )
  }
}

const longestAccessTokenLifetime = ({ lifetimes, resources }: ParsedOptions): number =>
  Math.max(lifetimes.accessToken, ...Object.values(resources).map(({ accessTokenLifetime = 0 }) => accessTokenLifetime))

function accessTokenAlgorithm(options: AuthorizationServerOptions): SigningAlgorithm {
  const algorithm = options.accessTokenAlgorithm ?? options.keys.algorithms[0]
  if (!options.keys.algorithms.includes(algorithm)) {
    throw new TypeError('Invalid options: the key ring does not sign with accessTokenAlgorithm.')
  }
  return algorithm
}

/** In seconds: clocks are not the same everywhere. */
const feedMargin = 300
