import { signEs256, writeJws } from '../support/forge-jwt.ts'
import { assertionType } from '../support/client-assertion.ts'
import { encode } from '../support/flow.ts'
import { send, type Reply } from '../support/send.ts'
import { clientRequests, codeOf, tokensOf, type Tokens } from './client-requests.ts'
import { issuer } from './server-config.ts'
import type { ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** Runs one round of a race. @returns the violations. */
export type Race = (round: number) => Promise<readonly string[]>

/** The number of requests that present one credential at the same time, spread over all servers. */
const presenters = 50

/** Returns the races of clients A and B, over the servers at these ports. */
export function racesOf(site: ProcessSite, ports: readonly number[]): Readonly<Record<string, Race>> {
  const requests = clientRequests(site.clients)
  const port = (index: number): number => ports[index % ports.length] ?? 0
  const atOnce = (count: number, start: (port: number) => Promise<Reply>): Promise<readonly Reply[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => start(port(index))))
  const obtain = async (round: number): Promise<Tokens> =>
    tokensOf(await requests.redeem(port(round + 1), codeOf(await requests.authorize(port(round)))))
  const isActive = async (token: string): Promise<unknown> => (await requests.introspect(port(0), token)).json['active']

  return {
    'a code is redeemed once': async (round) => {
      const code = codeOf(await requests.authorize(port(round)))

      const replies = await atOnce(presenters, (at) => requests.redeem(at, code))

      const winners = replies.filter(({ status }) => status === 200)
      const refused = replies.filter(({ status, json }) => status === 400 && json['error'] === 'invalid_grant')
      const { access_token } = winners[0] === undefined ? { access_token: '' } : tokensOf(winners[0])
      return [
        ...violationUnless(winners.length === 1, `${winners.length} of ${presenters} redeemed one code`),
        ...violationUnless(
          refused.length === presenters - 1,
          `only ${refused.length} were refused: ${statuses(replies)}`,
        ),
        // RFC 6749 §4.1.2: the second presentation revokes the winner's tokens.
        ...violationUnless((await isActive(access_token)) === false, 'a token is active after its code was replayed'),
      ]
    },

    'a pushed request is used once': async (round) => {
      const { json } = await requests.push(port(round))
      const requestUri = String(json['request_uri'])

      const replies = await atOnce(presenters, (at) => requests.visit(at, requestUri))

      const codes = replies.filter((reply) => reply.status === 303 && reply.location.searchParams.has('code'))
      const refused = replies.filter(({ status, text }) => status === 400 && text.includes('invalid_request_uri'))
      return [
        ...violationUnless(codes.length === 1, `${codes.length} codes for one pushed request: ${statuses(replies)}`),
        ...violationUnless(
          refused.length === presenters - 1,
          `only ${refused.length} were refused: ${statuses(replies)}`,
        ),
      ]
    },

    'a refresh token gets one successor': async (round) => {
      const { refresh_token } = await obtain(round)

      const replies = await atOnce(presenters, (at) => requests.refresh(at, refresh_token))

      const successors = new Set(
        replies.map((reply) => (reply.status === 200 ? tokensOf(reply).refresh_token : reply.text)),
      )
      const [successor = ''] = successors
      const next = await requests.refresh(port(round), successor)
      return [
        ...violationUnless(
          successors.size === 1,
          `${successors.size} successors of one refresh token: ${statuses(replies)}`,
        ),
        ...violationUnless(next.status === 200, `the successor was refused: ${next.status} ${next.text}`),
      ]
    },

    'a client assertion is accepted once': async (round) => {
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iss: 'B',
        sub: 'B',
        aud: issuer,
        exp: now + 60,
        iat: now,
        jti: `jti-${process.pid}-${now}-${round}`,
      }
      const sign = signEs256(site.clients.B.privateKey)
      const assertion = await writeJws({ alg: 'ES256', typ: 'JWT', kid: 'b1' }, claims, sign)
      const body = encode({ client_assertion_type: assertionType, client_assertion: assertion, token: 'none' })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }

      const replies = await atOnce(presenters, (at) =>
        send(at, { method: 'POST', path: '/token/revocation', headers, body }),
      )

      const accepted = replies.filter(({ status }) => status === 200).length
      const refused = replies.filter(({ status }) => status === 401).length
      return [
        ...violationUnless(accepted === 1, `one client assertion was accepted ${accepted} times`),
        ...violationUnless(refused === presenters - 1, `only ${refused} were refused: ${statuses(replies)}`),
      ]
    },

    'reuse of an old refresh token revokes the current one': async (round) => {
      const first = await obtain(round)
      const second = tokensOf(await requests.refresh(port(round), first.refresh_token))
      const current = tokensOf(await requests.refresh(port(round), second.refresh_token))

      const [, renewals] = await Promise.all([
        atOnce(4, (at) => requests.refresh(at, first.refresh_token)),
        atOnce(8, (at) => requests.refresh(at, current.refresh_token)),
      ])

      const successors = renewals.filter(({ status }) => status === 200).map(tokensOf)
      const all = [first, second, current, ...successors]
      const activeStates = await Promise.all(
        all.flatMap((tokens) => [tokens.access_token, tokens.refresh_token]).map(isActive),
      )
      const last = successors[0] ?? current
      return [
        ...violationUnless(
          activeStates.every((active) => active === false),
          'a token is active after an old one was replayed',
        ),
        ...violationUnless(
          (await requests.refresh(port(1), last.refresh_token)).status === 400,
          'a refresh token works after the replay',
        ),
      ]
    },
  }
}

const statuses = (replies: readonly Reply[]): string =>
  [...new Set(replies.map(({ status, text }) => `${status} ${text.slice(0, 80)}`))].join('; ')
