import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { digestSecret } from '@mintmark/internal'
import { epochSeconds, userId } from '@mintmark/storage-interface'

import type { Change } from '../support/flow.ts'
import { clientRequests, tokensOf } from './client-requests.ts'
import type { Race } from './races.ts'
import { issuer } from './server-config.ts'
import type { ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** Returns the races of requests that a user approves in this process, while the client polls all servers. */
export function cibaRacesOf(
  site: ProcessSite,
  ports: readonly number[],
  onOutcome: (outcome: string) => void = () => {},
): Readonly<Record<string, Race>> {
  const { storage } = site
  const requests = clientRequests(site.clients)
  const port = (index: number): number => ports[index % ports.length] ?? 0
  const phone = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url'), algorithms: ['ES256'] }),
    purge: false,
    ciba: { findUser: () => Promise.resolve('unknown'), askUser: () => Promise.resolve() },
    signedIn: () => Promise.resolve(undefined),
    onEvent: () => {},
  })

  /** Has a server ask a new user. */
  const askUser = async (round: number, change: Change = {}) => {
    const user = `asked-${process.pid}-${Date.now()}-${round}`
    await storage.users.insert({ userId: userId(user), claims: {}, createdAt: epochSeconds(Date.now() / 1000) })
    const { json } = await requests.ask(port(round), user, change)
    const authReqId = String(json['auth_req_id'])
    const pending = await phone.approval(await digestSecret(authReqId), user)
    const signedIn = { subject: user, authTime: Math.floor(Date.now() / 1000) }
    const approve = () => pending?.approve({ ...signedIn, grantedScopes: ['openid', 'offline_access'] })
    const deny = () => pending?.deny()
    return { user, authReqId, approve, deny }
  }
  const pollAll = (authReqId: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => requests.poll(port(index), authReqId)))
  const isActive = async (token: string) => (await requests.introspect(port(0), token)).json['active']

  return {
    'a backchannel request is redeemed once': async (round) => {
      const { authReqId, approve } = await askUser(round)

      const [outcomes, during] = await Promise.all([
        Promise.all([approve(), approve(), approve()]),
        pollAll(authReqId, 12),
      ])
      const after = await pollAll(authReqId, 12)

      const won = [...during, ...after].filter(({ status }) => status === 200)
      const approved = outcomes.filter((outcome) => outcome === 'approved')
      const active = await Promise.all(won.map((reply) => isActive(tokensOf(reply).access_token)))
      return [
        ...violationUnless(approved.length === 1, `one request was approved ${approved.length} times`),
        ...violationUnless(won.length === 1, `${won.length} polls got tokens`),
        ...violationUnless(
          after.every(({ status, json }) => status === 200 || json['error'] === 'invalid_grant'),
          'a poll after the first tokens was not refused',
        ),
        // RFC 6749 §4.1.2: the later polls revoke the winner's tokens.
        ...violationUnless(!active.includes(true), 'a token is active after its request was replayed'),
      ]
    },

    'a backchannel request that is approved, denied, expired and deprived of its user at once has one outcome': async (
      round,
    ) => {
      const [isShort, isDeactivated] = [round % 2 === 1, round % 4 >= 2]
      const { user, authReqId, approve, deny } = await askUser(round, isShort ? { requested_expiry: '1' } : {})
      const deactivate = () => storage.users.deactivate(userId(user), epochSeconds(Date.now() / 1000))
      // Without a delay, an approval always comes last, because it takes longer.
      const delayed = async <Result>(requestsBefore: number, act: () => Result) => {
        for (let sent = 0; sent < requestsBefore; sent += 1) await requests.introspect(port(sent), 'none')
        return act()
      }
      const pollTwice = async () => [
        ...(await pollAll(authReqId, 1 + (round % 3))),
        ...(await pollAll(authReqId, round % 5)),
      ]

      const [polls, decisions] = await Promise.all([
        pollTwice(),
        Promise.all([approve(), delayed(round % 6, deny)]),
        ...(isDeactivated ? [delayed(round % 7, deactivate)] : []),
      ])
      const last = await requests.poll(port(round), authReqId)

      const won = [...polls, last].filter(({ status }) => status === 200).map(tokensOf)
      const active = await Promise.all(won.flatMap((each) => [each.access_token, each.refresh_token]).map(isActive))
      const decided = decisions.filter((decision) => decision === 'approved' || decision === 'denied')
      const error = won.length > 0 ? 'tokens' : String(last.json['error'])
      onOutcome(`${decided[0] ?? 'undecided'}, ${error}${isDeactivated ? ', user deactivated' : ''}`)
      return [
        ...violationUnless(decided.length <= 1, `one request was decided ${decided.length} times`),
        ...violationUnless(won.length <= 1, `${won.length} polls got tokens`),
        ...violationUnless(won.length === 0 || decided[0] === 'approved', 'a poll of an unapproved request got tokens'),
        ...violationUnless(
          won.length > 0 || ['access_denied', 'expired_token', 'invalid_grant'].includes(error),
          `the last poll was answered ${error}`,
        ),
        ...violationUnless(isShort || decided.length === 1 || isDeactivated, 'a request that lasts was not decided'),
        ...violationUnless(!(isDeactivated && active.includes(true)), 'a token of a deactivated user is active'),
        ...violationUnless(!(isDeactivated && last.status === 200), 'a poll after the deactivation got tokens'),
      ]
    },

    'a backchannel request that expires while it is approved and polled has one outcome': async (round) => {
      const { authReqId, approve } = await askUser(round, { requested_expiry: '1' })
      const isSettled = (error: unknown) => error !== 'authorization_pending' && error !== 'slow_down'
      const pollUntilSettled = async (index: number) => {
        for (;;) {
          const sentAt = performance.now()
          const reply = await requests.poll(port(index), authReqId)
          if (isSettled(reply.json['error'])) return { ...reply, sentAt, answeredAt: performance.now() }
        }
      }
      // The user answers after a number of polls, which differs from round to round: early, at the last moment, or too late.
      const decide = async () => {
        for (let polls = 0; polls < (round * 37) % 150; polls += 1) await requests.poll(port(polls), authReqId)
        return approve()
      }

      const [decided, ...replies] = await Promise.all([decide(), ...ports.map((_, index) => pollUntilSettled(index))])

      const won = replies.filter(({ status }) => status === 200)
      const expired = replies.filter(({ json }) => json['error'] === 'expired_token')
      const errors = new Set(replies.filter(({ status }) => status !== 200).map(({ json }) => json['error']))
      // Of two polls at the same time, one may arrive just before the end of the request, and the other just after it.
      const gaveTokensLater = won.some(({ sentAt }) => expired.some(({ answeredAt }) => answeredAt < sentAt))
      return decided === 'approved'
        ? [
            ...violationUnless(won.length <= 1, `${won.length} polls got tokens`),
            ...violationUnless(!gaveTokensLater, 'it had expired, and gave tokens to a later poll'),
          ]
        : violationUnless(
            won.length === 0 && errors.size === 1 && errors.has('expired_token'),
            `${[...errors].join()}, ${won.length}`,
          )
    },

    'tokens for a backchannel request do not survive the deactivation of their user': async (round) => {
      const { user, authReqId, approve } = await askUser(round)

      const [, polls] = await Promise.all([
        approve(),
        pollAll(authReqId, 4),
        storage.users.deactivate(userId(user), epochSeconds(Date.now() / 1000)),
      ])
      const last = await requests.poll(port(round), authReqId)

      const won = [...polls, last].filter(({ status }) => status === 200).map(tokensOf)
      const tokens = won.flatMap((each) => [each.access_token, each.refresh_token])
      const active = await Promise.all(tokens.map(isActive))
      return [
        ...violationUnless(last.status === 400, `a poll after the deactivation was answered ${last.status}`),
        ...violationUnless(!active.includes(true), 'a token of a deactivated user is active'),
      ]
    },
  }
}
