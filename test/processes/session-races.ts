import { epochSeconds, sessionId } from '@mintmark/storage-interface'

import { clientRequests, codeOf, tokensOf } from './client-requests.ts'
import type { Race } from './races.ts'
import type { ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** Returns the race between the end of a session and the requests of its client. All tokens are bound to the session. */
export function sessionRacesOf(site: ProcessSite, ports: readonly number[]): Readonly<Record<string, Race>> {
  const requests = clientRequests(site.clients)
  const { sessions } = site.storage
  const port = (index: number): number => ports[index % ports.length] ?? 0

  return {
    'codes and tokens do not survive the end of a session': async (round) => {
      const id = sessionId(`race-${process.pid}-${Date.now()}-${round}`)
      const now = epochSeconds(Date.now() / 1000)
      const signIn = (index: number) => requests.authorize(port(index), 'U1', id)
      const first = tokensOf(await requests.redeem(port(round), codeOf(await signIn(round))))
      const pending = codeOf(await signIn(round + 1))

      const [ended, redeemed, refreshed, ...visits] = await Promise.all([
        sessions.revoke({ sessionId: id, reason: 'user', now, tombstoneUntil: undefined }),
        requests.redeem(port(round + 1), pending),
        requests.refresh(port(round + 2), first.refresh_token),
        ...ports.map((_, index) => signIn(index)),
      ])

      const late = visits.flatMap((visit) => visit.location.searchParams.get('code') ?? [])
      const latest = await Promise.all(late.map((code, index) => requests.redeem(port(index), code)))
      const issued = [redeemed, refreshed, ...latest].filter(({ status }) => status === 200).map(tokensOf)
      const all = [first, ...issued].flatMap((tokens) => [tokens.access_token, tokens.refresh_token])
      const replies = await Promise.all(all.map((token, index) => requests.introspect(port(index), token)))
      const clients = await sessions.participants(id)
      return [
        ...violationUnless(ended.outcome === 'revoked', `the session was ${ended.outcome}`),
        ...violationUnless(
          latest.every(({ status }) => status === 400),
          'a code was redeemed after its session had ended',
        ),
        ...violationUnless(
          replies.every(({ json }) => json['active'] === false),
          'a token is active in an ended session',
        ),
        ...violationUnless(clients.length === 1, 'the client would not receive a logout token'),
        ...violationUnless(
          !(await signIn(round)).location.searchParams.has('code'),
          'a code was issued after the session had ended',
        ),
      ]
    },
  }
}
