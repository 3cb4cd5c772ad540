// Over 250 lines: one schema of all options of the authorization server.
import { seconds } from '@mintmark/storage-interface'
import { maxParents } from '@mintmark/storage-interface/stores'
import * as z from 'zod/mini'
import { accessTokenClaimsOption, claimLimitsOption } from './tokens/api-claim-settings.ts'
import { crossAppAccessOption, jwtBearerOption, resourceUri } from './permissions/assertion-options.ts'
import { isHostMethod } from './clients/authenticate.ts'
import { isReservedScheme } from './clients/redirect-uri.ts'
import { securityProfiles } from './clients/security-profile.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { outboundOrigin, pageUrl, publicOrigin, publicUrl } from './option-addresses.ts'
import { inWordsFor } from './schema-messages.ts'

/** @throws TypeError that names the option and says what to change. */
export function parseOptions(options: AuthorizationServerOptions): ParsedOptions {
  for (const [name, value] of Object.entries(options)) refusePromise(name, value)
  const result = optionsSchema.safeParse(options, inWordsFor(optionsSchema, creators))
  if (!result.success)
    throw new TypeError(`createAuthorizationServer: Invalid options:\n${z.prettifyError(result.error)}`)
  return result.data
}

const creators = {
  storage: 'a storage, such as await createSqlStorage(…) or createMemoryStorage(…)',
  keys: 'createStoredKeys({ storage, sealingKey })',
  issuer: 'the https address of the server, such as https://id.example.com',
  signedIn: 'a function, such as that of createCookieSessions({ storage })',
}

/** `createSqlStorage` returns a promise, and hosts that are not type-checked forget to await it. */
function refusePromise(name: string, value: unknown): void {
  if (value instanceof Promise)
    throw new TypeError(`createAuthorizationServer: ${name} is a promise. Write await before the call that creates it.`)
}

/** The options that are plain data, with every default filled in. */
export type ParsedOptions = z.infer<typeof optionsSchema>

const maxLifetime = 31_536_000
const day = 86_400

const inSeconds = () => z.int({ error: 'must be a whole number of seconds, such as 600' })

const duration = inSeconds().check(z.positive(), z.maximum(maxLifetime))

const lifetime = (fallback: number, maximum = maxLifetime) =>
  z.pipe(z.prefault(inSeconds().check(z.positive(), z.maximum(maximum)), fallback), z.transform(seconds))

const retryWindow = (fallback: number) =>
  z.pipe(z.prefault(inSeconds().check(z.minimum(0), z.maximum(60)), fallback), z.transform(seconds))

const callable = z.custom((value) => typeof value === 'function', { error: 'must be a function' })

const rateLimiter = z.looseObject({ consume: callable })

/** RFC 6749 §4.5: the name of an extension grant is an absolute URI. */
const extensionGrant = z.looseObject({
  grantType: z.string().check(z.refine((name) => URL.canParse(name), { error: 'must be an absolute URI' })),
  decide: callable,
})

/** RFC 6749 §2.3.2: a method that the host defines, named by an absolute URI. */
const hostAuthentication = z.looseObject({
  method: z.string().check(z.refine(isHostMethod, { error: 'must be an absolute URI' })),
  read: callable,
})

/** RFC 6749 §3.3: visible ASCII without space, quote and backslash. */
const scopeName = z.string().check(z.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/))

const nonEmpty = z.string().check(z.minLength(1))

