// Over 250 lines: every rule that options must keep together is in this file, because many rules concern several
// options.
import { refuseUnusableIssuers } from './permissions/assertion-options.ts'
import { refuseUnusedRules } from './permissions/exchange-policy.ts'
import type { AssertionIssuer } from './permissions/assertion-issuers.ts'
import { type DurationSeconds, revocationRetention, seconds } from '@mintmark/storage-interface'
import { isDeliveryStorage, requireStores } from '@mintmark/storage-interface/stores'
import { detailTypeRegistry, type DetailTypes } from './permissions/detail-types.ts'
import type { InteractionUrls } from './authorize/decide.ts'
import { apiClaimSettings } from './tokens/api-claim-settings.ts'
import { apiClaimNames, type ApiClaimSettings } from './tokens/api-claims.ts'
import {
  grantManagementScopeDefinitions,
  organizationScopeDefinition,
  type ScopeRegistry,
  standardScopes,
} from './permissions/scopes.ts'
import type { OpenRegistrationSettings } from './clients/open-registration.ts'
import type { ClientDocumentSettings } from './clients/client-documents.ts'
import { minimumRules, refuseInfeasibleMinimum } from './clients/security-profile.ts'
import { findResourceName, isSameResource, parseServerIssuer } from '@mintmark/internal'
import type { KeyRing, SigningAlgorithm } from './keys/ring.ts'
import type { AuthorizationServerOptions, DiscoveryOptions, Lifetimes } from './options.ts'
import type { AllowedOrigins } from './outbound/client.ts'
import type { PurgeSettings } from './purge.ts'
import type { DpopNoncePolicy } from './sender/prove-possession.ts'
import type { Resource, ResourceRegistry } from './permissions/resources.ts'
import { type ParsedOptions, parseOptions } from './options-schema.ts'

/** The options that are used as the host gives them. */
const unchanged = [
  'acrRanks',
  'crossAppAccess',
  'maxConcurrentRequests',
  'minimumProfile',
  'sessionBoundTokens',
] as const satisfies readonly (keyof ParsedOptions)[]

/** The validated options, with every default filled in. */
export interface ServerSettings extends Readonly<Pick<ParsedOptions, (typeof unchanged)[number]>> {
  readonly issuer: string
  readonly issuerUrl: URL
  readonly interactionUrls: InteractionUrls
  readonly scopes: ScopeRegistry
  readonly identityScopes: ReadonlySet<string>
  readonly detailTypes: DetailTypes
  readonly resources: ResourceRegistry
  readonly defaultAudience: string
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly lifetimes: Readonly<Record<keyof Lifetimes, DurationSeconds>>
  /** Which refresh tokens rotate. */
  readonly rotation: 'always' | 'unbound_only'
  readonly retryWindow: { readonly confidential: DurationSeconds; readonly public: DurationSeconds }
  readonly requirePushedRequests: boolean
  /** Whether clients may query and revoke the grants of their users. */
  readonly managesGrants: boolean
  readonly dpopNonces: DpopNoncePolicy
  /** How long a session is remembered after a client joined it. */
  readonly sessionRetention: DurationSeconds
  readonly apiClaims: ApiClaimSettings
  readonly discovery: DiscoveryOptions
  /** Origins that may be requested although they are not public. */
  readonly allowedOrigins: AllowedOrigins
  /** `undefined` when only registered clients are accepted. */
  readonly clientDocuments: ClientDocumentSettings | undefined
  /** `undefined` when clients need a permission to register. */
  readonly openRegistration: OpenRegistrationSettings | undefined
  /** The issuers, apart from directories, whose assertions about users are accepted. */
  readonly assertionIssuers: readonly AssertionIssuer[]
  /** Whether clients get logout tokens. */
  readonly backChannelLogout: boolean
  /** `undefined` when the host deletes expired rows itself. */
  readonly purge: PurgeSettings | undefined
  /** How long the revocation feed keeps an entry; `undefined` without the feed. */
  readonly feedRetention: DurationSeconds | undefined
}

