import { epochSeconds, sessionId, userId } from '@mintmark/storage-interface'

import type { Reply } from '../support/send.ts'
import { type ClientRequests, clientRequests, codeOf, tokensOf } from './client-requests.ts'
import type { Race } from './races.ts'
import { consent, type ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

interface SignedIn {
  readonly user: string
  readonly session: string
  readonly accessToken: string
}

/** Returns the races between the exchange of a token at all servers and the end of something that it depends on. */
export function exchangeRacesOf(
  site: ProcessSite,
  ports: readonly number[],
  onOutcome: (outcome: string) => void = () => {},
): Readonly<Record<string, Race>> {
  const { storage } = site
  const requests = answeredRequests(clientRequests(site.clients))
  const port = (index: number): number => ports[index % ports.length] ?? 0
  const now = () => epochSeconds(Math.floor(Date.now() / 1000))
  const exchangeEverywhere = (accessToken: string) =>
    Promise.all(Array.from({ length: 8 }, (_, index) => requests.exchange(port(index), accessToken)))

  /** Signs a new user in to client A. */
  const signIn = async (round: number): Promise<SignedIn> => {
    const name = `exchange-${process.pid}-${Date.now()}-${round}`
    await storage.users.insert({ userId: userId(name), claims: {}, createdAt: now() })
    await consent(storage, name, now())
    const code = codeOf(await requests.authorize(port(round), name, name))
    return { user: name, session: name, accessToken: tokensOf(await requests.redeem(port(round), code)).access_token }
  }
  const race =
    (end: (signedIn: SignedIn, at: number) => Promise<unknown>): Race =>
    async (round) => {
      const signedIn = await signIn(round)
      const before = await requests.exchange(port(round), signedIn.accessToken)

      const [during] = await Promise.all([exchangeEverywhere(signedIn.accessToken), end(signedIn, port(round))])
      const after = await exchangeEverywhere(signedIn.accessToken)

      const issued = [before, ...during].filter(({ status }) => status === 200).map(tokensOf)
      const states = await Promise.all(
        issued.map((tokens, index) => requests.introspect(port(index), tokens.access_token)),
      )
      return [
        ...violationUnless(before.status === 200, `no token before the end: ${before.text}`),
        ...violationUnless(
          after.every(({ status, json }) => status === 400 && json['error'] === 'invalid_request'),
          'a token was exchanged after its end',
        ),
        ...violationUnless(
          states.every(({ json }) => json['active'] === false),
          'an exchanged token is active after the end of its subject token',
        ),
      ]
    }

  /** One of the seven choices of revocation, end of the session, and deactivation; each is the first in some rounds. */
  const endSome = async (round: number, { user, session, accessToken }: SignedIn) => {
    const ends = [
      () => requests.revoke(port(round), accessToken),
      () =>
        storage.sessions.revoke({
          sessionId: sessionId(session),
          reason: 'user',
          now: now(),
          tombstoneUntil: undefined,
        }),
      () => storage.users.deactivate(userId(user), now()),
    ]
    const chosen = ends.filter((_, index) => ((((round % 7) + 1) >> index) & 1) === 1)
    const first = round % chosen.length
    // Some rounds end while tokens are issued, others before or after.
    for (let sent = 0; sent < round % 4; sent += 1) await requests.introspect(port(sent), 'none')
    return Promise.all([...chosen.slice(first), ...chosen.slice(0, first)].map((end) => end()))
  }

  return {
    'a chain of exchanged tokens does not survive the end of its first token': async (round) => {
      const signedIn = await signIn(round)
      const child = tokensOf(await requests.exchange(port(round), signedIn.accessToken)).access_token
      const grandchild = tokensOf(await requests.exchange(port(round + 1), child)).access_token
      const chain = [signedIn.accessToken, child, grandchild]
      const exchangeAll = (tokens: readonly string[]) =>
        Promise.all(tokens.map((token, index) => requests.exchange(port(round + index), token)))

      const [during] = await Promise.all([exchangeAll([...chain, grandchild]), endSome(round, signedIn)])
      const issued = during.filter(({ status }) => status === 200).map((reply) => tokensOf(reply).access_token)
      const tokens = [...chain, ...issued]
      const states = await Promise.all(tokens.map((token, index) => requests.introspect(port(index), token)))
      const late = await exchangeAll(tokens)

      onOutcome(`${issued.length} exchanged while it ended`)
      return [
        ...violationUnless(
          states.every(({ json }) => json['active'] === false),
          'a token of the chain is active after the end of its first token',
        ),
        ...violationUnless(
          late.every(({ status, json }) => status === 400 && json['error'] === 'invalid_request'),
          'a token of the chain was exchanged after the end of its first token',
        ),
      ]
    },
    'exchanged tokens do not survive the revocation of their subject token': race(({ accessToken }, at) =>
      requests.revoke(at, accessToken),
    ),
    'exchanged tokens do not survive the end of their session': race(({ session }) =>
      storage.sessions.revoke({ sessionId: sessionId(session), reason: 'user', now: now(), tombstoneUntil: undefined }),
    ),
    'exchanged tokens do not survive the deactivation of their user': race(({ user }) =>
      storage.users.deactivate(userId(user), now()),
    ),
  }
}

/**
 * Fails when a server is overloaded, so that the round is repeated: a revocation that was answered 503 did not end anything, and
 * such an answer about a token says nothing about it.
 */
function answeredRequests(requests: ClientRequests): ClientRequests {
  const answered = async (sent: Promise<Reply>): Promise<Reply> => {
    const reply = await sent
    if (reply.status === 503 || reply.status === 429) throw new Error(`No answer: ${reply.status} ${reply.text}`)
    return reply
  }
  return {
    ...requests,
    exchange: (...call) => answered(requests.exchange(...call)),
    introspect: (...call) => answered(requests.introspect(...call)),
    revoke: (...call) => answered(requests.revoke(...call)),
  }
}
