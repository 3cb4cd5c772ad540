import { seconds, type DurationSeconds, type Storage } from '@mintmark/storage-interface'
import { z } from 'zod'

import type { ErrorPageContent } from '../error/render-error-page.ts'
import type { ServerRequest, ServerResponse } from '../http/index.ts'
import type { KeyRing, SigningAlgorithm } from '../key/key-ring.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Random } from '../runtime/random.ts'
import type { SignedIn } from '../session/signed-in.ts'
import { parseIssuer } from './issuer.ts'

/** What a host gives to `createAuthorizationServer`. Four members are required. */
export interface AuthorizationServerOptions {
  /** The server's public address (RFC 8414 §2): https, or http on loopback. It may have a path. */
  readonly issuer: string
  readonly storage: Storage
  readonly keys: KeyRing
  /** Who the host's own session says is there. It is asked at the authorization endpoint. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>

  /** The host's pages, absolute or relative to the issuer's address. Default `/login` and `/consent` below the issuer. */
  readonly interaction?: { readonly loginUrl?: string; readonly consentUrl?: string }
  /** The API's scope values, each with a sentence for the consent page. `openid`, `profile` and `email` are built in. */
  readonly scopes?: Readonly<Record<string, string>>
  /** The `aud` of access tokens when the request names no resource. Default: the issuer. */
  readonly defaultAudience?: string
  /** The algorithm that signs access tokens. Default: the first of the key ring's. */
  readonly accessTokenAlgorithm?: SigningAlgorithm
  /** In seconds. Defaults: code 60, access token 600, ID token 600, interaction 1800. */
  readonly lifetimes?: Partial<Record<LifetimeName, number>>
  /** Confidential clients, by `client_id`, that may do without PKCE (RFC 9700 §2.1.1 advises against it). */
  readonly dangerouslyAllowMissingPkceFor?: readonly string[]
  /** Renders the page that a person sees when a request cannot go back to its client. */
  readonly renderErrorPage?: (error: ErrorPageContent) => ServerResponse
  readonly clock?: Clock
  readonly random?: Random
}

type LifetimeName = 'authorizationCode' | 'accessToken' | 'idToken' | 'interaction'

/** The options, checked, with every default filled in. */
export interface ServerSettings {
  readonly issuer: string
  readonly issuerUrl: URL
  readonly interactionUrls: { readonly login: string; readonly consent: string }
  readonly scopeDescriptions: ReadonlyMap<string, string>
  readonly defaultAudience: string
  readonly accessTokenAlgorithm: SigningAlgorithm
  readonly lifetimes: Readonly<Record<LifetimeName, DurationSeconds>>
  readonly dangerouslyAllowMissingPkceFor: ReadonlySet<string>
}

/** @throws TypeError that names the option and says what to change. */
export function parseOptions(options: AuthorizationServerOptions): ServerSettings {
  const issuerUrl = parseIssuer(options.issuer)
  const parsed = optionsSchema.safeParse(options)
  if (!parsed.success) throw new TypeError(`Invalid options: ${z.prettifyError(parsed.error)}`)
  if (options.storage.issuer !== options.issuer) {
    throw new TypeError('The storage is bound to another issuer. Create both with the same issuer.')
  }

  const { interaction, scopes, lifetimes, dangerouslyAllowMissingPkceFor } = parsed.data
  const algorithm = options.accessTokenAlgorithm ?? options.keys.algorithms[0]
  if (algorithm === undefined || !options.keys.algorithms.includes(algorithm)) {
    throw new TypeError('The key ring does not sign with accessTokenAlgorithm.')
  }
  return {
    issuer: options.issuer,
    issuerUrl,
    interactionUrls: {
      login: new URL(interaction.loginUrl ?? `${options.issuer}/login`, issuerUrl).href,
      consent: new URL(interaction.consentUrl ?? `${options.issuer}/consent`, issuerUrl).href,
    },
    scopeDescriptions: new Map([...builtInScopes, ...Object.entries(scopes)]),
    defaultAudience: parsed.data.defaultAudience ?? options.issuer,
    accessTokenAlgorithm: algorithm,
    lifetimes: {
      authorizationCode: seconds(lifetimes.authorizationCode),
      accessToken: seconds(lifetimes.accessToken),
      idToken: seconds(lifetimes.idToken),
      interaction: seconds(lifetimes.interaction),
    },
    dangerouslyAllowMissingPkceFor: new Set(dangerouslyAllowMissingPkceFor),
  }
}

const builtInScopes: readonly (readonly [string, string])[] = [
  ['openid', 'Know who you are'],
  ['profile', 'See your name'],
  ['email', 'See your e-mail address'],
]

const lifetime = (fallback: number) => z.int().positive().max(31_536_000).default(fallback)

const optionsSchema = z.object({
  interaction: z.strictObject({ loginUrl: z.string().min(1).optional(), consentUrl: z.string().min(1).optional() }).default({}),
  // RFC 6749 §3.3: a scope value is visible ASCII without space, quote and backslash.
  scopes: z.record(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/), z.string().min(1)).default({}),
  defaultAudience: z.string().min(1).optional(),
  lifetimes: z
    .strictObject({
      authorizationCode: lifetime(60),
      accessToken: lifetime(600),
      idToken: lifetime(600),
      interaction: lifetime(1800),
    })
    .prefault({}),
  dangerouslyAllowMissingPkceFor: z.array(z.string()).default([]),
  storage: z.looseObject({ issuer: z.string() }),
  keys: z.looseObject({ algorithms: z.array(z.string()).min(1) }),
  signedIn: z.function(),
})