/** @throws TypeError that names the option and says what to change. */
export function parseSettings(options: AuthorizationServerOptions): ServerSettings {
  const parsed = parseOptions(options)
  const issuerUrl = parseServerIssuer(options)
  requireStores(options.storage, { capability: 'oauth', feature: 'createAuthorizationServer' })

  refuseShortRetirement(parsed, options.keys)
  refuseInfeasibleMinimum(parsed, { keys: options.keys, lifetimes: parsed.lifetimes })
  const interactionUrls = pageUrls(parsed.interaction, issuerUrl, options)
  if (parsed.device !== undefined) requireStores(options.storage, { capability: 'decoupled', feature: 'device' })
  if (parsed.ciba !== undefined) requireStores(options.storage, { capability: 'decoupled', feature: 'ciba' })
  if (parsed.organizations) requireStores(options.storage, { capability: 'organizations', feature: 'organizations' })
  if (parsed.crossAppAccess.accepts) requireStores(options.storage, { capability: 'scim', feature: 'crossAppAccess' })
  const scopes = scopeRegistry(parsed)
  refuseUnknownTargets(parsed, scopes)
  refuseUnusedRules(options.tokenExchange?.rules ?? [])
  refuseUnusableIssuers(parsed.jwtBearer, options.issuer)
  return {
    ...pickUnchanged(parsed),
    issuer: options.issuer,
    issuerUrl,
    interactionUrls,
    scopes,
    identityScopes: new Set([...scopes].flatMap(([name, scope]) => (scope.isIdentity ? [name] : []))),
    detailTypes: detailTypeRegistry(options.authorizationDetails),
    resources: resourceRegistry(parsed, { scopes, issuer: options.issuer }),
    defaultAudience: parsed.defaultAudience ?? options.issuer,
    accessTokenAlgorithm: accessTokenAlgorithm(options),
    lifetimes: { ...parsed.lifetimes, refreshTokenIdle: refreshTokenIdle(parsed) },
    rotation: parsed.refreshTokenRotation,
    retryWindow: parsed.refreshRetryWindow,
    purge: parsed.purge === false ? undefined : parsed.purge,
    requirePushedRequests: parsed.requirePushedAuthorizationRequests || minimumRules(parsed).requiresPushedRequests,
    managesGrants: parsed.grantManagement,
    dpopNonces: parsed.dpop.nonces,
    sessionRetention: sessionRetention(parsed),
    apiClaims: apiClaimSettings(parsed, options.storage),
    assertionIssuers: options.jwtBearer?.issuers ?? [],
    discovery: {
      ...(parsed.acrRanks.length > 0 && { acrValues: parsed.acrRanks }),
      ...(parsed.openRegistration !== undefined && { registrationEndpoint: `${options.issuer}/register` }),
      ...parsed.discovery,
    },
    allowedOrigins: parsed.dangerouslyAllowOutbound,
    clientDocuments: clientDocuments(options, parsed, scopes),
    openRegistration: openRegistration(parsed, scopes),
    backChannelLogout: backChannelLogout(options),
    feedRetention: feedRetention(parsed),
  }
}

const pickUnchanged = (parsed: ParsedOptions) =>
  Object.fromEntries(unchanged.map((name) => [name, parsed[name]])) as Pick<ParsedOptions, (typeof unchanged)[number]>

/** @throws TypeError when a rule for exchanges or a trusted issuer names an API or a scope value that does not exist. */
function refuseUnknownTargets({ tokenExchange, jwtBearer, resources }: ParsedOptions, scopes: ScopeRegistry): void {
  const rules = { tokenExchange: tokenExchange?.rules ?? [], jwtBearer: jwtBearer?.issuers ?? [] }
  for (const [option, each] of Object.entries(rules)) {
    for (const rule of each) {
      const unknown =
        rule.audiences.find((uri) => !(uri in resources)) ?? rule.scopes?.find((scope) => !scopes.has(scope))
      if (unknown !== undefined)
        throw new TypeError(`Invalid options: ${option}: ${unknown} is neither among resources nor among scopes.`)
    }
  }
}

function clientDocuments(
  { clientDocuments: option }: AuthorizationServerOptions,
  { clientDocuments: parsed }: ParsedOptions,
  scopes: ScopeRegistry,
): ClientDocumentSettings | undefined {
  if (option === undefined || parsed === undefined) return undefined
  const unknown = parsed.scopes.find((scope) => !scopes.has(scope))
  if (unknown !== undefined)
    throw new TypeError(
      `createAuthorizationServer: Invalid options: clientDocuments.scopes: ${unknown} is not among scopes. Define it there.`,
    )
  return { ...parsed, allow: option.allow }
}

