import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload } from 'jose'

import { answerInteraction, baseRequest, encode, redeem, signedInAs, type Change } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { consent, isInteraction, visit } from '../support/interaction-steps.ts'

/** The tokens that client A gets at the end of the flow. */
export interface Outcome {
  readonly tokens: Readonly<Record<string, string>>
  readonly header: JWTHeaderParameters
  readonly claims: JWTPayload
}

/** Returns the URL of the base request with some parameters changed. */
export const requestUrl = (site: ServerUnderTest, change: Change = {}): URL =>
  new URL(`${site.issuer}/auth?${encode({ ...baseRequest, ...change })}`)

/** Opens the base request in the browser of U1, who signed in five seconds ago, and consents to everything. */
export const ask = (site: ServerUnderTest, change: Change = {}): Promise<Reply> => visit(site, requestUrl(site, change))

/**
 * Opens the base request in a browser where the given user or nobody is signed in. Submits no page.
 */
export function open(site: ServerUnderTest, change: Change = {}, user?: string): Promise<Reply> {
  const { pathname, search } = requestUrl(site, change)
  return site.send({ path: pathname + search, headers: user === undefined ? {} : { cookie: signedInAs(site, user) } })
}

/** Signs in at the host's page now, and consents to everything. */
export async function logIn(site: ServerUnderTest, started: Reply, login: Change = {}): Promise<Reply> {
  const now = String(site.clock.now())
  const answered = await answerInteraction(site, started, encode({ subject: 'U1', auth_time: now, ...login }))
  return isInteraction(site, answered) && answered.location.pathname.endsWith('/consent')
    ? consent(site, started)
    : answered
}

/** Returns the host's page that the browser was sent to, or `undefined` if it was sent to the client. */
export const pageOf = (site: ServerUnderTest, reply: Reply): string | undefined =>
  isInteraction(site, reply) ? reply.location.pathname : undefined

/** Redeems the code that the browser brought back to client A. */
export async function outcomeOf(site: ServerUnderTest, reply: Reply): Promise<Outcome> {
  const code = reply.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${reply.status} ${reply.text} ${reply.header('location')}`)
  const answered = await redeem(site, code)
  if (answered.status !== 200) throw new Error(`No tokens: ${answered.status} ${answered.text}`)
  const tokens = answered.json as Record<string, string>
  const idToken = tokens['id_token'] ?? ''
  return { tokens, header: decodeProtectedHeader(idToken) as JWTHeaderParameters, claims: decodeJwt(idToken) }
}

/** Runs the complete flow of U1 with client A. */
export const signIn = async (site: ServerUnderTest, change: Change = {}): Promise<Outcome> =>
  outcomeOf(site, await ask(site, change))

/** Requests userinfo with the token in the header. */
export const userinfo = (site: ServerUnderTest, { tokens }: Pick<Outcome, 'tokens'>): Promise<Reply> =>
  site.send({ path: '/userinfo', headers: { authorization: `Bearer ${tokens['access_token']}` } })

/** Returns the parameters of an error response to the client. */
export const refusalOf = (reply: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(reply.location.searchParams)
