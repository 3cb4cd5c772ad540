import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload } from 'jose'

import { answerInteraction, baseRequest, encode, redeem, signedInAs, type Change } from '../support/flow.ts'
import type { Reply } from '../support/reply.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { consent, isInteraction, visit } from '../support/visit.ts'

/** What client A has in the end. */
export interface Outcome {
  readonly tokens: Readonly<Record<string, string>>
  readonly header: JWTHeaderParameters
  readonly claims: JWTPayload
}

/** The base request with parameters changed, as a URL. */
export const requestUrl = (under: ServerUnderTest, change: Change = {}): URL =>
  new URL(`${under.issuer}/auth?${encode({ ...baseRequest, ...change })}`)

/** The base request, opened in the browser of U1, who signed in five seconds ago and consents to everything. */
export const ask = (under: ServerUnderTest, change: Change = {}): Promise<Reply> =>
  visit(under, requestUrl(under, change))

/** The base request, opened in a browser where that person, or nobody, is signed in; nothing is answered yet. */
export function open(under: ServerUnderTest, change: Change = {}, user?: string): Promise<Reply> {
  const { pathname, search } = requestUrl(under, change)
  return under.send({ path: pathname + search, headers: user === undefined ? {} : { cookie: signedInAs(under, user) } })
}

/** Signs in at the host's page, now, and consents to everything. */
export async function logIn(under: ServerUnderTest, started: Reply, login: Change = {}): Promise<Reply> {
  const now = String(under.clock.now())
  const answered = await answerInteraction(under, started, encode({ subject: 'U1', auth_time: now, ...login }))
  return isInteraction(under, answered) && answered.location.pathname.endsWith('/consent')
    ? consent(under, started)
    : answered
}

/** Which of the host's pages the browser was sent to; `undefined` when it went to the client. */
export const pageOf = (under: ServerUnderTest, reply: Reply): string | undefined =>
  isInteraction(under, reply) ? reply.location.pathname : undefined

/** Redeems the code that the browser brought back to client A. */
export async function outcomeOf(under: ServerUnderTest, reply: Reply): Promise<Outcome> {
  const code = reply.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${reply.status} ${reply.text} ${reply.header('location')}`)
  const answered = await redeem(under, code)
  if (answered.status !== 200) throw new Error(`No tokens: ${answered.status} ${answered.text}`)
  const tokens = answered.json as Record<string, string>
  const idToken = tokens['id_token'] ?? ''
  return { tokens, header: decodeProtectedHeader(idToken) as JWTHeaderParameters, claims: decodeJwt(idToken) }
}

/** The whole flow of U1 with client A. */
export const signIn = async (under: ServerUnderTest, change: Change = {}): Promise<Outcome> =>
  outcomeOf(under, await ask(under, change))

/** Userinfo with the token in the header. */
export const userinfo = (under: ServerUnderTest, { tokens }: Pick<Outcome, 'tokens'>): Promise<Reply> =>
  under.send({ path: '/userinfo', headers: { authorization: `Bearer ${tokens['access_token']}` } })

/** The parameters with which the client hears of a refusal. */
export const refusalOf = (reply: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(reply.location.searchParams)
