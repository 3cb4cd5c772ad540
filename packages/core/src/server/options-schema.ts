import { seconds } from '@mintmark/storage-interface'
import * as z from 'zod/mini'

import { inWords } from '../error/in-words.ts'
import type { AuthorizationServerOptions } from './options.ts'

/** @throws TypeError that names the option and says what to change. */
export function parseOptions(options: AuthorizationServerOptions): ParsedOptions {
  const result = optionsSchema.safeParse(options, inWords)
  if (!result.success) throw new TypeError(`Invalid options:\n${z.prettifyError(result.error)}`)
  return result.data
}

/** The options that are plain data, with every default filled in. */
export type ParsedOptions = z.infer<typeof optionsSchema>

const maxLifetime = 31_536_000
const day = 86_400

const duration = z.int().check(z.positive(), z.maximum(maxLifetime))

const lifetime = (fallback: number) => z.pipe(z.prefault(duration, fallback), z.transform(seconds))

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
const resourceUri = z.string().check(
  z.refine((uri) => URL.canParse(uri) && !uri.includes('#') && !/\s/.test(uri), {
    error: 'must be an absolute URI without fragment',
  }),
)

/** RFC 6749 §4.5: the name of an extension grant is an absolute URI. */
const extensionGrant = z.looseObject({
  grantType: z.string().check(z.refine((name) => URL.canParse(name), { error: 'must be an absolute URI' })),
  decide: callable,
})

/** RFC 6749 §3.3: visible ASCII without space, quote and backslash. */
const scopeName = z.string().check(z.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/))

const nonEmpty = z.string().check(z.minLength(1))

/** Strict: a name that is misspelled, or of another version, would otherwise leave a default in force without a word. */
const optionsSchema = z.strictObject({
  issuer: z.string(),
  storage: z.looseObject({ issuer: z.string() }),
  keys: z.looseObject({ algorithms: z.array(z.string()).check(z.minLength(1)) }),
  signedIn: callable,
  pages: z.optional(z.strictObject({ login: callable, consent: callable })),
  interaction: z.prefault(z.strictObject({ loginUrl: z.optional(pageUrl), consentUrl: z.optional(pageUrl) }), {}),
  scopes: z.prefault(
    z.record(
      scopeName,
      z.union([nonEmpty, z.strictObject({ description: nonEmpty, claims: z.prefault(z.array(nonEmpty), []) })]),
    ),
    {},
  ),
  resources: z.prefault(
    z.record(
      resourceUri,
      z.strictObject({
        scopes: z.array(scopeName),
        accessTokenLifetime: z.optional(z.pipe(duration, z.transform(seconds))),
        accessTokenFormat: z.prefault(z.enum(['jwt', 'opaque']), 'jwt'),
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
  accessTokenAlgorithm: z.optional(z.string()),
  lifetimes: z.prefault(
    z.strictObject({
      authorizationCode: lifetime(60),
      accessToken: lifetime(600),
      idToken: lifetime(600),
      interaction: lifetime(1800),
      refreshTokenIdle: lifetime(14 * day),
      refreshTokenAbsolute: lifetime(90 * day),
    }),
    {},
  ),
  refreshRetryWindow: z.prefault(z.strictObject({ confidential: retryWindow(10), public: retryWindow(30) }), {}),
  dangerouslyAllowMissingPkceFor: z.prefault(z.array(z.string()), []),
  renderErrorPage: z.optional(callable),
  onEvent: z.optional(callable),
  rateLimits: z.optional(
    z.strictObject({ failedAuthentications: z.optional(rateLimiter), startedInteractions: z.optional(rateLimiter) }),
  ),
  clock: z.optional(callable),
  random: z.optional(callable),
  fetch: z.optional(callable),
})
