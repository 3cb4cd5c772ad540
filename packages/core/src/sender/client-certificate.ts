import {
  aStringMatching,
  type CertificateFormat,
  certificateHeaders,
  checkOptions,
  encodeBase64url,
  oneOf,
  type OptionCheck,
  optionsOf,
  readCertificateHeader,
  required,
  type ServerRequest,
  sha256,
} from '@mintmark/internal'

import type { ProvenPossession } from './proven-possession.ts'

/** The certificate that a client presented in its TLS handshake. */
export interface ClientCertificate {
  /** The certificate itself, without the certificates of its issuers. */
  readonly der: Uint8Array
  /**
   * `verified`: it was issued by a certificate authority that the server or its proxy trusts for clients. Anything else
   * is `unverified`, such as a self-signed certificate.
   */
  readonly chain: 'verified' | 'unverified'
}

/** Returns the certificate of the client that sent a request. */
export type ReadClientCertificate = (
  request: ServerRequest,
) => ClientCertificate | undefined | Promise<ClientCertificate | undefined>

/** Mutual TLS (RFC 8705), where the host has it. */
export interface MutualTls {
  readonly certificate: ReadClientCertificate
  readonly aliasOrigin: string | undefined
}

/**
 * Returns the client's possession of the key of its certificate, which the TLS handshake has proven, with the
 * thumbprint of the certificate (RFC 8705 §3.1); `undefined` without a certificate.
 */
export async function proveCertificate(
  request: ServerRequest,
  mutualTls: MutualTls | undefined,
): Promise<ProvenPossession | undefined> {
  const certificate = await mutualTls?.certificate(request)
  if (certificate === undefined) return undefined
  return { kind: 'mtls', x5tS256: encodeBase64url(await sha256(certificate.der)) } as ProvenPossession
}

/** How a proxy forwards the certificates of clients. */
interface CertificateHeaderOptions {
  /**
   * `client-cert`: the header of RFC 9440; `envoy`: `x-forwarded-client-cert` with `Cert`; `nginx`: `ssl-client-cert`
   * with `$ssl_client_escaped_cert`.
   */
  readonly format: CertificateFormat
  /**
   * Confirms that the proxy sets the header on every request, and removes a header that the sender has set. Otherwise,
   * a sender can present the certificate of any client (RFC 9440 §4).
   */
  readonly trust: 'this_proxy_sets_and_strips_it'
  /**
   * `verified` if the proxy refuses certificates that its certificate authorities did not issue; `unverified` if it
   * accepts all certificates. If the proxy reports it for each request, name the header in which it does: the value
   * `SUCCESS`, as in `$ssl_client_verify` of nginx, means `verified`. The proxy must set and strip that header too.
   */
  readonly chain: 'verified' | 'unverified' | { readonly header: string }
  /**
   * The name of the header with the certificate.
   * @defaultValue `client-cert`, `x-forwarded-client-cert` or `ssl-client-cert`, depending on `format`. Few proxies use
   *   other names.
   */
  readonly header?: string
}

/**
 * Reads the certificate of a client from a header of the proxy that terminates TLS, for the option `mutualTls`.
 * @throws TypeError that names a bad option.
 */
export function certificateFromHeader(options: CertificateHeaderOptions): ReadClientCertificate {
  checkOptions('certificateFromHeader', options, {
    format: required(oneOf(...Object.keys(certificateHeaders))),
    // The proxy must not be trusted by default.
    trust: required(oneOf('this_proxy_sets_and_strips_it')),
    chain: required(aChain),
    header: aHeaderName,
  })
  const { format, chain } = options
  const chainHeader = typeof chain === 'object' ? chain.header.toLowerCase() : undefined
  const name = (options.header ?? certificateHeaders[format]).toLowerCase()

  return ({ headers, repeatedHeaders }) => {
    const value = headers.get(name)
    if (value === undefined || repeatedHeaders.has(name)) return undefined
    const der = readCertificateHeader(format, [value])
    if (der === undefined) return undefined
    if (chainHeader === undefined) return { der, chain: chain === 'verified' ? chain : 'unverified' }
    const isVerified = headers.get(chainHeader) === 'SUCCESS' && !repeatedHeaders.has(chainHeader)
    return { der, chain: isVerified ? 'verified' : 'unverified' }
  }
}

const aHeaderName = aStringMatching(/^[\w-]+$/, 'must be the name of a header')

const aChain: OptionCheck = (value) => {
  if (typeof value === 'object') return optionsOf<{ readonly header: string }>({ header: required(aHeaderName) })(value)
  return value === 'verified' || value === 'unverified' ? undefined : 'must be verified, unverified or { header }'
}
