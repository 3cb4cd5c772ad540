import { createResourceServer, type ResourceServer } from '@mintmark/resource-server'
import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { clientRequests, codeOf, tokensOf, type ClientRequests } from './client-requests.ts'
import { scimRequests, type ScimRequests } from './scim-requests.ts'
import { issuer } from './server-config.ts'
import { startServerProcess, startServerProcesses, type ServerProcess } from './server-processes.ts'
import { consent, openPostgresSite, openSqliteSite, type ProcessSite } from './test-database.ts'

describe.for([
  { name: 'PostgreSQL', open: async () => openPostgresSite(await addressOfTheRun()) },
  { name: 'SQLite', open: openSqliteSite },
])('two servers on one $name database', ({ open }) => {
  let site: ProcessSite
  let servers: readonly ServerProcess[]
  /** Ports of the servers. The last server dies right after it has deactivated a user. */
  let [here, there, dying] = [0, 0, 0]
  let client: ClientRequests
  let provider: ScimRequests

  beforeAll(async () => {
    site = await open()
    const starting = startServerProcess(site.database, {
      crash: { when: 'after', call: 'provisionedUsers.compareAndSwap' },
    })
    servers = [...(await startServerProcesses(site.database, 2)), await starting]
    ;[here = 0, there = 0, dying = 0] = servers.map(({ port }) => port)
    client = clientRequests(site.clients)
    provider = scimRequests(site.scimSecret)
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await site.close()
  })

  /** Creates a user through T1 and gets tokens for the user from one of the servers. */
  async function aUser(userName: string) {
    const id = await provider.provision(here, userName)
    await consent(site.storage, id, epochSeconds(Date.now() / 1000))
    return { id, tokens: tokensOf(await client.redeem(here, codeOf(await client.authorize(here, id)))) }
  }

  /** Creates an API that reads revocations from the other server. */
  function anApi(mode: 'on_demand' | 'follow'): PollingApi {
    let elapsed = 0
    const start = Date.now()
    const clock = (): number => start + elapsed
    let polls = 0
    const api = createResourceServer({
      issuer,
      audience: issuer,
      credentials: { clientId: 'RS', clientSecret: site.clients.RS.secret },
      revocationFeed: { mode },
      clock,
      fetch: (url, init) => {
        const { pathname } = new URL(url instanceof Request ? url.url : url)
        if (pathname.endsWith('/revocation-feed')) polls += 1
        return fetch(`http://127.0.0.1:${there}${pathname}`, init)
      },
    })
    onTestFinished(() => api.stop())
    return {
      admits: (token) => admits(api, token),
      clock,
      advance: (milliseconds) => void (elapsed += milliseconds),
      polls: () => polls,
      mode,
    }
  }

  test.for(['on_demand', 'follow'] as const)(
    'a resource server rejects a user within a second after SCIM deactivates the user at the server that it does not poll (%s)',
    async (mode) => {
      const { id, tokens } = await aUser(`ann-${mode}@x.test`)
      const other = await aUser(`bob-${mode}@x.test`)
      const api = anApi(mode)
      const before = [await api.admits(tokens.access_token), await api.admits(other.tokens.access_token)]

      const { status } = await provider.deactivate(here, id)
      const milliseconds = await untilRefused(api, tokens.access_token)

      expect([status, before]).toEqual([200, [true, true]])
      expect(milliseconds).toBeLessThan(1000)
      expect(await api.admits(other.tokens.access_token)).toBe(true)
    },
  )

  test('one server delivers revocations by the other, and the disabling of a client by a third process (RFC 7009 §2.1)', async () => {
    const [revoked, ofClient] = [await aUser('cid@x.test'), await aUser('dot@x.test')]
    const api = anApi('follow')
    await api.admits(revoked.tokens.access_token)

    await client.revoke(here, revoked.tokens.access_token)
    const first = await untilRefused(api, revoked.tokens.access_token)
    const before = await api.admits(ofClient.tokens.access_token)
    await changeClient(site.storage, clientId('A'), { disabledAt: epochSeconds(Date.now() / 1000) })
    const second = await untilRefused(api, ofClient.tokens.access_token)
    await changeClient(site.storage, clientId('A'), { disabledAt: undefined })

    expect(before).toBe(true)
    expect(Math.max(first, second)).toBeLessThan(1000)
    await expect.poll(() => api.admits(ofClient.tokens.access_token)).toBe(true)
  })

  test('a deactivation is delivered even if the server that wrote it died before it responded', async () => {
    const { id, tokens } = await aUser('eve@x.test')
    const api = anApi('on_demand')
    const before = await api.admits(tokens.access_token)

    await expect(provider.deactivate(dying, id)).rejects.toThrow()
    const milliseconds = await untilRefused(api, tokens.access_token)

    expect([await servers[2]?.ended, before]).toEqual(['SIGKILL', true])
    expect(milliseconds).toBeLessThan(1000)
  })
})

async function admits(api: ResourceServer, token: string): Promise<boolean> {
  const rule = api.requireAnyToken()
  try {
    await rule.admit([`Bearer ${token}`])
    return true
  } catch (error) {
    if (rule.renderRefusal(error) === undefined) throw error
    return false
  }
}

/** An API with a clock that the test advances. */
interface PollingApi {
  readonly mode: 'on_demand' | 'follow'
  readonly admits: (token: string) => Promise<boolean>
  /** The current time in milliseconds. */
  readonly clock: () => number
  readonly advance: (milliseconds: number) => void
  /** The number of requests to the feed. */
  readonly polls: () => number
}

/**
 * Presents the token until it is refused.
 * @returns the milliseconds of the clock for which it was accepted. A polled feed must deliver the revocation in the
 * response to the waiting request or to the next one; core's tests cover how soon the server responds.
 */
async function untilRefused(api: PollingApi, token: string): Promise<number> {
  const { mode, admits: isAdmitted, clock, advance, polls } = api
  const [startedAt, pollsBefore] = [clock(), polls()]
  while (await isAdmitted(token)) {
    expect(clock() - startedAt).toBeLessThan(3000)
    expect(polls() - pollsBefore).toBeLessThanOrEqual(2)
    if (mode === 'on_demand') advance(50)
    else await new Promise((resolve) => setImmediate(resolve))
  }
  return clock() - startedAt
}
