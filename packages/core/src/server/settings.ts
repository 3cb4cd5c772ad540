import { seconds, type DurationSeconds } from '@mintmark/storage-interface'
import { z } from 'zod'

import { standardScopes, type ScopeRegistry } from '../claims/scope-definition.ts'
import type { SigningAlgorithm } from '../key/key-ring.ts'
import type { Resource, ResourceRegistry } from '../resource/resource.ts'
import { parseIssuer } from './issuer.ts'
import type { AuthorizationServerOptions, Lifetimes } from './options.ts'

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
  readonly dangerouslyAllowMissingPkceFor: ReadonlySet<string>
}

/** @throws TypeError that names the option and says what to change. */
export function parseSettings(options: AuthorizationServerOptions): ServerSettings {
  const issuerUrl = parseIssuer(options.issuer)
  const result = optionsSchema.safeParse(options)
  if (!result.success) throw new TypeError(`Invalid options:\n${z.prettifyError(result.error)}`)
  const parsed = result.data
  if (parsed.storage.issuer !== options.issuer) {
    throw new TypeError('The storage is bound to another issuer. Create both with the same issuer.')
  }

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
    lifetimes: durations(parsed.lifetimes),
    retryWindow: durations(parsed.refreshRetryWindow),
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
    throw new TypeError('Invalid options: pages are served at the issuer, so loginUrl and consentUrl must be there too.')
  }
  return { login: login.href, consent: consent.href }
}

function scopeRegistry(own: ParsedOptions['scopes']): ScopeRegistry {
  const definitions = Object.entries(own).map(([name, option]) => {
    const { description, claims } = typeof option === 'string' ? { description: option, claims: [] } : option
    return [name, { description, claims, idTokenClaims: [], isIdentity: claims.length > 0 }] as const
  })
  return new Map([...standardScopes, ...definitions])
}

function resourceRegistry(parsed: ParsedOptions, scopes: ScopeRegistry): ResourceRegistry {
  const resources = Object.entries(parsed.resources).map(([uri, option]): readonly [string, Resource] => {
    const unknown = option.scopes.find((scope) => !scopes.has(scope))
    if (unknown !== undefined) throw new TypeError(`Invalid options: resources: the scope ${unknown} of ${uri} is not among scopes.`)
    const lifetime = option.accessTokenLifetime ?? parsed.lifetimes.accessToken
    return [uri, { uri, scopes: option.scopes, accessTokenLifetime: seconds(lifetime), accessTokenFormat: option.accessTokenFormat }]
  })
  return new Map(resources)
}

function accessTokenAlgorithm(options: AuthorizationServerOptions): SigningAlgorithm {
  const algorithm = options.accessTokenAlgorithm ?? options.keys.algorithms[0]
  if (algorithm === undefined || !options.keys.algorithms.includes(algorithm)) {
    throw new TypeError('Invalid options: the key ring does not sign with accessTokenAlgorithm.')
  }
  return algorithm
}

const durations = <Name extends string>(values: Readonly<Record<Name, number>>): Readonly<Record<Name, DurationSeconds>> =>
  Object.fromEntries(Object.entries<number>(values).map(([name, value]) => [name, seconds(value)])) as Record<Name, DurationSeconds>

const lifetime = (fallback: number) => z.int().positive().max(31_536_000).default(fallback)

/** RFC 8707 §2: an absolute URI without fragment, spelled as URL parsing spells it. */
const resourceUri = z.string().refine((uri) => URL.canParse(uri) && !uri.includes('#') && !/\s/.test(uri), {
  error: 'must be an absolute URI without fragment',
})

/** RFC 6749 §4.5: the name of an extension grant is an absolute URI. */
const extensionGrant = z.looseObject({
  grantType: z.string().refine((name) => URL.canParse(name), { error: 'must be an absolute URI' }),
  decide: z.custom((value) => typeof value === 'function', { error: 'must be a function' }),
})

/** RFC 6749 §3.3: visible ASCII without space, quote and backslash. */
const scopeName = z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/)

const day = 86_400

const optionsSchema = z.object({
  storage: z.looseObject({ issuer: z.string() }),
  keys: z.looseObject({ algorithms: z.array(z.string()).min(1) }),
  signedIn: z.custom((value) => typeof value === 'function', { error: 'must be a function' }),
  interaction: z.strictObject({ loginUrl: z.string().min(1).optional(), consentUrl: z.string().min(1).optional() }).default({}),
  scopes: z
    .record(
      scopeName,
      z.union([
        z.string().min(1),
        z.strictObject({ description: z.string().min(1), claims: z.array(z.string().min(1)).default([]) }),
      ]),
    )
    .default({}),
  resources: z
    .record(
      resourceUri,
      z.strictObject({
        scopes: z.array(scopeName),
        accessTokenLifetime: z.int().positive().optional(),
        accessTokenFormat: z.enum(['jwt', 'opaque']).default('jwt'),
      }),
    )
    .default({}),
  grants: z
    .array(extensionGrant)
    .refine((grants) => new Set(grants.map(({ grantType }) => grantType)).size === grants.length, { error: 'must have different names' })
    .default([]),
  defaultAudience: z.string().min(1).optional(),
  lifetimes: z
    .strictObject({
      authorizationCode: lifetime(60),
      accessToken: lifetime(600),
      idToken: lifetime(600),
      interaction: lifetime(1800),
      refreshTokenIdle: lifetime(14 * day),
      refreshTokenAbsolute: lifetime(90 * day),
    })
    .prefault({}),
  refreshRetryWindow: z
    .strictObject({ confidential: z.int().min(0).max(60).default(10), public: z.int().min(0).max(60).default(30) })
    .prefault({}),
  dangerouslyAllowMissingPkceFor: z.array(z.string()).default([]),
})

type ParsedOptions = z.infer<typeof optionsSchema>
