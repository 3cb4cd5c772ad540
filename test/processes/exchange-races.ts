import { epochSeconds, sessionId, userId } from '@mintmark/storage-interface'

import { clientRequests, codeOf, tokensOf } from './client-requests.ts'
import type { Race } from './races.ts'
import { consent, type ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

interface SignedIn {
  readonly user: string
  readonly session: string
  readonly accessToken: string
}

/** Returns the races between the exchange of a token at all servers and the end of something that it depends on. */
export function exchangeRacesOf(site: ProcessSite, ports: readonly number[]): Readonly<Record<string, Race>> {
  const { storage } = site
  const requests = clientRequests(site.clients)
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

  return {
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
