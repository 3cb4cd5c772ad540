import { certificateHeaders } from '@mintmark/internal'

import type { ClientCredentials } from './http-client.ts'
import type { CertificateSource, ProofReplays } from './possession.ts'
import type { AccessRefusedError } from './refusals.ts'
import type { Clock, Random } from './runtime.ts'
import type { ServerEndpoints } from './server-metadata.ts'

/** The options of `createResourceServer`. Two are required. */
export interface ResourceServerOptions {
  /** The authorization server's issuer identifier: its public address, without a slash at the end (RFC 8414 §2). */
  readonly issuer: string
  /** This API's identifier, as tokens have it in `aud`: an absolute URI (RFC 8707 §2). */
  readonly audience: string

  /**
   * This API's own client at the authorization server, registered with `servedAudiences`. Introspection and the revocation
   * feed need it.
   * @defaultValue None. Verifying signatures needs none.
   */
  readonly credentials?: ClientCredentials
  /**
   * Asks the authorization server about tokens (RFC 7662): without the feed about every token that verifies here, with it
   * about opaque ones and those that the feed does not cover.
   * @defaultValue Not used. A signature is enough until the token expires.
   */
  readonly introspection?: {
    /**
     * For how many seconds a response is used, at most 60.
     * @defaultValue 5. A page that makes ten requests asks once, and a revoked token is refused soon.
     */
    readonly cacheFor?: number
  }
  /**
   * Learns of revocations within a second, without a request for each token. Without it and without introspection a token
   * is accepted until it expires.
   * @defaultValue Not used. It needs `credentials`, and a server that has a feed.
   */
  readonly revocationFeed?: {
    /**
     * `on_demand` polls at most every 0.8 seconds, when requests come: for every runtime. `follow` keeps one request open
     * all the time, so that no request waits: for long-running processes. Stop it with `stop()`.
     * @defaultValue `on_demand`. It runs everywhere, and nothing has to be stopped.
     */
    readonly mode?: 'on_demand' | 'follow'
    /**
     * For how many seconds the last state is used while the authorization server cannot be reached, 1 to 300.
     * @defaultValue 10. A restart of the server goes unnoticed; during a longer outage access is refused.
     */
    readonly toleratedSilence?: number
  }
  /**
   * Addresses of the authorization server that differ from its metadata, such as internal ones.
   * @defaultValue Those of its metadata (RFC 8414 §2). While it cannot be read, the last known ones are used, or Mintmark's own paths.
   */
  readonly endpoints?: Partial<ServerEndpoints>

  /**
   * The scope values of this API, for the metadata (RFC 9728 §2).
   * @defaultValue Left out. Clients then have to know.
   */
  readonly scopes?: readonly string[]
  /**
   * A name for people, for the metadata.
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
    /** Scheme, host and port at which clients reach this API, also behind a proxy: `https://api.example.com`. */
    readonly origin: string
    /**
     * Whether bearer tokens are refused.
     * @defaultValue `false`. Clients change to DPoP one by one.
     */
    readonly required?: boolean
    /**
     * Remembers proofs that were used.
     * @defaultValue The memory of this process. Several processes then accept a proof once each, within a minute.
     */
    readonly replays?: ProofReplays
  }

  /**
   * Accepts access tokens that are bound to the certificate of the client (RFC 8705 §3), as bearer tokens.
   * @defaultValue Not used. Bound tokens are refused: only the host knows where certificates come from.
   */
  readonly mutualTls?: {
    /**
     * `tls_socket`: the connection of `protectExpress`, if Node terminates TLS with `requestCert: true`. Otherwise the header
     * of the proxy that does.
     */
    readonly certificate: CertificateSource
  }

  /**
   * By how many seconds the clocks may differ, at most 60.
   * @defaultValue 10. Synchronized clocks are closer; more would accept expired tokens for longer.
   */
  readonly clockSkew?: number
  /**
   * Receives every refusal, with the reason that is not sent to the client. Errors that it throws are ignored.
   * @defaultValue None. What an API logs is its own decision.
   */
  readonly onRefusal?: (refusal: AccessRefusedError) => void
  readonly clock?: Clock
  readonly random?: Random
  /**
   * Makes the requests to the authorization server.
   * @defaultValue The runtime's own. Give another one for an outbound proxy.
   */
  readonly fetch?: typeof globalThis.fetch
}

