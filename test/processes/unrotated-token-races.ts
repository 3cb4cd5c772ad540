import { epochSeconds, grantId, sessionId, userId } from '@mintmark/storage-interface'

import { clientRequests, codeOf, tokensOf } from './client-requests.ts'
import type { Race } from './races.ts'
import { scimRequests } from './scim-requests.ts'
import { consent, type ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** The objects of a race: an unrotated refresh token, the user with the grant for client A, and the session of the token. */
interface Target {
  readonly refreshToken: string
  readonly user: string
  readonly session: string
  /** The port of one of the servers. */
  readonly port: number
}

/**
 * Returns the races between a revocation and refreshes with a token that is not rotated, over servers with
 * `refreshTokenRotation: 'unbound_only'`. Such a token stays current, so reuse does not reveal a missed revocation.
 */
export function unrotatedTokenRacesOf(site: ProcessSite, ports: readonly number[]): Readonly<Record<string, Race>> {
  const requests = clientRequests(site.clients)
  const requestsOfT1 = scimRequests(site.scimSecret)
  const { storage } = site
  const now = () => epochSeconds(Date.now() / 1000)
  const port = (index: number): number => ports[index % ports.length] ?? 0

  const against =
    (revoke: (target: Target) => Promise<unknown>): Race =>
    async (round) => {
      const user = await requestsOfT1.provision(port(round), `unrotated-${process.pid}-${performance.now()}-${round}`)
      await consent(storage, user, now())
      const session = `unrotated-${user}`
      const code = codeOf(await requests.authorize(port(round), user, session))
      const first = tokensOf(await requests.redeem(port(round + 1), code))
      const target = { refreshToken: first.refresh_token, user, session, port: port(round) }

      const early = Array.from({ length: 4 }, (_, index) => requests.refresh(port(index), first.refresh_token))
      const revoked = revoke(target)
      const late = Array.from({ length: 4 }, (_, index) => requests.refresh(port(index), first.refresh_token))
      const replies = await Promise.all([...early, ...late])
      await revoked

      const issued = replies.filter(({ status }) => status === 200).map(tokensOf)
      const all = [first, ...issued].flatMap((tokens) => [tokens.access_token, tokens.refresh_token])
      const statuses = await Promise.all(all.map((token, index) => requests.introspect(port(index), token)))
      const again = await Promise.all(ports.map((at) => requests.refresh(at, first.refresh_token)))
      return [
        ...violationUnless(
          issued.every((tokens) => tokens.refresh_token === first.refresh_token),
          'a refresh token was rotated',
        ),
        ...violationUnless(
          replies.every(({ status }) => status === 200 || status === 400),
          'a refresh failed',
        ),
        ...violationUnless(
          statuses.every(({ json }) => json['active'] === false),
          'a token survived its revocation',
        ),
        ...violationUnless(
          again.every(({ status }) => status === 400),
          'a refresh token works after its revocation',
        ),
      ]
    }

  return {
    'unrotated refresh tokens do not survive their revocation': against((target) =>
      requests.revoke(target.port, target.refreshToken),
    ),
    'unrotated refresh tokens do not survive the revocation of their grant': against(({ user }) =>
      storage.grants.revoke(grantId(`consent-${user}`), now()),
    ),
    'unrotated refresh tokens do not survive the end of their session': against(({ session }) =>
      storage.sessions.revoke({ sessionId: sessionId(session), reason: 'user', now: now(), tombstoneUntil: undefined }),
    ),
    'unrotated refresh tokens do not survive the end of all sessions of their user': against(({ user }) =>
      storage.sessions.revokeOfUser(userId(user), 'user', now()),
    ),
    'unrotated refresh tokens do not survive the deactivation of their user': against(({ user, port: at }) =>
      requestsOfT1.deactivate(at, user),
    ),
  }
}
