import { decodeBody, decodeComponent, digestSecret, equalInConstantTime, type ServerRequest } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'

import type { ClientAuthentication, CredentialProof } from './authenticate.ts'

/** `client_secret_basic`: the client's identifier and secret in the Authorization header (RFC 6749 §2.3.1). */
export const clientSecretBasic: ClientAuthentication = {
  method: 'client_secret_basic',
  read(request) {
    if (!request.headers.has('authorization')) return undefined
    const credentials = readBasicCredentials(request)

    return {
      method: 'client_secret_basic',
      clientId: credentials?.clientId,
      verify: (client, now) => verifyClientSecret(credentials?.secret ?? '', client, now),
    }
  },
}

/** Reads both halves, form-decoded; `undefined` for another scheme and for malformed credentials. */
function readBasicCredentials(request: ServerRequest): { clientId: string; secret: string } | undefined {
  // RFC 9110 §11.1: the scheme's name is case-insensitive.
  const match = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(request.headers.get('authorization') ?? '')
  if (match?.[1] === undefined) return undefined
  const pair = decodeBase64(match[1])
  const colon = pair?.indexOf(':') ?? -1
  if (pair === undefined || colon === -1) return undefined

  // RFC 6749 §2.3.1: both are form-encoded before they are joined, so a colon in the identifier is an escape.
  const clientId = decodeComponent(pair.slice(0, colon))
  const secret = decodeComponent(pair.slice(colon + 1))
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret }
}

function decodeBase64(text: string): string | undefined {
  try {
    const bytes = atob(text)
    // Form-encoded halves are ASCII. Clients that omit the encoding are accepted if the bytes are UTF-8.
    return /^[ -~]*$/.test(bytes) ? bytes : decodeBody(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
  } catch {
    // `atob` throws on malformed input.
    return undefined
  }
}

/** `client_secret_post`: the client's identifier and secret as form parameters (RFC 6749 §2.3.1). */
export const clientSecretPost: ClientAuthentication = {
  method: 'client_secret_post',
  read(_request, form) {
    const secret = form.get('client_secret')
    if (secret === undefined) return undefined

    return {
      method: 'client_secret_post',
      clientId: form.get('client_id'),
      verify: (client, now) => verifyClientSecret(secret, client, now),
    }
  },
}

/** `none`: a public client identifies itself without proof; PKCE and its redirect URIs protect it (RFC 9700 §2.1.1). */
export const publicClient: ClientAuthentication = {
  method: 'none',
  read(request, form) {
    const clientId = form.get('client_id')
    const presentsMore =
      request.headers.has('authorization') ||
      form.get('client_secret') !== undefined ||
      form.get('client_assertion') !== undefined
    if (clientId === undefined || presentsMore) return undefined

    return { method: 'none', clientId, verify: () => Promise.resolve({}) }
  },
}

/**
 * Verifies that the presented secret is an active one of the client. The same work is done for an unknown client, a
 * wrong secret and an expired one: one digest, and the same number of comparisons.
 */
export async function verifyClientSecret(
  presented: string,
  client: ClientRecord | undefined,
  now: EpochSeconds,
): Promise<CredentialProof | undefined> {
  const digest = await digestSecret(presented)
  const secrets = client?.secrets ?? []

  let matched: SecretDigest | undefined
  for (let slot = 0; slot < maxActiveSecrets; slot += 1) {
    const secret = secrets[slot]
    const isEqual = equalInConstantTime(digest, secret?.digest ?? emptySlot)
    const isActive = secret !== undefined && (secret.expiresAt === undefined || now < secret.expiresAt)
    if (isEqual && isActive) matched = secret.digest
  }
  return matched === undefined ? undefined : { usedSecret: matched }
}

/** A client has at most two active secrets: the current one and its replacement. */
export const maxActiveSecrets = 2

/** As long as a digest but never equal to one: base64url contains no dot. */
const emptySlot = '.'.repeat(43)
