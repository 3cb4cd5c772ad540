import {
  aBoolean,
  aFunction,
  aNumber,
  anObject,
  anObjectWith,
  aNonEmptyString,
  aStringMatching,
  certificateHeaders,
  checkOptions,
  listOf,
  oneOf,
  type OptionCheck,
  type OptionChecks,
  optionsOf,
  required,
} from '@mintmark/internal'

import { scopeToken } from './bearer-token.ts'
import type { CertificateCredentials, ClientCredentials, KeyCredentials, SecretCredentials } from './credentials.ts'
import type { CertificateSource, ProofReplays } from './possession.ts'
import type { AccessRefusedError } from './refusals.ts'
import { acrValue } from './required-authentication.ts'
import type { Clock, Random } from './runtime.ts'
import type { ServerEndpoints } from './server-metadata.ts'

/** The options of `createResourceServer`. Two are required. */
export interface ResourceServerOptions {
  /** The authorization server's issuer identifier: its public address, without a slash at the end (RFC 8414 §2). */
  readonly issuer: string
  /** This API's identifier, which tokens for it have in `aud`: an absolute URI (RFC 8707 §2). */
  readonly audience: string

  /**
   * This API's own client at the authorization server, registered with `servedAudiences`, and its secret, its private key
   * or its certificate. Introspection and the revocation feed need it.
   * @defaultValue None. They are not needed to verify signatures.
   */
  readonly credentials?: ClientCredentials
  /**
   * Introspects tokens at the authorization server (RFC 7662): opaque tokens, and valid JWTs that the revocation feed
   * does not cover. Without the feed, every token is introspected.
   * @defaultValue Not used. A signature is enough until the token expires.
   */
  readonly introspection?: {
    /**
     * For how many seconds a response is used, at most 60.
     * @defaultValue 5. A page that sends ten requests causes one introspection, and a revoked token is soon refused.
     */
    readonly cacheFor?: number
  }
  /**
   * Reads the revocation feed: revoked tokens are refused within a second, without a request for each token. Without
   * the feed and without introspection, a token is accepted until it expires.
   * @defaultValue Not used. It needs `credentials`, and a server that has a feed.
   */
  readonly revocationFeed?: {
    /**
     * `on_demand`, for every runtime, polls when requests arrive, at most every 0.8 seconds. `follow`, for long-running
     * processes, always keeps one request to the feed open, so that no request waits. Stop it with `stop()`.
     * @defaultValue `on_demand`. It runs everywhere, and nothing has to be stopped.
     */
    readonly mode?: 'on_demand' | 'follow'
    /**
     * For how many seconds the last known state is used while the authorization server cannot be reached: 1 to 300.
     * @defaultValue 10. A restart of the server has no effect; during a longer outage, access is refused.
     */
    readonly toleratedSilence?: number
  }
  /**
   * Addresses of the authorization server that differ from its metadata, such as internal ones.
   * @defaultValue The addresses in its metadata (RFC 8414 §2). While the metadata cannot be read, the last known
   *   addresses are used, or Mintmark's default paths.
   */
  readonly endpoints?: Partial<ServerEndpoints>

  /**
   * The scope values of this API, for the metadata (RFC 9728 §2).
   * @defaultValue Left out. Clients must then know the scope values.
   */
  readonly scopes?: readonly string[]
  /**
   * A human-readable name, for the metadata.
   * @defaultValue Left out. Programs do not need it.
   */
  readonly name?: string
  /**
   * The URL of a page for developers, for the metadata.
   * @defaultValue Left out. Programs do not need it.
   */
  readonly documentation?: string

  /**
   * Accepts access tokens that are bound to a key of the client, with a DPoP proof (RFC 9449 §7).
   * @defaultValue Not used. Bound tokens are refused: only the host knows the public address that proofs contain.
   */
  readonly dpop?: {
    /** Scheme, host and port at which clients reach this API, even behind a proxy: `https://api.example.com`. */
    readonly origin: string
    /**
     * Whether bearer tokens are refused.
     * @defaultValue `false`. Clients can then switch to DPoP one by one.
     */
    readonly required?: boolean
    /**
     * Records the proofs that were used, so that each is accepted only once.
     * @defaultValue The memory of this process. Each of several processes then accepts a proof once, within a minute.
     */
    readonly replays?: ProofReplays
  }

  /**
   * Accepts access tokens that are bound to the certificate of the client (RFC 8705 §3), as bearer tokens.
   * @defaultValue Not used. Bound tokens are refused: only the host knows where certificates come from.
   */
  readonly mutualTls?: {
    /**
     * `tls_socket`: the connection of `protectExpress`, if Node terminates TLS with `requestCert: true`. Otherwise, the
     * header of the proxy that terminates TLS.
     */
    readonly certificate: CertificateSource
  }

