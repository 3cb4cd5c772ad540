import type { OauthSite } from '../site.ts'
import type { Lane, Reply } from './lane.ts'
import { get, postForm } from './request-text.ts'
import { unexpectedReply, requireValue } from './workload.ts'

/** The result of redeeming a code. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/**
 * Runs the authorization code flow with PKCE (RFC 7636) of a user who is signed in and has consented: two requests.
 * @param userIndex the index of one of the site's users.
 */
export async function runCodeFlow(site: OauthSite, lane: Lane, userIndex = 0): Promise<Tokens> {
  const code = await requestCode(site, lane, userIndex)
  const form = { grant_type: 'authorization_code', code, redirect_uri: site.redirectUri, code_verifier: verifier }
  return tokensOf(await lane.exchange(postForm(site.paths.token, form, site)))
}

/** Requests a code for a user who is signed in and has consented. */
export async function requestCode(site: OauthSite, lane: Lane, userIndex = 0): Promise<string> {
  const cookie = requireValue(site.cookies[userIndex % site.cookies.length])
  return codeOf(await lane.exchange(authorizationRequest(site, cookie)))
}

/** Returns the tokens of a token response. */
export function tokensOf(reply: Reply): Tokens {
  if (reply.status !== 200) throw unexpectedReply(reply)
  return JSON.parse(reply.body) as Tokens
}

function authorizationRequest(site: OauthSite, cookie: string): string {
  const parameters = {
    response_type: 'code',
    client_id: site.clientId,
    redirect_uri: site.redirectUri,
    scope: site.scope,
    state: 'af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  return get(`${requireValue(site.paths.authorize)}?${new URLSearchParams(parameters).toString()}`, { cookie })
}

function codeOf(reply: Reply): string {
  const location = /\r\nlocation: *(\S+)/i.exec(reply.head)?.[1]
  const code = location === undefined ? null : new URL(location).searchParams.get('code')
  if (code === null) throw unexpectedReply(reply)
  return code
}

/** The example of RFC 7636 Appendix B. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
