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

/** How a request to a partner is authorized. */
export interface Authorization {
  /** The value of the header. */
  readonly header: string
  /** Called when the partner refuses the header: the next request gets another access token. */
  readonly forget: () => void
}

/** Returns the Authorization header for a partner. */
export type Authorize = (credential: string, outbound: OutboundClient) => Promise<Authorization>

/**
 * Creates the function that authenticates at partners. Access tokens are kept in the memory of this process until shortly
 * before they expire, but not for longer than an hour.
 */
export function createAuthorize(clock: Clock): Authorize {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>()
  const authorizationWith = (token: string, credential: string): Authorization => ({
    header: `Bearer ${token}`,
    forget: () => {
      // Another request may have got a newer one.
      if (tokens.get(credential)?.token === token) tokens.delete(credential)
    },
  })
  return async (text, outbound) => {
    const credential = parseCredential(text)
    if ('bearerToken' in credential) return authorizationWith(credential.bearerToken, text)
    const known = tokens.get(text)
    if (known !== undefined && clock() < known.until) return authorizationWith(known.token, text)
    const issued = await requestToken(credential, outbound)
    if (tokens.size >= maximumTokens) tokens.clear()
    tokens.set(text, { token: issued.token, until: clock() + Math.min(issued.lifetime, maximumLifetime) - margin })
    return authorizationWith(issued.token, text)
  }
}

/** Reads a credential. It was checked when it was stored. */
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
  // RFC 6749 Appendix A.12: other characters could not be sent in a header.
  if (!/^[\x21-\x7E]+$/.test(token)) throw new PartnerFailure('failed', 'token_malformed')
  const lifetime = body?.['expires_in']
  return { token, lifetime: typeof lifetime === 'number' ? lifetime : 300 }
}

const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2)

/** In seconds: a token is not used shortly before it expires. */
const margin = 30

/** In seconds. A partner may say that its token lasts for years, and then revoke it. */
const maximumLifetime = 3600

/** One for each target; administrators create them. */
const maximumTokens = 100