  /**
   * By how many seconds the clocks may differ, at most 60.
   * @defaultValue 10. Synchronized clocks differ by less; a higher value would accept expired tokens for longer.
   */
  readonly clockSkew?: number
  /**
   * The authentication context classes (`acr`) of the authorization server, weakest first. `requireAuthentication` also
   * accepts one that is ranked above the required one. Use the list of the server's option `acrRanks`.
   * @defaultValue None. Only the required values themselves are accepted.
   */
  readonly acrRanks?: readonly string[]
  /**
   * Receives every refusal, with the reason that is not sent to the client. Errors that it throws are ignored.
   * @defaultValue The first refusal of a token goes to the console. A wrong audience would otherwise be a 401 without a
   * trace.
   */
  readonly onRefusal?: (refusal: AccessRefusedError) => void
  readonly clock?: Clock
  readonly random?: Random
  /**
   * Makes the requests to the authorization server.
   * @defaultValue The runtime's own. Pass another function for an outbound proxy.
   */
  readonly fetch?: typeof globalThis.fetch
}

/** @throws TypeError that names the option and says what to change. */
export function checkResourceServerOptions(options: ResourceServerOptions): void {
  checkOptions('createResourceServer', options, optionChecks)
  const { issuer, credentials, introspection, revocationFeed } = options
  checkIssuer(issuer)
  if ((introspection ?? revocationFeed) !== undefined && credentials === undefined) {
    throw new TypeError(
      'createResourceServer: introspection and revocationFeed need the credentials of a client that is registered with servedAudiences.',
    )
  }
}

/**
 * Checks that the issuer is https without query and fragment, or http on loopback (RFC 8414 §2), in canonical form,
 * because tokens are compared with it byte for byte.
 */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isLoopback = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback)) {
    throw new TypeError(
      'createResourceServer: issuer must be an https address, the same as the issuer of the authorization server.',
    )
  }
  const canonical = url.origin + url.pathname.replace(/\/+$/, '')
  if (issuer !== canonical) throw new TypeError(`createResourceServer: write the issuer as ${canonical}`)
}

const aUrl: OptionCheck = (value) =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    ? undefined
    : 'must be an absolute URL'

/** RFC 8707 §2. */
const anAudience: OptionCheck = (value) =>
  typeof value === 'string' && URL.canParse(value) && !/[#\s"]/.test(value)
    ? undefined
    : 'must be an absolute URI without fragment, such as https://api.example.com'

/** An origin and nothing else: proofs would never match any other address. */
const anOrigin: OptionCheck = (value) =>
  aUrl(value) === undefined && new URL(String(value)).origin === value
    ? undefined
    : 'must consist of scheme, host and port: https://api.example.com'

/** RFC 9440 §4: without trust, senders can present the certificate of any client. */
const aCertificateSource: OptionCheck = (value) =>
  value === 'tls_socket'
    ? undefined
    : optionsOf<Exclude<CertificateSource, string>>({
        format: required(oneOf(...Object.keys(certificateHeaders))),
        trust: required(oneOf('this_proxy_sets_and_strips_it')),
        header: aStringMatching(/^[a-z0-9-]+$/i, 'must be the name of a header'),
      })(value)

/** A secret, a private key or a certificate. Members of two of them are refused, because only one would be used. */
const clientCredentials: OptionCheck = (value) => {
  const has = (member: string): boolean => typeof value === 'object' && value !== null && member in value
  if (has('privateKey')) return keyCredentials(value)
  return has('certificate') ? certificateCredentials(value) : secretCredentials(value)
}

const secretCredentials = optionsOf<SecretCredentials>({
  clientId: required(aNonEmptyString),
  clientSecret: required(aNonEmptyString),
})

const keyCredentials = optionsOf<KeyCredentials>({
  clientId: required(aNonEmptyString),
  privateKey: required(anObject),
  algorithm: required(oneOf('PS256', 'RS256', 'ES256', 'EdDSA', 'Ed25519')),
  keyId: aNonEmptyString,
})

const certificateCredentials = optionsOf<CertificateCredentials>({
  clientId: required(aNonEmptyString),
  certificate: required(oneOf('sent_by_fetch')),
})

const optionChecks: OptionChecks<ResourceServerOptions> = {
  issuer: required(aNonEmptyString),
  audience: required(anAudience),
  credentials: clientCredentials,
  introspection: optionsOf<NonNullable<ResourceServerOptions['introspection']>>({ cacheFor: aNumber(0, 60) }),
  revocationFeed: optionsOf<NonNullable<ResourceServerOptions['revocationFeed']>>({
    mode: oneOf('on_demand', 'follow'),
    toleratedSilence: aNumber(1, 300),
  }),
  // Plain http is allowed, because internal addresses often have no TLS. The feed is signed; the host decides whether
  // to send its secret, and to trust keys, over such a network.
  endpoints: optionsOf<Partial<ServerEndpoints>>({ jwks: aUrl, introspection: aUrl, revocationFeed: aUrl }),
  scopes: listOf(aStringMatching(scopeToken, 'must be a scope value')),
  name: aNonEmptyString,
  documentation: aUrl,
  dpop: optionsOf<NonNullable<ResourceServerOptions['dpop']>>({
    origin: required(anOrigin),
    required: aBoolean,
    replays: anObjectWith('markUsed'),
  }),
  mutualTls: optionsOf<NonNullable<ResourceServerOptions['mutualTls']>>({ certificate: required(aCertificateSource) }),
  clockSkew: aNumber(0, 60),
  acrRanks: listOf(aStringMatching(acrValue, 'must be an acr without spaces, quotes and backslashes')),
  onRefusal: aFunction,
  clock: aFunction,
  random: aFunction,
  fetch: aFunction,
}
