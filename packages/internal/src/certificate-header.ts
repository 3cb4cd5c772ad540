/** How a proxy forwards the certificate of its client: RFC 9440, Envoy's `x-forwarded-client-cert`, or nginx. */
export type CertificateFormat = 'client-cert' | 'envoy' | 'nginx'

/** The usual name of the header, by format. */
export const certificateHeaders = {
  'client-cert': 'client-cert',
  envoy: 'x-forwarded-client-cert',
  nginx: 'ssl-client-cert',
} as const satisfies Readonly<Record<CertificateFormat, string>>

/**
 * Reads the client certificate from a header that a proxy has set.
 * @param values all values of the header. Two values are refused: one of them may be the sender's (RFC 9440 §4).
 * @returns the certificate in DER; `undefined` for anything else.
 */
export function readCertificateHeader(format: CertificateFormat, values: readonly string[]): Uint8Array | undefined {
  const [value, second] = values
  if (value === undefined || second !== undefined || value.length > maxHeaderLength) return undefined
  switch (format) {
    case 'client-cert':
      // RFC 9440 §2.2, RFC 8941 §3.3.5: a byte sequence, and nothing in front of or after it.
      return decodeBase64(/^:([A-Za-z0-9+/]+={0,2}):$/.exec(value.trim())?.[1])
    case 'envoy':
      return decodePem(readEnvoyCertificate(value))
    default:
      return decodePem(decodePercent(value))
  }
}

/** Reads the only `Cert` of the header. If there are several, an earlier proxy or the sender wrote the others. */
function readEnvoyCertificate(value: string): string | undefined {
  const found: string[] = []
  let rest = value
  while (rest !== '') {
    // Matched from the beginning of a member, because a quoted subject may contain any text.
    const member = /^([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;]*))(?:;|$)/.exec(rest)
    if (member === null) return undefined
    if (member[1]?.toLowerCase() === 'cert') found.push(member[2] ?? member[3] ?? '')
    rest = rest.slice(member[0].length)
  }
  return found.length === 1 ? decodePercent(found[0]) : undefined
}

function decodePercent(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    // `decodeURIComponent` throws for malformed escapes.
    return undefined
  }
}

/** Decodes a single certificate in PEM (RFC 7468 §5.1). */
function decodePem(text: string | undefined): Uint8Array | undefined {
  const match = /^-----BEGIN CERTIFICATE-----\s([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(text ?? '')
  return decodeBase64(match?.[1]?.replaceAll(/\s/g, ''))
}

/** Decodes standard base64 (RFC 4648 §4); `undefined` for other strings. */
export function decodeBase64(text: string | undefined): Uint8Array | undefined {
  if (text === undefined || text === '') return undefined
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    // `atob` throws on malformed input.
    return undefined
  }
}

/** In characters: well above any certificate of a client, and below the limit of Node. */
const maxHeaderLength = 16_384
