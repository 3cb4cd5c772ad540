// Measures a sign-out with 20 clients, and the time until its first logout token arrives: `pnpm bench logout [rounds]`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createAdministration } from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { clientId, epochSeconds, sessionId, userId, type AdminStorage } from '@mintmark/storage-interface'
import type { SessionId } from '@mintmark/storage-interface/stores'
import { aClientRecord, aJoin, aUser } from '@mintmark/storage-interface/fixtures'

import { onlyCount } from '../../scripts/command-words.ts'
import { startPostgres } from '../../packages/storage-sql/test/support/postgres-server.ts'
import { issuer } from '../processes/server-config.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from '../processes/test-database.ts'
import { quantile } from '../support/quantile.ts'

const rounds = await onlyCount('pnpm bench logout', { of: 'rounds', otherwise: 100 })
const clients = Array.from({ length: 20 }, (_, index) => clientId(`rp-${index}`))
const receivers = 2
const now = () => epochSeconds(Math.floor(Date.now() / 1000))

const postgres = await startPostgres()
await measure('SQLite', await openSqliteSite())
await measure('PostgreSQL', await openPostgresSite(postgres.url))
await postgres.stop()

async function measure(engine: string, site: ProcessSite): Promise<void> {
  const { storage } = site
  let received: (() => void) | undefined
  const receiver = createServer((request, response) => {
    received?.()
    request.resume().on('end', () => void response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  // Only two clients receive logout tokens, because the server sends at most two requests at a time to one host.
  for (const [index, id] of clients.entries())
    await storage.clients.insert(
      aClientRecord({ clientId: id, backchannelLogoutUri: index < receivers ? `${origin}/${id}` : undefined }),
    )

  let currentUser = ''
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
    signedIn: () => Promise.resolve({ subject: currentUser, authTime: now(), sessionId: currentUser }),
    logout: { endSession: async () => [], renderPage: () => ({ status: 200, headers: [], body: '' }) },
    dangerouslyAllowOutbound: [origin],
    onEvent: () => {},
  })
  await server.ready()
  const stop = new AbortController()
  const running = server.deliver({ signal: stop.signal })
  const signOut = () =>
    server.handle({
      method: 'POST',
      url: new URL(`${issuer}/session/end/confirm`),
      headers: new Map([
        ['origin', issuer],
        ['content-type', 'application/x-www-form-urlencoded'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode('decision=sign_out'),
    })
  const admin = createAdministration({ storage }).as({ kind: 'host', id: 'bench' })

  const request: number[] = []
  const [first, afterDeactivation]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    currentUser = await aSession(`signs-out-${round}`, storage)
    first.push(
      await untilFirstToken(async () => {
        const startedAt = performance.now()
        const { status } = await signOut()
        request.push(performance.now() - startedAt)
        if (status !== 200) throw new Error(`The sign-out got status ${status}.`)
      }),
    )
    currentUser = await aSession(`deactivated-${round}`, storage)
    afterDeactivation.push(await untilFirstToken(() => admin.users.deactivate(currentUser)))
  }
  stop.abort()
  await running
  console.log(`${engine}, ${rounds} rounds, milliseconds (median, 99th percentile):`)
  console.log(`  the request that ends a session with 20 clients: ${summary(request)}`)
  console.log(`  until the first logout token arrives after a sign-out: ${summary(first)}`)
  console.log(
    `  until the first logout token arrives after an administrator deactivates a user: ${summary(afterDeactivation)}`,
  )
  receiver.close()
  receiver.closeAllConnections()
  await site.close()

  /** Measures the time to the first token. Waits for all tokens, so that rounds do not disturb each other. */
  async function untilFirstToken(act: () => Promise<unknown>): Promise<number> {
    let count = 0
    let firstAt = 0
    const all = new Promise<void>((resolve) => {
      received = () => {
        count += 1
        if (count === 1) firstAt = performance.now()
        if (count === receivers) resolve()
      }
    })
    const startedAt = performance.now()
    await act()
    await all
    return firstAt - startedAt
  }
}

/** Creates a user and a session of this name, which all clients have joined. */
async function aSession(name: string, storage: AdminStorage): Promise<SessionId> {
  const [user, session] = [userId(name), sessionId(name)]
  await storage.users.insert(aUser({ userId: user }))
  const keptUntil = epochSeconds(now() + 86_400)
  for (const id of clients)
    await storage.sessions.join(
      aJoin({ sessionId: session, userId: user, authTime: now(), keptUntil, clientId: id, now: now() }),
    )
  return session
}

function summary(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(1)}, ${quantile(times, 0.99).toFixed(1)}`
}
