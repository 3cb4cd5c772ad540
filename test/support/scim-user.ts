import { answerInteraction, authorize, baseRequest, redeem, signedInAs } from './flow.ts'
import type { ScimSite } from './scim-site.ts'
import { introspect, refresh, tokensOf, userinfo, type Tokens } from './token-calls.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let userCount = 0

/** Provisions a user through T1. @returns the user's identifier. */
export async function provisionTestUser(site: ScimSite, change: object = {}): Promise<string> {
  const body = { schemas: [core], userName: `user${(userCount += 1)}@x`, active: true, ...change }
  const reply = await site.send({ method: 'POST', path: '/Users', body })
  if (reply.status !== 201) throw new Error(`No user: ${reply.status} ${reply.text}`)
  return String(reply.json['id'])
}

/** Sets `active` by PATCH, as identity providers do. */
export const setActive = (site: ScimSite, id: string, active: boolean) =>
  site.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: { schemas: [message], Operations: [{ op: 'replace', path: 'active', value: active }] },
  })

/** Obtains a code for client A: the user is signed in to the host and consents to everything. */
export async function codeOf({ oauth }: ScimSite, id: string): Promise<string> {
  const scope = `${baseRequest.scope} offline_access`
  const cookie = signedInAs(oauth, id)
  const first = await authorize(oauth, { scope }, { cookie })
  const consent = scope
    .split(' ')
    .map((value) => `scope=${value}`)
    .join('&')
  const last = first.location.searchParams.has('code') ? first : await answerInteraction(oauth, first, consent)
  const code = last.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${last.status} ${last.text} ${last.header('location')}`)
  return code
}

/** Obtains a user's tokens for client A, with `offline_access`. */
export async function signIn(site: ScimSite, id: string): Promise<Tokens> {
  const reply = await redeem(site.oauth, await codeOf(site, id))
  if (reply.status !== 200) throw new Error(`No tokens: ${reply.status} ${reply.text}`)
  return tokensOf(reply)
}

/**
 * Introspects both tokens, requests userinfo and refreshes, and returns the results. The refresh is last, because it
 * rotates the refresh token.
 */
export async function useEveryToken({ oauth }: ScimSite, tokens: Tokens): Promise<TokenResults> {
  const access = await introspect(oauth, tokens.access_token)
  const refreshToken = await introspect(oauth, tokens.refresh_token)
  const info = await userinfo(oauth, tokens.access_token)
  const refreshed = await refresh(oauth, tokens.refresh_token)
  return {
    accessActive: access.json['active'],
    refreshActive: refreshToken.json['active'],
    userinfo: info.status,
    refresh: refreshed.status === 200 ? 200 : `${refreshed.status} ${String(refreshed.json['error'])}`,
  }
}

interface TokenResults {
  readonly accessActive: unknown
  readonly refreshActive: unknown
  readonly userinfo: number
  readonly refresh: string | number
}

/** The server refuses every token. */
export const allRefused: TokenResults = {
  accessActive: false,
  refreshActive: false,
  userinfo: 401,
  refresh: '400 invalid_grant',
}

/** The server accepts every token. */
export const allAccepted: TokenResults = { accessActive: true, refreshActive: true, userinfo: 200, refresh: 200 }
