import { decodeBase64, encodeBase64url, type ServerRequest, sha256 } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject } from '@mintmark/storage-interface'
import type { JSONWebKeySet } from 'jose'

import type { ClientCertificate, MutualTls } from '../sender/client-certificate.ts'
import { isSameName, parseDistinguishedName } from '../sender/distinguished-name.ts'
import { type ParsedCertificate, parseCertificate } from '../sender/x509.ts'
import type { PresentedCredentials } from './authenticate.ts'
import { readKeySet, type RemoteKeySets } from './remote-key-set.ts'

/** The methods by which a client authenticates with its certificate (RFC 8705 §2). */
export const certificateMethods = ['tls_client_auth', 'self_signed_tls_client_auth'] as const

export interface CertificateDependencies {
  readonly mutualTls: MutualTls | undefined
  readonly keySets: RemoteKeySets
}

/** Whether the client is registered to authenticate with its certificate. */
export const usesCertificate = ({ tokenEndpointAuthMethod }: ClientRecord): boolean =>
  certificateMethods.some((method) => method === tokenEndpointAuthMethod)

/** Verifies that the certificate of a request is the client's (RFC 8705 §2.1, §2.2). */
export async function verifyCertificate(
  request: ServerRequest,
  { client, now }: { readonly client: ClientRecord; readonly now: EpochSeconds },
  { mutualTls, keySets }: CertificateDependencies,
): ReturnType<PresentedCredentials['verify']> {
  const presented = await mutualTls?.certificate(request)
  if (presented === undefined) return { reason: 'client_certificate_missing' }
  const parsed = parseCertificate(presented.der)
  // RFC 5280 §4.1.2.5. TLS does not check the validity period of a certificate that is self-signed.
  const isCurrent = parsed !== undefined && parsed.notBefore <= now && now <= parsed.notAfter
  if (!isCurrent) return { reason: 'client_certificate_wrong' }
  if (client.tokenEndpointAuthMethod === 'self_signed_tls_client_auth')
    return (await isRegistered(presented, { client, now }, keySets))
      ? { method: 'self_signed_tls_client_auth' }
      : { reason: 'client_certificate_wrong' }
  // RFC 8705 §2.1: the name is accepted only in a certificate that a trusted authority has issued.
  return presented.chain === 'verified' && hasRegisteredName(parsed, client)
    ? { method: 'tls_client_auth' }
    : { reason: 'client_certificate_wrong' }
}

/** Whether the certificate has the one name that the client is registered with (RFC 8705 §2.1.2). */
function hasRegisteredName(certificate: ParsedCertificate, client: ClientRecord): boolean {
  const [name, second] = registeredNames(client)
  if (name === undefined || second !== undefined) return false
  const { value } = name
  switch (name.kind) {
    case 'subjectDn': {
      const expected = parseDistinguishedName(value)
      const { subject } = certificate
      return expected !== undefined && subject !== undefined && isSameName(expected, subject)
    }
    case 'sanDns':
      // A wildcard in the certificate has no special meaning, and never matches: registered names cannot contain one.
      return certificate.dns.some((dns) => dns.toLowerCase() === value.toLowerCase())
    case 'sanUri':
      return certificate.uri.includes(value)
    case 'sanIp':
      return certificate.ip.some((bytes) => addressOf(bytes) === canonicalAddress(value))
    default:
      return certificate.email.some((email) => canonicalEmail(email) === canonicalEmail(value))
  }
}

interface RegisteredName {
  readonly kind: 'subjectDn' | 'sanDns' | 'sanUri' | 'sanIp' | 'sanEmail'
  readonly value: string
}

/** Returns the certificate names that a client is registered with. */
export function registeredNames(client: ClientRecord): readonly RegisteredName[] {
  const names: readonly (readonly [RegisteredName['kind'], string | undefined])[] = [
    ['subjectDn', client.tlsClientAuthSubjectDn],
    ['sanDns', client.tlsClientAuthSanDns],
    ['sanUri', client.tlsClientAuthSanUri],
    ['sanIp', client.tlsClientAuthSanIp],
    ['sanEmail', client.tlsClientAuthSanEmail],
  ]
  return names.flatMap(([kind, value]) => (value === undefined ? [] : [{ kind, value }]))
}

/** Whether the name has a form that a certificate can contain. */
export function isCertificateName({ kind, value }: RegisteredName): boolean {
  switch (kind) {
    case 'subjectDn':
      return parseDistinguishedName(value) !== undefined
    case 'sanDns':
      return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(value)
    case 'sanUri':
      return URL.canParse(value) && /^[\x21-\x7E]+$/.test(value)
    case 'sanIp':
      return canonicalAddress(value) !== undefined
    default:
      return /^[\x21-\x3F\x41-\x7E]+@[a-z0-9.-]+$/i.test(value)
  }
}

/** Lowers the case of the host only: the local part is case-sensitive (RFC 5280 §7.5). */
function canonicalEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return email.slice(0, at) + email.slice(at).toLowerCase()
}

/** Returns the canonical form of an IP address. The URL parser accepts every way to write one. */
function canonicalAddress(text: string): string | undefined {
  const host = text.includes(':') ? `[${text}]` : text
  const isAddress = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})$/i.test(host)
  return isAddress && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined
}

function addressOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return canonicalAddress(bytes.join('.'))
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  return canonicalAddress(groups.join(':'))
}

/** Whether the client's key set contains the certificate (RFC 8705 §2.2.2). */
async function isRegistered(
  { der }: ClientCertificate,
  { client, now }: { readonly client: ClientRecord; readonly now: EpochSeconds },
  keySets: RemoteKeySets,
): Promise<boolean> {
  const thumbprint = encodeBase64url(await sha256(der))
  if (client.jwksUri === undefined) return hasCertificate(readKeySet(client.jwks), thumbprint)
  if (await hasCertificate(await keySets.read(client, 'cached', now), thumbprint)) return true
  // The client may have published a new certificate since its set was read.
  return hasCertificate(await keySets.read(client, 'refresh', now), thumbprint)
}

async function hasCertificate(keySet: JSONWebKeySet | undefined, thumbprint: string): Promise<boolean> {
  const registered = await Promise.all((keySet?.keys ?? []).map(thumbprintOfKey))
  return registered.includes(thumbprint)
}

/** Returns the thumbprint of the whole certificate. Another certificate with the same key has another thumbprint. */
async function thumbprintOfKey(key: JSONWebKeySet['keys'][number]): Promise<string | undefined> {
  const der = certificateOf(key)
  return der === undefined ? undefined : encodeBase64url(await sha256(der))
}

/** Returns the first certificate in `x5c`, which contains the key (RFC 7517 §4.7). */
function certificateOf({ x5c }: JSONWebKeySet['keys'][number]): Uint8Array | undefined {
  const first: unknown = Array.isArray(x5c) ? x5c[0] : undefined
  return typeof first === 'string' ? decodeBase64(first) : undefined
}

/** Whether a registered key set contains at least one certificate. */
export const hasCertificates = (jwks: JsonObject): boolean =>
  readKeySet(jwks)?.keys.some((key) => {
    const der = certificateOf(key)
    return der !== undefined && parseCertificate(der) !== undefined
  }) === true
