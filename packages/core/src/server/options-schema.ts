import { seconds } from '@mintmark/storage-interface'
import * as z from 'zod'

import type { AuthorizationServerOptions } from './options.ts'

/** @throws TypeError that names the option and says what to change. */
export function parseOptions(options: AuthorizationServerOptions): ParsedOptions {
  const result = optionsSchema.safeParse(options)
  if (!result.success) throw new TypeError(`Invalid options:\n${z.prettifyError(result.error)}`)
  return result.data
}

/** The options that are plain data, with every default filled in. */
export type ParsedOptions = z.infer<typeof optionsSchema>

const maxLifetime = 31_536_000
const day = 86_400

const lifetime = (fallback: number) => z.int().positive().max(maxLifetime).default(fallback).transform(seconds)

const retryWindow = (fallback: number) => z.int().min(0).max(60).default(fallback).transform(seconds)

const callable = z.custom((value) => typeof value === 'function', { error: 'must be a function' })

const rateLimiter = z.looseObject({ consume: callable })

const pageUrl = z.string().refine((url) => URL.canParse(url, 'https://issuer.invalid') && /^https?:$/.test(new URL(url, 'https://issuer.invalid').protocol), {
  error: 'must be an address, absolute or relative to the issuer',
})

/** RFC 8707 §2: an absolute URI without fragment. */
const resourceUri = z.string().refine((uri) => URL.canParse(uri) && !uri.includes('#') && !/\s/.test(uri), {
  error: 'must be an absolute URI without fragment',
})

/** RFC 6749 §4.5: the name of an extension grant is an absolute URI. */
const extensionGrant = z.looseObject({
  grantType: z.string().refine((name) => URL.canParse(name), { error: 'must be an absolute URI' }),
  decide: callable,
})

/** RFC 6749 §3.3: visible ASCII without space, quote and backslash. */
const scopeName = z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/)

/** Strict: a name that is misspelled, or of another version, would otherwise leave a default in force without a word. */
const optionsSchema = z.strictObject({
  issuer: z.string(),
  storage: z.looseObject({ issuer: z.string() }),
  keys: z.looseObject({ algorithms: z.array(z.string()).min(1) }),
  signedIn: callable,
  pages: z.strictObject({ login: callable, consent: callable }).optional(),
  interaction: z.strictObject({ loginUrl: pageUrl.optional(), consentUrl: pageUrl.optional() }).default({}),
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
        accessTokenLifetime: z.int().positive().max(maxLifetime).transform(seconds).optional(),
        accessTokenFormat: z.enum(['jwt', 'opaque']).default('jwt'),
      }),
    )
    .default({}),
  grants: z
    .array(extensionGrant)
    .refine((grants) => new Set(grants.map(({ grantType }) => grantType)).size === grants.length, { error: 'must have different names' })
    .default([]),
  defaultAudience: z.string().min(1).optional(),
  revocationFeed: z.boolean().default(false),
  claims: callable.optional(),
  accessTokenAlgorithm: z.string().optional(),
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
  refreshRetryWindow: z.strictObject({ confidential: retryWindow(10), public: retryWindow(30) }).prefault({}),
  dangerouslyAllowMissingPkceFor: z.array(z.string()).default([]),
  renderErrorPage: callable.optional(),
  onEvent: callable.optional(),
  rateLimits: z.strictObject({ failedAuthentications: rateLimiter.optional(), startedInteractions: rateLimiter.optional() }).optional(),
  clock: callable.optional(),
  random: callable.optional(),
  fetch: callable.optional(),
})
