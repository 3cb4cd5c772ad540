import { createAuthorizationServer, createStoredKeys, type ServerEvent } from '@mintmark/core'
import { type EpochSeconds, epochSeconds } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'

import { plainRequest } from '../support/plain-request.ts'

test('a server with a mistyped issuer says at each start of its first day that the database is that of another issuer', async () => {
  const startAt = await aDatabase()
  const first = await startAt(firstDay, 'https://id.example')
  const mistyped = await startAt(secondDay, 'https://id.exmple')
  const again = await startAt(secondDay, 'https://id.exmple')
  const right = await startAt(secondDay, 'https://id.example')
  const nextDay = await startAt(thirdDay, 'https://id.exmple')

  expect([first.events, right.events, nextDay.events]).toEqual([[], [], []])
  expect(mistyped.events).toEqual([expect.objectContaining(warning)])
  expect(again.events).toEqual([expect.objectContaining(warning)])
})

test('without a call of ready, it says so with the first request, and only then', async () => {
  const startAt = await aDatabase()
  await startAt(firstDay, 'https://id.example')
  const { server, events } = await startAt(secondDay, 'https://id.exmple', { callsReady: false })
  const request = plainRequest('https://id.exmple', { path: '/.well-known/openid-configuration' })

  await server.handle(request)
  await vi.waitFor(() => expect(events).toEqual([expect.objectContaining(warning)]))
  await server.handle(request)
  await server.ready()

  expect(events).toHaveLength(1)
})

const firstDay = epochSeconds(1_750_000_000)
const secondDay = epochSeconds(firstDay + 86_400)
const thirdDay = epochSeconds(secondDay + 86_400)

const warning = {
  type: 'option.unsafe',
  option: 'issuer',
  advice:
    'https://id.exmple is new in this database, which has keys of https://id.example. Clients, users and sessions of another issuer are not found. If the issuer changed by mistake, restore it; if both share the database, ignore this.',
}

/** Creates a database, and returns a function that starts a server with it. */
async function aDatabase() {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  return async (now: EpochSeconds, issuer: string, { callsReady = true } = {}) => {
    const events: ServerEvent[] = []
    const clock = () => now
    const storage = await createSqlStorage({ dialect, issuer })
    const server = createAuthorizationServer({
      issuer,
      storage,
      clock,
      keys: createStoredKeys({ storage, clock, sealingKey: 'A'.repeat(43) }),
      signedIn: () => Promise.resolve(undefined),
      onEvent: (event) => void events.push(event),
    })
    if (callsReady) await server.ready()
    return { server, events }
  }
}
