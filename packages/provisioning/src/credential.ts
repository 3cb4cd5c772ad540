import type { OutboundClient } from '@mintmark/core/internal'
import { type Clock, parseJsonObject } from '@mintmark/internal'

import { PartnerFailure } from './partner-failure.ts'

/** How this server authenticates at a partner: a bearer token, or client credentials (RFC 6749 §4.4). */
export type PartnerCredential =
  | { readonly bearerToken: string }
  | {
      readonly tokenEndpoint: string
      readonly clientId: string
      readonly clientSecret: string
      readonly scope?: string | undefined
    }

/** Returns the Authorization header for a partner. */
export type Authorize = (credential: string, outbound: OutboundClient) => Promise<string>

/**
 * Creates the function that authenticates at partners. Access tokens are kept in the memory of this process until shortly
 * before they expire.
 */
export function createAuthorize(clock: Clock): Authorize {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>()
  return async (sealed, outbound) => {
    const credential = parseCredential(sealed)
    if ('bearerToken' in credential) return `Bearer ${credential.bearerToken}`
    const known = tokens.get(sealed)
    if (known !== undefined && clock() < known.until) return `Bearer ${known.token}`
    const issued = await requestToken(credential, outbound)
    if (tokens.size >= maximumTokens) tokens.clear()
    tokens.set(sealed, { token: issued.token, until: clock() + issued.lifetime - margin })
    return `Bearer ${issued.token}`
  }
}

/** Reads a credential that `sealed` text contains. It was checked when it was stored. */
const parseCredential = (text: string): PartnerCredential => JSON.parse(text) as PartnerCredential

async function requestToken(
  { tokenEndpoint, clientId, clientSecret, scope }: Extract<PartnerCredential, { readonly tokenEndpoint: string }>,
  outbound: OutboundClient,
): Promise<{ readonly token: string; readonly lifetime: number }> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) })
  const answer = await outbound.request({
    url: tokenEndpoint,
    method: 'POST',
    headers: {
      // RFC 6749 §2.3.1: both parts are form-encoded first, so that a colon separates them.
      authorization: `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: form.toString(),
    timeout: 5000,
    maxBytes: 65_536,
  })
  if (answer.outcome === 'failed') throw new PartnerFailure('failed', `token_${answer.failure}`)
  const body = parseJsonObject(answer.body)
  const token = body?.['access_token']
  if (answer.status !== 200 || typeof token !== 'string')
    throw new PartnerFailure('failed', `token_http_${answer.status}`)
  const lifetime = body?.['expires_in']
  return { token, lifetime: typeof lifetime === 'number' ? lifetime : 300 }
}

const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2)

/** In seconds: a token is not used shortly before it expires. */
const margin = 30

/** One for each target; administrators create them. */
const maximumTokens = 100
