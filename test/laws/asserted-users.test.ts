import { clientId, userId } from '@mintmark/storage-interface'
import { describe, expect, it, onTestFinished } from 'vitest'

import { api, kim, setActive, startAssertionSite, type AssertionSite } from '../support/assertion-site.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { rounds } from '../support/rounds.ts'
import { stores } from '../support/stores.ts'
import { introspect } from '../support/token-calls.ts'

/** Something after which no token for an assertion about Kim is active. */
const endings: readonly { readonly what: string; readonly end: (site: AssertionSite) => Promise<unknown> }[] = [
  { what: 'the directory deactivates the user', end: (site) => setActive(site, false) },
  { what: 'the user is removed', end: ({ storage, clock }) => storage.users.remove(userId(kim), clock.now()) },
  {
    what: 'the access of the user is revoked',
    end: ({ storage, clock }) => storage.users.revokeAccess(userId(kim), clock.now()),
  },
  {
    what: 'the grant is revoked',
    async end({ storage, clock }) {
      const grant = await storage.grants.findUnrevoked(userId(kim), clientId('agent'))
      if (grant !== undefined) await storage.grants.revoke(grant.grantId, clock.now())
    },
  },
  {
    what: 'the client is disabled',
    end: ({ storage, clock }) => changeClient(storage, clientId('agent'), { disabledAt: clock.now() }),
  },
]

async function start(open: () => Promise<AssertionSite['storage']>): Promise<AssertionSite> {
  const site = await startAssertionSite({ storage: await open() })
  await changeClient(site.storage, clientId('RS'), { servedAudiences: [api] })
  return site
}

const isActive = async (site: AssertionSite, token: unknown): Promise<unknown> =>
  (await introspect(site, String(token), 'RS')).json['active']

describe.each(stores)(
  'law: on %s, no token for an assertion is active after its user has lost access',
  (_name, open) => {
    it.each(endings)('$what', async ({ end }) => {
      const site = await start(open)
      onTestFinished(() => site.close())
      const token = (await site.present(await site.idJag())).json['access_token']
      const before = await isActive(site, token)

      await end(site)

      expect([before, await isActive(site, token)]).toEqual([true, false])
    })
  },
)

describe.each(stores)(
  'law: on %s, a race with the end of access gives no token that is active after both',
  (name, open) => {
    // A grant that is revoked first is made anew.
    it.each(endings.filter(({ what }) => what !== 'the grant is revoked' && !what.startsWith('the access')))(
      '$what',
      async ({ end }) => {
        for (let round = 0; round < rounds({ fast: 2, long: name === 'memory' ? 15 : 4 }); round += 1) {
          const site = await start(open)
          const assertion = await site.idJag()

          const [reply] = await Promise.all([site.present(assertion), end(site)])

          const token = reply.json['access_token']
          if (token !== undefined) expect(await isActive(site, token)).toBe(false)
          await site.close()
        }
      },
    )
  },
)

describe.each(stores)(
  'law: on %s, an assertion that counts once gives one token under any interleaving',
  (_name, open) => {
    it('of eight presentations at once, one succeeds', async () => {
      for (let round = 0; round < rounds({ fast: 1, long: 3 }); round += 1) {
        const site = await start(open)
        const assertion = await site.partnerJwt()

        const replies = await Promise.all(Array.from({ length: 8 }, () => site.present(assertion)))

        expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
        await site.close()
      }
    })
  },
)