/** The compiler refuses this object if it lacks an option, or has a name that is not an option. */
const shape = {
  issuer: z.string(),
  storage: z.looseObject({ issuer: z.string() }),
  keys: z.looseObject({ algorithms: z.array(z.string()).check(z.minLength(1)), deriveSecrets: callable }),
  signedIn: callable,
  pages: z.optional(z.strictObject({ login: callable, consent: callable, selectAccount: z.optional(callable) })),
  logout: z.optional(
    z.strictObject({ endSession: callable, renderPage: callable, frontChannel: z.prefault(z.boolean(), false) }),
  ),
  device: z.optional(
    z.strictObject({ renderPage: callable, location: z.optional(callable), address: z.optional(callable) }),
  ),
  ciba: z.optional(
    z.strictObject({
      findUser: callable,
      askUser: callable,
      verifyUserCode: z.optional(callable),
      location: z.optional(callable),
    }),
  ),
  backChannelLogout: z.optional(
    z.union(
      [z.literal(false), z.strictObject({ waitUntil: z.optional(callable), afterRequests: z.optional(z.boolean()) })],
      { error: 'must be false, or an object with waitUntil (a function) and afterRequests (true or false)' },
    ),
  ),
  interaction: z.prefault(
    z.strictObject({
      loginUrl: z.optional(pageUrl),
      consentUrl: z.optional(pageUrl),
      selectAccountUrl: z.optional(pageUrl),
    }),
    {},
  ),
  scopes: z.prefault(
    z.record(
      scopeName,
      z.union(
        [
          nonEmpty,
          z.strictObject({
            description: nonEmpty,
            claims: z.prefault(z.array(nonEmpty), []),
            idTokenClaims: z.prefault(z.array(nonEmpty), []),
            identityClaims: accessTokenClaimsOption,
            accessTokenClaims: accessTokenClaimsOption,
          }),
        ],
        {
          error:
            'must be a sentence, or an object with description (a sentence), claims and idTokenClaims (lists), identityClaims and accessTokenClaims',
        },
      ),
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
  // `detailTypeRegistry` checks the types.
  authorizationDetails: z.optional(z.record(nonEmpty.check(z.maxLength(256)), z.unknown())),
  grants: z.prefault(
    z.array(extensionGrant).check(
      z.refine((grants) => new Set(grants.map(({ grantType }) => grantType)).size === grants.length, {
        error: 'must have different names',
      }),
    ),
    [],
  ),
  tokenExchange: z.optional(
    z.strictObject({
      rules: z
        .array(
          z.strictObject({
            clients: z.array(nonEmpty).check(z.minLength(1)),
            mode: z.enum(['delegation', 'impersonation']),
            subjects: z.optional(z.array(z.enum(['access_token', 'id_token'])).check(z.minLength(1))),
            audiences: z.array(resourceUri).check(z.minLength(1)),
            scopes: z.optional(z.array(nonEmpty)),
            maxDepth: z.optional(z.int().check(z.minimum(1), z.maximum(maxParents))),
            acceptsBound: z.optional(z.boolean()),
          }),
        )
        .check(z.minLength(1)),
      mayAct: z.optional(z.record(nonEmpty, nonEmpty)),
      decide: z.optional(callable),
    }),
  ),
  jwtBearer: jwtBearerOption,
  crossAppAccess: crossAppAccessOption,
  clientAuthentication: z.prefault(
    z.array(hostAuthentication).check(
      z.refine((methods) => new Set(methods.map(({ method }) => method)).size === methods.length, {
        error: 'must have different names',
      }),
    ),
    [],
  ),
  defaultAudience: z.optional(nonEmpty),
  revocationFeed: z.prefault(z.boolean(), false),
  claims: z.optional(callable),
  users: z.optional(
    z.strictObject({ find: callable, timeout: z.optional(z.number().check(z.positive(), z.maximum(30))) }),
  ),
  accessTokenClaimLimits: claimLimitsOption,
  organizations: z.prefault(z.boolean(), false),
  accessTokenAlgorithm: z.optional(z.string()),
  sessionBoundTokens: z.prefault(z.enum(['without_offline_access', 'all', 'none']), 'without_offline_access'),
  lifetimes: z.prefault(
    z.strictObject({
      authorizationCode: lifetime(60),
      pushedRequest: lifetime(60, 600),
      accessToken: lifetime(600),
      idToken: lifetime(600),
      deviceCode: lifetime(600, 1800),
      backchannelRequest: lifetime(600, 1800),
      interaction: lifetime(1800),
      refreshTokenIdle: lifetime(14 * day),
      refreshTokenAbsolute: lifetime(90 * day),
      session: lifetime(30 * day),
    }),
    {},
  ),
  refreshTokenRotation: z.prefault(z.enum(['always', 'unbound_only']), 'always'),
  refreshRetryWindow: z.prefault(z.strictObject({ confidential: retryWindow(10), public: retryWindow(30) }), {}),
  acrRanks: z.prefault(
    z
      .array(z.string().check(z.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,255}$/)))
      .check(z.refine((ranks) => new Set(ranks).size === ranks.length, { error: 'must be different from each other' })),
    [],
  ),
  discovery: z.prefault(
    z.strictObject({
      acrValues: z.optional(z.array(nonEmpty).check(z.minLength(1))),
      uiLocales: z.optional(
        z.array(z.string().check(z.regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/))).check(z.minLength(1)),
      ),
      serviceDocumentation: z.optional(publicUrl),
      registrationEndpoint: z.optional(publicUrl),
      policyUri: z.optional(publicUrl),
      termsUri: z.optional(publicUrl),
    }),
    {},
  ),
  dpop: z.prefault(z.strictObject({ nonces: z.prefault(z.enum(['required', 'offered', 'off']), 'offered') }), {}),
  mutualTls: z.optional(z.strictObject({ certificate: callable, aliasOrigin: z.optional(publicOrigin) })),
  clientDocuments: z.optional(
    z.strictObject({
      allow: z.union([z.literal('*'), z.array(nonEmpty).check(z.minLength(1)), callable], {
        error: 'must be *, a list of host names and URLs, or a function',
      }),
      scopes: z.prefault(z.array(scopeName), ['openid']),
      redirects: z.prefault(
        z.enum(['same_origin', 'loopback_and_same_origin', 'any_https']),
        'loopback_and_same_origin',
      ),
      staleFor: lifetime(day),
    }),
  ),
  openRegistration: z.optional(
    z.strictObject({
      scopes: z.prefault(z.array(scopeName), ['openid']),
      redirectHosts: z.prefault(
        z.array(
          z.string().check(
            z.refine((entry) => /^[a-z0-9][a-z0-9.+-]*$/.test(entry) && !isReservedScheme(entry), {
              error: 'must be the name of a host, or the scheme of an app without a colon, in lower case',
            }),
          ),
        ),
        [],
      ),
    }),
  ),
  grantManagement: z.prefault(z.boolean(), false),
  requirePushedAuthorizationRequests: z.prefault(z.boolean(), false),
  minimumProfile: z.prefault(z.enum(securityProfiles), 'standard'),
  scopeClaims: z.prefault(z.enum(['id_token_and_userinfo', 'userinfo']), 'id_token_and_userinfo'),
  provisioning: z.optional(z.looseObject({ send: callable })),
  renderErrorPage: z.optional(callable),
  onEvent: z.optional(callable),
  purge: z.prefault(
    z.union(
      [
        z.literal(false),
        z.strictObject({
          every: lifetime(60),
          batch: z.prefault(z.int().check(z.minimum(1), z.maximum(10_000)), 500),
        }),
      ],
      { error: 'must be false, or an object with every (seconds) and batch (1 to 10000)' },
    ),
    {},
  ),
  maxConcurrentRequests: z.prefault(z.int().check(z.minimum(1), z.maximum(100_000)), 256),
  rateLimits: z.optional(
    z.strictObject({
      failedAuthentications: z.optional(rateLimiter),
      startedInteractions: z.optional(rateLimiter),
      interactionsOfNewBrowsers: z.optional(rateLimiter),
      signInAttempts: z.optional(rateLimiter),
      issuedCodes: z.optional(rateLimiter),
      pushedRequests: z.optional(rateLimiter),
      pushedRequestsOfStrangers: z.optional(rateLimiter),
      deviceRequests: z.optional(rateLimiter),
      deviceRequestsInTotal: z.optional(rateLimiter),
      backchannelRequests: z.optional(rateLimiter),
      backchannelRequestsOfUser: z.optional(rateLimiter),
      userCodes: z.optional(rateLimiter),
      userCodesOfAddress: z.optional(rateLimiter),
      userCodesInTotal: z.optional(rateLimiter),
      logouts: z.optional(rateLimiter),
    }),
  ),
  clock: z.optional(callable),
  random: z.optional(callable),
  fetch: z.optional(callable),
  dangerouslyAllowOutbound: z.prefault(z.array(outboundOrigin), []),
} satisfies Record<keyof AuthorizationServerOptions, z.ZodMiniType>

/**
 * Strict, because a misspelled name, or a name from another version, would otherwise leave the default in effect
 * without a warning.
 */
const optionsSchema = z.strictObject(shape)
