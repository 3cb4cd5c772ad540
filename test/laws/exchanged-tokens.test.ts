import { clientId, userId } from '@mintmark/storage-interface'
import { describe, expect, it, onTestFinished } from 'vitest'

import { asAgent, chainOf, exchange, isActive, startExchangeSite, type ExchangeSite } from '../support/exchange-site.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { encode, postForm } from '../support/flow.ts'
import { rounds } from '../support/rounds.ts'
import { stores } from '../support/stores.ts'
import { revoke } from '../support/token-calls.ts'

/** Something that revokes tokens of a chain of exchanges. */
interface Ending {
  readonly what: string
  readonly end: (site: ExchangeSite, chain: readonly string[]) => Promise<unknown>
  /** The index of the first token of the chain that it revokes. */
  readonly first: number
}

const endings: readonly Ending[] = [
  {
    what: 'the user is deactivated',
    end: (site) => site.storage.users.deactivate(userId('U1'), site.clock.now()),
    first: 0,
  },
  { what: 'the user is removed', end: (site) => site.storage.users.remove(userId('U1'), site.clock.now()), first: 0 },
  {
    what: 'the grant is revoked',
    async end({ storage, clock }) {
      const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('A'))
      if (grant !== undefined) await storage.grants.revoke(grant.grantId, clock.now())
    },
    first: 0,
  },
  {
    what: 'the sessions of the user are ended',
    end: ({ storage, clock }) => storage.sessions.revokeOfUser(userId('U1'), 'administrator', clock.now()),
    first: 0,
  },
  { what: 'the client of the user is disabled', end: (site) => disable(site, 'A'), first: 0 },
  { what: 'the client of the first exchange is disabled', end: (site) => disable(site, 'agent0'), first: 1 },
  { what: 'the client of the second exchange is disabled', end: (site) => disable(site, 'agent1'), first: 2 },
  { what: 'the client revokes the token of the user', end: (site, [own = '']) => revoke(site, own), first: 0 },
  {
    what: 'the first agent revokes its token',
    end: (site, [, token = '']) => revokeAs(site, 'agent0', token),
    first: 1,
  },
]

const disable = (site: ExchangeSite, id: string) =>
  changeClient(site.storage, clientId(id), { disabledAt: site.clock.now() })

const revokeAs = (site: ExchangeSite, agent: string, token: string) =>
  postForm(site, '/token/revocation', encode({ token }), { authorization: asAgent(site, agent) })

const statusOf = (site: ExchangeSite, chain: readonly string[]): Promise<readonly boolean[]> =>
  Promise.all(chain.map((token) => isActive(site, token)))

describe.each(stores)(
  'law: on %s, no token is active after something that it was exchanged for has ended',
  (_name, open) => {
    it.each(endings)('$what', async ({ end, first }) => {
      const site = await startExchangeSite({ storage: await open(), sessionBoundTokens: 'all' })
      onTestFinished(() => site.close())
      const chain = await chainOf(site, ['agent0', 'agent1'])

      const before = await statusOf(site, chain)
      await end(site, chain)

      expect(before).toEqual([true, true, true])
      expect(await statusOf(site, chain)).toEqual(chain.map((_token, index) => index < first))
    })
  },
)

describe.each(stores)(
  'law: on %s, an exchange that races with an end gives no token that is active after both',
  (name, open) => {
    it.each(endings.filter(({ first }) => first < 2))('$what', async ({ end, first }) => {
      for (let round = 0; round < rounds({ fast: name === 'memory' ? 3 : 1, long: 4 }); round += 1) {
        const site = await startExchangeSite({ storage: await open(), sessionBoundTokens: 'all' })
        const chain = await chainOf(site, ['agent0'])

        const [reply] = await Promise.all([exchange(site, 'agent1', chain[1] ?? ''), end(site, chain)])

        const all = [...chain, ...(reply.status === 200 ? [String(reply.json['access_token'])] : [])]
        expect(await statusOf(site, all)).toEqual(all.map((_token, index) => index < first))
        await site.close()
      }
    })
  },
)
