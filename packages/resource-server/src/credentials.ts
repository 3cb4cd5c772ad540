import type { CryptoKey, JWK } from 'jose'
import * as base64url from 'jose/base64url'
import { SignJWT } from 'jose/jwt/sign'

import type { Clock, Random } from './runtime.ts'

/**
 * The credentials with which this API authenticates. Its client is confidential and registered with `servedAudiences`.
 * A server with `minimumProfile: 'fapi2'` accepts a key or a certificate, but no secret.
 */
export type ClientCredentials = SecretCredentials | KeyCredentials | CertificateCredentials

/** A secret, sent as `client_secret_basic` (RFC 6749 §2.3.1). */
export interface SecretCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** A private key, which signs assertions for `private_key_jwt` (OIDC Core §9, RFC 7523 §2.2). */
export interface KeyCredentials {
  readonly clientId: string
  /** A private key of Web Crypto, or a private JWK. */
  readonly privateKey: CryptoKey | JWK
  readonly algorithm: 'PS256' | 'RS256' | 'ES256' | 'EdDSA' | 'Ed25519'
  /**
   * The `kid` of the public key in the client's key set.
   * @defaultValue Left out. A key set with one key of the algorithm does not need it.
   */
  readonly keyId?: string
}

/** A certificate, for `tls_client_auth` and `self_signed_tls_client_auth` (RFC 8705 §2). */
export interface CertificateCredentials {
  readonly clientId: string
  /** The host's option `fetch` presents the certificate in the TLS handshake. */
  readonly certificate: 'sent_by_fetch'
}

/** What authenticates one request: its parts are added to the headers and the form. */
export interface ClientAuthentication {
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>>
}

interface AuthenticateDependencies {
  /** The audience of assertions (FAPI 2.0 SP §5.3.3.1). */
  readonly issuer: string
  readonly clock: Clock
  readonly random: Random
}

/** Authenticates a request of this API's client. Each request needs its own, because an assertion is used only once. */
export async function authenticateRequest(
  credentials: ClientCredentials,
  deps: AuthenticateDependencies,
): Promise<ClientAuthentication> {
  if ('clientSecret' in credentials) return { headers: { authorization: basicAuthorization(credentials) }, form: {} }
  const { clientId } = credentials
  // RFC 8705 §2: the request names the client that the certificate belongs to.
  if ('certificate' in credentials) return { headers: {}, form: { client_id: clientId } }
  const assertion = await signAssertion(credentials, deps)
  return { headers: {}, form: { client_id: clientId, client_assertion_type: jwtBearer, client_assertion: assertion } }
}

const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

async function signAssertion(
  { clientId, privateKey, algorithm, keyId }: KeyCredentials,
  { issuer, clock, random }: AuthenticateDependencies,
): Promise<string> {
  const now = Math.floor(clock() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: base64url.encode(random(16)), iat: now }
  return new SignJWT({ ...claims, exp: now + assertionLifetime })
    .setProtectedHeader({ alg: algorithm, ...(keyId !== undefined && { kid: keyId }) })
    .sign(privateKey)
}

/** In seconds. */
const assertionLifetime = 60

/** Returns the Authorization header for client_secret_basic. Both parts are form-encoded first (RFC 6749 §2.3.1). */
const basicAuthorization = ({ clientId, clientSecret }: SecretCredentials): string =>
  `Basic ${btoa(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`)}`

const encodeForm = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