/** @throws TypeError that names the option and says what to change. */
export function checkOptions(options: ResourceServerOptions): void {
  const { issuer, audience, credentials, introspection, revocationFeed, endpoints = {}, clockSkew = 0, dpop } = options
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name))
  if (unknown !== undefined) throw new TypeError(`Invalid options: ${unknown} is no option.`)
  checkIssuer(issuer)
  // RFC 8707 §2: an absolute URI without fragment.
  if (!URL.canParse(audience) || /[#\s"]/.test(audience))
    throw new TypeError('Invalid options: audience must be an absolute URI without fragment.')
  if ((introspection ?? revocationFeed) !== undefined && credentials === undefined) {
    throw new TypeError(
      'Invalid options: introspection and revocationFeed need credentials, of a client registered with servedAudiences.',
    )
  }
  checkNumber('clockSkew', clockSkew, [0, 60])
  checkNumber('introspection.cacheFor', introspection?.cacheFor ?? 0, [0, 60])
  checkNumber('revocationFeed.toleratedSilence', revocationFeed?.toleratedSilence ?? 1, [1, 300])
  const mode = revocationFeed?.mode ?? 'follow'
  if (mode !== 'follow' && mode !== 'on_demand')
    throw new TypeError('Invalid options: revocationFeed.mode must be on_demand or follow.')
  checkEndpoints(endpoints)
  if (dpop !== undefined) checkDpop(dpop)
  if (options.mutualTls !== undefined) checkMutualTls(options.mutualTls)
}

/** A misspelled name would silently leave a default in force, and proofs would never match a wrong origin. */
function checkDpop({ origin, required, replays, ...others }: NonNullable<ResourceServerOptions['dpop']>): void {
  if (Object.keys(others).length > 0) throw new TypeError('Invalid options: dpop has origin, required and replays.')
  if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin))
    throw new TypeError('Invalid options: dpop.origin must be scheme, host and port: https://api.example.com')
  if (required !== undefined && typeof required !== 'boolean')
    throw new TypeError('Invalid options: dpop.required must be true or false.')
  if (replays !== undefined && typeof replays.markUsed !== 'function')
    throw new TypeError('Invalid options: dpop.replays must have markUsed.')
}

/** RFC 9440 §4: without trust, senders can present the certificate of any client. */
function checkMutualTls({ certificate, ...others }: NonNullable<ResourceServerOptions['mutualTls']>): void {
  if (Object.keys(others).length > 0) throw new TypeError('Invalid options: mutualTls has certificate.')
  if (certificate === 'tls_socket') return
  const { format, trust, header } = certificate
  if (!Object.hasOwn(certificateHeaders, format))
    throw new TypeError('Invalid options: mutualTls.certificate must be tls_socket or { format, trust }.')
  // The type of a caller without TypeScript is not checked, and the default must not be trust.
  if ((trust as string | undefined) !== 'this_proxy_sets_and_strips_it')
    throw new TypeError('Invalid options: mutualTls.certificate.trust must be this_proxy_sets_and_strips_it, and true.')
  if (header !== undefined && !/^[a-z0-9-]+$/i.test(header))
    throw new TypeError('Invalid options: mutualTls.certificate.header must be the name of a header.')
}

/** RFC 8414 §2: https, without query and fragment; tokens are compared with it byte for byte. Plain http is for loopback. */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isLoopback = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback)) {
    throw new TypeError('Invalid options: issuer must be an https address, as the authorization server has it.')
  }
  const canonical = url.origin + url.pathname.replace(/\/+$/, '')
  if (issuer !== canonical) throw new TypeError(`Invalid options: write the issuer as ${canonical}`)
}

/** Plain http is allowed: an internal address often has no TLS, and what it returns is signed or asked with a secret that the host gave. */
function checkEndpoints(endpoints: Partial<ServerEndpoints>): void {
  for (const [name, url] of Object.entries(endpoints)) {
    if (!endpointNames.includes(name)) throw new TypeError(`Invalid options: endpoints.${name} is no option.`)
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new TypeError(`Invalid options: endpoints.${name} must be an absolute URL.`)
  }
}

function checkNumber(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (!(value >= least && value <= most))
    throw new TypeError(`Invalid options: ${name} must be ${least} to ${most} seconds.`)
}

const endpointNames: readonly string[] = [
  'jwks',
  'introspection',
  'revocationFeed',
] satisfies readonly (keyof ServerEndpoints)[]

/** A misspelled name would silently leave a default in force. */
const optionNames: readonly string[] = [
  'audience',
  'clock',
  'clockSkew',
  'credentials',
  'documentation',
  'dpop',
  'endpoints',
  'fetch',
  'introspection',
  'issuer',
  'mutualTls',
  'name',
  'onRefusal',
  'random',
  'revocationFeed',
  'scopes',
] satisfies readonly (keyof ResourceServerOptions)[]
