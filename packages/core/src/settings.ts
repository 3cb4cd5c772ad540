import { type DurationSeconds, revocationRetention, seconds } from '@mintmark/storage-interface'
import { isDeliveryStorage, requireStores } from '@mintmark/storage-interface/stores'
import * as z from 'zod/mini'
import type { SessionBoundTokens } from './authorize/code.ts'
import { accessTokenClaimsOption, apiClaimSettings, claimLimitsOption } from './tokens/api-claim-settings.ts'
import type { ApiClaimSettings } from './tokens/api-claims.ts'
import { type ScopeRegistry, standardScopes } from './authorize/scopes.ts'
import { isResourceUri } from './clients/check-metadata.ts'
import { refuseUnkeptMinimum, type SecurityProfile, securityProfiles } from './clients/security-profile.ts'
import { parseIssuer } from './issuer.ts'
import type { KeyRing, SigningAlgorithm } from './keys/ring.ts'
import type { AuthorizationServerOptions, DiscoveryOptions, Lifetimes } from './options.ts'
import type { PurgeSettings } from './purge.ts'
import { inWords } from './schema-messages.ts'
import type { Resource, ResourceRegistry } from './token/resources.ts'

/** The validated options, with every default filled in. */
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
  readonly sessionBoundTokens: SessionBoundTokens
  readonly requirePushedRequests: boolean
  readonly minimumProfile: SecurityProfile
  /** For how long a session is remembered after a client joined it. */
  readonly sessionRetention: DurationSeconds
  readonly apiClaims: ApiClaimSettings
  readonly discovery: DiscoveryOptions
  /** Whether clients get logout tokens. */
  readonly backChannelLogout: boolean
  /** `undefined` when the host deletes expired rows itself. */
  readonly purge: PurgeSettings | undefined
  /** For how long the revocation feed keeps an entry; `undefined` without the feed. */
  readonly feedRetention: DurationSeconds | undefined
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
  refuseUnkeptMinimum(parsed, { keys: options.keys, codeLifetime: parsed.lifetimes.authorizationCode })
  const interactionUrls = pageUrls(parsed.interaction, issuerUrl, options)
  const scopes = scopeRegistry(parsed.scopes, parsed.scopeClaims)
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
    purge: parsed.purge === false ? undefined : parsed.purge,
    sessionBoundTokens: parsed.sessionBoundTokens,
    requirePushedRequests: parsed.requirePushedAuthorizationRequests || parsed.minimumProfile !== 'standard',
    minimumProfile: parsed.minimumProfile,
    sessionRetention: sessionRetention(parsed),
    apiClaims: apiClaimSettings(parsed, options.storage),
    discovery: parsed.discovery,
    backChannelLogout: backChannelLogout(options),
    feedRetention: feedRetention(parsed),
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
      'Invalid options: loginUrl and consentUrl must differ, because the server tells the pages apart by their addresses.',
    )
  }
  return { login: login.href, consent: consent.href }
}

function scopeRegistry(own: ParsedOptions['scopes'], claimsIn: ParsedOptions['scopeClaims']): ScopeRegistry {
  const definitions = Object.entries(own).map(([name, option]) => {
    // OIDC Core §5.4: the standard defines which claims these release, so the host cannot redefine them.
    if (standardScopes.has(name)) throw new TypeError(`Invalid options: scopes: ${name} is defined by OpenID Connect.`)
    const { description, claims } = typeof option === 'string' ? { description: option, claims: [] } : option
    return [name, { description, claims, idTokenClaims: [], isIdentity: claims.length > 0 }] as const
  })
  const registry = [...standardScopes, ...definitions]
  return claimsIn === 'userinfo'
    ? new Map(registry.map(([name, scope]) => [name, { ...scope, idTokenClaims: [] }]))
    : new Map(registry)
}

