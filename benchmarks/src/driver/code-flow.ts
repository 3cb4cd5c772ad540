import type { OauthSite } from '../site.ts'
import type { Lane, Reply } from './lane.ts'
import { get, postForm, withProof } from './request-text.ts'
import { unexpectedReply, requireValue } from './workload.ts'

/** The result of redeeming a code. */
export interface Tokens {
  readonly access_token: string
  readonly token_type: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/**
 * Runs the authorization code flow with PKCE (RFC 7636) of a user who is signed in and has consented: two requests.
 * @param userIndex the index of one of the site's users.
 */
export async function runCodeFlow(site: OauthSite, lane: Lane, userIndex = 0): Promise<Tokens> {
  const code = await requestCode(site, lane, userIndex)
  return tokensOf(await lane.exchange(redemption(code, site)))
}

/**
 * Runs the same flow with a pushed authorization request (RFC 9126) and a token request that proves possession of a key
 * (RFC 9449): three requests.
 * @param proof the DPoP proof of the token request.
 */
export async function runPushedFlow(site: OauthSite, lane: Lane, proof: string): Promise<Tokens> {
  const { clientId: client_id, cookies } = site
  const query = new URLSearchParams({ client_id, request_uri: await pushRequest(site, lane) }).toString()
  const request = get(`${requireValue(site.paths.authorize)}?${query}`, { cookie: requireValue(cookies[0]) })
  const code = codeOf(await lane.exchange(request))
  const tokens = tokensOf(await lane.exchange(withProof(redemption(code, site), proof)))
  if (tokens.token_type !== 'DPoP') throw new Error('The access token is not bound to the key.')
  return tokens
}

/** Pushes an authorization request. Returns its `request_uri`. */
export async function pushRequest(site: OauthSite, lane: Lane): Promise<string> {
  const reply = await lane.exchange(postForm(requireValue(site.paths.push), authorizationParameters(site), site))
  if (reply.status !== 201) throw unexpectedReply(reply)
  const { request_uri: requestUri } = JSON.parse(reply.body) as { readonly request_uri: string }
  return requestUri
}

function redemption(code: string, site: OauthSite): string {
  const form = { grant_type: 'authorization_code', code, redirect_uri: site.redirectUri, code_verifier: verifier }
  return postForm(site.paths.token, form, site)
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
  const query = new URLSearchParams(authorizationParameters(site)).toString()
  return get(`${requireValue(site.paths.authorize)}?${query}`, { cookie })
}

const authorizationParameters = (site: OauthSite): Readonly<Record<string, string>> => ({
  response_type: 'code',
  client_id: site.clientId,
  redirect_uri: site.redirectUri,
  scope: site.scope,
  state: 'af0ifjsldkj',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: challenge,
  code_challenge_method: 'S256',
})

function codeOf(reply: Reply): string {
  const location = /\r\nlocation: *(\S+)/i.exec(reply.head)?.[1]
  const code = location === undefined ? null : new URL(location).searchParams.get('code')
  if (code === null) throw unexpectedReply(reply)
  return code
}

/** The example of RFC 7636 Appendix B. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