function openRegistration(
  { openRegistration: parsed }: ParsedOptions,
  scopes: ScopeRegistry,
): OpenRegistrationSettings | undefined {
  const unknown = parsed?.scopes.find((scope) => !scopes.has(scope))
  if (unknown !== undefined)
    throw new TypeError(
      `createAuthorizationServer: Invalid options: openRegistration.scopes: ${unknown} is not among scopes. Define it there.`,
    )
  return parsed
}

function pageUrls(
  interaction: ParsedOptions['interaction'],
  issuerUrl: URL,
  options: AuthorizationServerOptions,
): ServerSettings['interactionUrls'] {
  const login = new URL(interaction.loginUrl ?? `${options.issuer}/login`, issuerUrl)
  const consent = new URL(interaction.consentUrl ?? `${options.issuer}/consent`, issuerUrl)
  const select = selectAccountUrl(interaction, issuerUrl, options)
  const urls = { login: login.href, consent: consent.href, select_account: select?.href }
  if (options.pages === undefined) return urls
  const served = [login, consent, ...(select === undefined ? [] : [select])]
  if (served.some(({ origin }) => origin !== issuerUrl.origin)) {
    throw new TypeError(
      'createAuthorizationServer: Invalid options: pages are served at the issuer, so loginUrl, consentUrl and selectAccountUrl must have the origin of the issuer.',
    )
  }
  if (new Set(served.map(({ pathname }) => pathname)).size < served.length) {
    throw new TypeError(
      'createAuthorizationServer: Invalid options: loginUrl, consentUrl and selectAccountUrl must differ, because the server tells the pages apart by their addresses.',
    )
  }
  return urls
}

function selectAccountUrl(
  { selectAccountUrl: configured }: ParsedOptions['interaction'],
  issuerUrl: URL,
  { issuer, pages }: AuthorizationServerOptions,
): URL | undefined {
  if (pages !== undefined && pages.selectAccount === undefined && configured !== undefined)
    throw new TypeError(
      'createAuthorizationServer: Invalid options: interaction.selectAccountUrl needs pages.selectAccount.',
    )
  if (pages?.selectAccount === undefined && configured === undefined) return undefined
  return new URL(configured ?? `${issuer}/select-account`, issuerUrl)
}

function scopeRegistry({ scopes: hostScopes, scopeClaims: claimsIn, ...uses }: ParsedOptions): ScopeRegistry {
  const standard = new Map([
    ...standardScopes,
    ...(uses.organizations ? [organizationScopeDefinition] : []),
    ...(uses.grantManagement ? grantManagementScopeDefinitions : []),
  ])
  const definitions = Object.entries(hostScopes).map(([name, option]) => {
    // OIDC Core §5.4: the standard defines which claims these scopes release, so the host cannot redefine them.
    if (standard.has(name))
      throw new TypeError(
        `createAuthorizationServer: Invalid options: scopes: ${name} is defined by a standard. Choose another name.`,
      )
    const { description, ...released } =
      typeof option === 'string' ? { description: option, claims: [], idTokenClaims: [] } : option
    const identity = namesIn('identityClaims' in released ? released.identityClaims : undefined)
    const claims: readonly string[] = [...released.claims, ...identity]
    const idTokenClaims: readonly string[] = [...released.idTokenClaims, ...identity]
    if (claimsIn === 'userinfo' && idTokenClaims.length > 0) {
      throw new TypeError(
        `createAuthorizationServer: Invalid options: scopes: ${name} has idTokenClaims or identityClaims, but scopeClaims is "userinfo", which keeps claims out of ID tokens. Remove one of them.`,
      )
    }
    return [name, { description, claims, idTokenClaims, isIdentity: claims.length + idTokenClaims.length > 0 }] as const
  })
  const registry = [...standard, ...definitions]
  return claimsIn === 'userinfo'
    ? new Map(registry.map(([name, scope]) => [name, { ...scope, idTokenClaims: [] }]))
    : new Map(registry)
}

const namesIn = (sources: Readonly<Record<string, unknown>> | undefined): readonly string[] =>
  apiClaimNames.filter((name) => sources?.[name] !== undefined)