function resourceRegistry(parsed: ParsedOptions, scopes: ScopeRegistry): ResourceRegistry {
  const resources = Object.entries(parsed.resources).map(([uri, option]): readonly [string, Resource] => {
    const { accessTokenClaims: _, ...shown } = option
    const unknown = option.scopes.find((scope) => !scopes.has(scope))
    if (unknown !== undefined)
      throw new TypeError(`Invalid options: resources: the scope ${unknown} of ${uri} is not among scopes.`)
    return [
      uri,
      {
        uri,
        ...shown,
        name: option.name ?? uri,
        accessTokenLifetime: option.accessTokenLifetime ?? parsed.lifetimes.accessToken,
      },
    ]
  })
  return new Map(resources)
}

/** @throws TypeError when the option is set and the storage has no stores for deliveries. */
function backChannelLogout({ backChannelLogout: option, storage }: AuthorizationServerOptions): boolean {
  if (option === false) return false
  if (option !== undefined) requireStores(storage, { capability: 'delivery', feature: 'backChannelLogout' })
  return isDeliveryStorage(storage)
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

/** Tokens count as revoked when the session that they are bound to is missing, so it is kept for as long as they are. */
function sessionRetention(parsed: ParsedOptions): DurationSeconds {
  const { session, authorizationCode, refreshTokenAbsolute } = parsed.lifetimes
  const refresh = parsed.sessionBoundTokens === 'all' ? refreshTokenAbsolute : 0
  return seconds(Math.max(session, authorizationCode + Math.max(longestAccessTokenLifetime(parsed), refresh)))
}

/** OIDC Core §10.1.1: a key is published for as long as anything that it signed is valid. */
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

/** In seconds, because clocks differ. */
const feedMargin = 300

/** @throws TypeError that names the option and says what to change. */
function parseOptions(options: AuthorizationServerOptions): ParsedOptions {
  const result = optionsSchema.safeParse(options, inWords)
  if (!result.success) throw new TypeError(`Invalid options:\n${z.prettifyError(result.error)}`)
  return result.data
}

/** The options that are plain data, with every default filled in. */
type ParsedOptions = z.infer<typeof optionsSchema>

const maxLifetime = 31_536_000
const day = 86_400

const duration = z.int().check(z.positive(), z.maximum(maxLifetime))

const lifetime = (fallback: number, most = maxLifetime) =>
  z.pipe(z.prefault(z.int().check(z.positive(), z.maximum(most)), fallback), z.transform(seconds))

const retryWindow = (fallback: number) =>
  z.pipe(z.prefault(z.int().check(z.minimum(0), z.maximum(60)), fallback), z.transform(seconds))

const callable = z.custom((value) => typeof value === 'function', { error: 'must be a function' })

const rateLimiter = z.looseObject({ consume: callable })

const pageUrl = z.string().check(
  z.refine(
    (url) =>
      URL.canParse(url, 'https://issuer.invalid') && /^https?:$/.test(new URL(url, 'https://issuer.invalid').protocol),
    {
      error: 'must be an address, absolute or relative to the issuer',
    },
  ),
)

/** RFC 8707 §2: an absolute URI without fragment. */
const resourceUri = z.string().check(z.refine(isResourceUri, { error: 'must be an absolute URI without fragment' }))

/** RFC 6749 §4.5: the name of an extension grant is an absolute URI. */
const extensionGrant = z.looseObject({
  grantType: z.string().check(z.refine((name) => URL.canParse(name), { error: 'must be an absolute URI' })),
  decide: callable,
})

/** RFC 6749 §3.3: visible ASCII without space, quote and backslash. */
const scopeName = z.string().check(z.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/))

const nonEmpty = z.string().check(z.minLength(1))

const publicUrl = z.string().check(
  z.refine((url) => URL.canParse(url) && /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/])/.test(url), {
    error: 'must be an https address',
  }),
)

/**
 * Strict, because a misspelled name, or a name from another version, would otherwise leave a default in force without a
 * warning.
 */
