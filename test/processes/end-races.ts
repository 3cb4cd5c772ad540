import { createStoredKeys } from '@mintmark/core'
import { clientId, epochSeconds, sessionId, userId } from '@mintmark/storage-interface'

import { changeClient } from '../support/fixture-clients.ts'
import { clientRequests, codeOf, tokensOf, type Tokens } from './client-requests.ts'
import type { Race } from './races.ts'
import { consent, type ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** What a user's sign-in led to. */
interface Chain {
  readonly user: string
  readonly first: Tokens
  readonly current: Tokens
  readonly exchanged: Tokens
  /** Not redeemed yet. */
  readonly code: string
}

/** Returns the race in which everything that a chain of tokens depends on ends at once, while all servers use the chain. */
export function endRacesOf(site: ProcessSite, ports: readonly number[]): Readonly<Record<string, Race>> {
  const { storage } = site
  const requests = clientRequests(site.clients)
  const port = (index: number): number => ports[index % ports.length] ?? 0
  const now = () => epochSeconds(Math.floor(Date.now() / 1000))
  const everywhere = <Reply>(start: (port: number) => Promise<Reply>) => Promise.all(ports.map(start))
  const keys = createStoredKeys({
    storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    algorithms: ['ES256'],
    schedule: { staleness: 0 },
  })

  /**
   * Signs a new user in to client A, refreshes, and exchanges. For five seconds after the key was dropped, some servers still
   * sign with it and others refuse its signatures. It then tries again.
   */
  const openChain = async (round: number): Promise<Chain> => {
    let refused = ''
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const { exchange, ...chain } = await tryChain(`ended-${process.pid}-${Date.now()}-${round}-${attempt}`, round)
      if (exchange.status === 200) return { ...chain, exchanged: tokensOf(exchange) }
      refused = exchange.text
    }
    throw new Error(`No chain of tokens: ${refused}`)
  }
  const tryChain = async (user: string, round: number) => {
    await storage.users.insert({ userId: userId(user), claims: {}, createdAt: now() })
    await consent(storage, user, now())
    const signIn = async () => codeOf(await requests.authorize(port(round), user, user))
    const first = tokensOf(await requests.redeem(port(round), await signIn()))
    const current = tokensOf(await requests.refresh(port(round + 1), first.refresh_token))
    const exchange = await requests.exchange(port(round + 2), current.access_token)
    return { user, first, current, exchange, code: await signIn() }
  }
  const endAll = async (round: number, { user, current }: Chain) => {
    const { keyId } = await keys.signer('ES256')
    const ends = [
      () =>
        storage.sessions.revoke({ sessionId: sessionId(user), reason: 'user', now: now(), tombstoneUntil: undefined }),
      () => changeClient(storage, clientId('A'), { disabledAt: now() }),
      () => storage.users.deactivate(userId(user), now()),
      () => requests.revoke(port(round), current.refresh_token),
      // Not in each round, because the next round has to wait until all servers have the next key.
      ...(round % 10 === 0 ? [() => keys.drop(keyId)] : []),
    ]
    // Another one is the first in each round.
    const first = round % ends.length
    return Promise.all([...ends.slice(first), ...ends.slice(0, first)].map((end) => end()))
  }

  return {
    'no token survives when all that it depends on ends at once': async (round) => {
      const chain = await openChain(round)
      const { first, current, exchanged, code } = chain

      const [, refreshed, exchanges, redeemed] = await Promise.all([
        endAll(round, chain),
        everywhere((at) => requests.refresh(at, current.refresh_token)),
        everywhere((at) => requests.exchange(at, current.access_token)),
        everywhere((at) => requests.redeem(at, code)),
      ])
      // The other ends are final. With the client, its tokens would be active again if something had survived them.
      await changeClient(storage, clientId('A'), { disabledAt: undefined })

      const issued = [...refreshed, ...exchanges, ...redeemed].filter(({ status }) => status === 200).map(tokensOf)
      const tokens = [first, current, exchanged, ...issued].flatMap(({ access_token, refresh_token }) => [
        access_token,
        ...(refresh_token === undefined ? [] : [refresh_token]),
      ])
      const states = await Promise.all(
        tokens.map(async (token, index) => (await requests.introspect(port(index), token)).json['active']),
      )
      const late = await Promise.all([
        ...tokens.map((token) => requests.refresh(port(round), token)),
        ...tokens.map((token) => requests.exchange(port(round + 1), token)),
        requests.redeem(port(round + 2), code),
      ])
      return [
        ...violationUnless(
          states.every((active) => active === false),
          `${states.filter((active) => active !== false).length} of ${states.length} tokens survive`,
        ),
        ...violationUnless(
          late.every(({ status }) => status === 400),
          'a token was issued after the end of everything',
        ),
      ]
    },
  }
}