function resourceRegistry(
  parsed: ParsedOptions,
  { scopes, issuer }: { readonly scopes: ScopeRegistry; readonly issuer: string },
): ResourceRegistry {
  refuseImpliedAudience(parsed, issuer)
  const resources = Object.entries(parsed.resources).map(([uri, option]): readonly [string, Resource] => {
    const { accessTokenClaims: _, ...shown } = option
    const unknown = option.scopes.find((scope) => !scopes.has(scope))
    if (unknown !== undefined)
      throw new TypeError(
        `createAuthorizationServer: Invalid options: resources: the scope ${unknown} of ${uri} is not among scopes. Define it there.`,
      )
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
  return new Map(parsed.grantManagement ? withGrantManagement(resources, { issuer, parsed }) : resources)
}

/**
 * Refuses an API whose identifier is the audience of tokens that clients get without naming an API: those tokens need
 * neither registration for the API nor consent (RFC 8707 §3).
 */
function refuseImpliedAudience({ resources, defaultAudience }: ParsedOptions, issuer: string): void {
  const names = Object.keys(resources)
  if (findResourceName(issuer, names) !== undefined)
    throw new TypeError(
      'createAuthorizationServer: Invalid options: resources: every token with openid is for the issuer, even without consent to an API. Give the API another identifier.',
    )
  const twin = names.find((name) => names.some((other) => other !== name && isSameResource(other, name)))
  if (twin !== undefined)
    throw new TypeError(
      `createAuthorizationServer: Invalid options: resources: ${twin} is there twice: a slash as the whole path, the default port and the case of the host do not matter.`,
    )
  if (defaultAudience !== undefined && findResourceName(defaultAudience, names) !== undefined)
    throw new TypeError(
      `createAuthorizationServer: Invalid options: defaultAudience: ${defaultAudience} is among resources, and tokens for the default audience need no consent to an API. Leave defaultAudience out: clients that name no API get tokens for the API that defines their scope values.`,
    )
}

/** Adds grant management: it is an API of this server, so the audience of its tokens is the issuer (RFC 8707 §2). */
function withGrantManagement(
  resources: readonly (readonly [string, Resource])[],
  { issuer, parsed }: { readonly issuer: string; readonly parsed: ParsedOptions },
): readonly (readonly [string, Resource])[] {
  const scopes = grantManagementScopeDefinitions.map(([name]) => name)
  const accessTokenLifetime = parsed.lifetimes.accessToken
  return [...resources, [issuer, { uri: issuer, name: issuer, scopes, accessTokenLifetime, accessTokenFormat: 'jwt' }]]
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
      `createAuthorizationServer: Invalid options: with revocationFeed no access token may live for longer than ${revocationRetention - feedMargin} seconds.`,
    )
  }
  return retention
}

/**
 * Tokens are treated as revoked when their session is missing, so a session is kept as long as the tokens bound to it.
 */
function sessionRetention(parsed: ParsedOptions): DurationSeconds {
  const { session, authorizationCode, refreshTokenAbsolute } = parsed.lifetimes
  const refresh = parsed.sessionBoundTokens === 'all' ? refreshTokenAbsolute : 0
  return seconds(Math.max(session, authorizationCode + Math.max(longestAccessTokenLifetime(parsed), refresh)))
}

/**
 * Stores purge a token family a day after its refresh token has expired. Until then, the access tokens that were issued
 * with it must have expired too.
 */
const refreshTokenIdle = (parsed: ParsedOptions): DurationSeconds =>
  seconds(Math.max(parsed.lifetimes.refreshTokenIdle, longestAccessTokenLifetime(parsed) - 86_400))

/**
 * Refuses keys that would not be published for as long as the tokens that they signed are valid (OIDC Core §10.1.1).
 */
function refuseShortRetirement(parsed: ParsedOptions, { retirement }: KeyRing): void {
  const longest = Math.max(parsed.lifetimes.idToken, longestAccessTokenLifetime(parsed))
  if (retirement !== undefined && retirement < longest) {
    throw new TypeError(
      `createAuthorizationServer: Invalid options: keys stay published for ${retirement} seconds after their last signature, but tokens live for ${longest} seconds. Raise schedule.retire.`,
    )
  }
}

const longestAccessTokenLifetime = ({ lifetimes, resources }: ParsedOptions): number =>
  Math.max(lifetimes.accessToken, ...Object.values(resources).map(({ accessTokenLifetime = 0 }) => accessTokenLifetime))

function accessTokenAlgorithm(options: AuthorizationServerOptions): SigningAlgorithm {
  const algorithm = options.accessTokenAlgorithm ?? options.keys.algorithms[0]
  if (!options.keys.algorithms.includes(algorithm)) {
    throw new TypeError(
      'createAuthorizationServer: Invalid options: the key ring does not sign with accessTokenAlgorithm.',
    )
  }
  return algorithm
}

/** In seconds, because clocks differ. */
const feedMargin = 300