const optionsSchema = z.strictObject({
  issuer: z.string(),
  storage: z.looseObject({ issuer: z.string() }),
  keys: z.looseObject({ algorithms: z.array(z.string()).check(z.minLength(1)), deriveSecrets: callable }),
  signedIn: callable,
  pages: z.optional(z.strictObject({ login: callable, consent: callable })),
  logout: z.optional(
    z.strictObject({ endSession: callable, renderPage: callable, frontChannel: z.prefault(z.boolean(), false) }),
  ),
  backChannelLogout: z.optional(z.union([z.literal(false), z.strictObject({ waitUntil: z.optional(callable) })])),
  interaction: z.prefault(z.strictObject({ loginUrl: z.optional(pageUrl), consentUrl: z.optional(pageUrl) }), {}),
  scopes: z.prefault(
    z.record(
      scopeName,
      z.union([
        nonEmpty,
        z.strictObject({
          description: nonEmpty,
          claims: z.prefault(z.array(nonEmpty), []),
          accessTokenClaims: accessTokenClaimsOption,
        }),
      ]),
    ),
    {},
  ),
  resources: z.prefault(
    z.record(
      resourceUri,
      z.strictObject({
        name: z.optional(nonEmpty),
        scopes: z.array(scopeName),
        accessTokenLifetime: z.optional(z.pipe(duration, z.transform(seconds))),
        accessTokenFormat: z.prefault(z.enum(['jwt', 'opaque']), 'jwt'),
        accessTokenClaims: accessTokenClaimsOption,
      }),
    ),
    {},
  ),
  grants: z.prefault(
    z.array(extensionGrant).check(
      z.refine((grants) => new Set(grants.map(({ grantType }) => grantType)).size === grants.length, {
        error: 'must have different names',
      }),
    ),
    [],
  ),
  defaultAudience: z.optional(nonEmpty),
  revocationFeed: z.prefault(z.boolean(), false),
  claims: z.optional(callable),
  accessTokenClaimLimits: claimLimitsOption,
  accessTokenAlgorithm: z.optional(z.string()),
  sessionBoundTokens: z.prefault(z.enum(['without_offline_access', 'all', 'none']), 'without_offline_access'),
  lifetimes: z.prefault(
    z.strictObject({
      authorizationCode: lifetime(60),
      pushedRequest: lifetime(60, 600),
      accessToken: lifetime(600),
      idToken: lifetime(600),
      interaction: lifetime(1800),
      refreshTokenIdle: lifetime(14 * day),
      refreshTokenAbsolute: lifetime(90 * day),
      session: lifetime(30 * day),
    }),
    {},
  ),
  refreshRetryWindow: z.prefault(z.strictObject({ confidential: retryWindow(10), public: retryWindow(30) }), {}),
  discovery: z.prefault(
    z.strictObject({
      acrValues: z.optional(z.array(nonEmpty).check(z.minLength(1))),
      uiLocales: z.optional(
        z.array(z.string().check(z.regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/))).check(z.minLength(1)),
      ),
      serviceDocumentation: z.optional(publicUrl),
      policyUri: z.optional(publicUrl),
      termsUri: z.optional(publicUrl),
    }),
    {},
  ),
  requirePushedAuthorizationRequests: z.prefault(z.boolean(), false),
  minimumProfile: z.prefault(z.enum(securityProfiles), 'standard'),
  scopeClaims: z.prefault(z.enum(['id_token_and_userinfo', 'userinfo']), 'id_token_and_userinfo'),
  renderErrorPage: z.optional(callable),
  onEvent: z.optional(callable),
  purge: z.prefault(
    z.union([
      z.literal(false),
      z.strictObject({
        every: lifetime(60),
        batch: z.prefault(z.int().check(z.minimum(1), z.maximum(10_000)), 500),
      }),
    ]),
    {},
  ),
  rateLimits: z.optional(
    z.strictObject({
      failedAuthentications: z.optional(rateLimiter),
      startedInteractions: z.optional(rateLimiter),
      startedInteractionsOfClient: z.optional(rateLimiter),
      startedInteractionsInTotal: z.optional(rateLimiter),
      signInAttempts: z.optional(rateLimiter),
      silentCodes: z.optional(rateLimiter),
      pushedRequests: z.optional(rateLimiter),
      pushedRequestsInTotal: z.optional(rateLimiter),
      logouts: z.optional(rateLimiter),
    }),
  ),
  clock: z.optional(callable),
  random: z.optional(callable),
  fetch: z.optional(callable),
})
