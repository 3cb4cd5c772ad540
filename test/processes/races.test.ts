import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { keptTokenRacesOf } from './kept-token-races.ts'
import { racesOf, type Race } from './races.ts'
import { scimRacesOf } from './scim-races.ts'
import { sessionRacesOf } from './session-races.ts'
import { startServerProcesses, type ServerProcess } from './server-processes.ts'
import { openPostgresSite, openSqliteSite, type ProcessSite } from './test-database.ts'

// `pnpm race` runs a thousand.
const rounds = 6

describe.for([
  { name: 'PostgreSQL', open: async () => openPostgresSite(await addressOfTheRun()) },
  { name: 'SQLite', open: openSqliteSite },
])('four servers on one $name database', ({ open }) => {
  let site: ProcessSite
  let servers: readonly ServerProcess[]
  let races: Readonly<Record<string, Race>>

  beforeAll(async () => {
    site = await open()
    const [rotating, keeping] = await Promise.all([
      startServerProcesses(site.database, 4),
      startServerProcesses(site.database, 2, { rotation: 'unbound_only' }),
    ])
    servers = [...rotating, ...keeping]
    const ports = rotating.map(({ port }) => port)
    races = {
      ...racesOf(site, ports),
      ...scimRacesOf(site, ports),
      ...sessionRacesOf(site, ports),
      ...keptTokenRacesOf(
        site,
        keeping.map(({ port }) => port),
      ),
    }
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await site.close()
  })

  test.for([
    ['RFC 6749 §10.5', 'a code'],
    ['RFC 9126 §4', 'a pushed request'],
    ['RFC 9700 §4.14.2', 'a refresh token'],
    ['RFC 7523 §3', 'the jti of a client assertion'],
    ['RFC 9700 §4.14.2', 'an old refresh token against the current one'],
    ['RFC 6749 §5.2', 'a refresh against the deactivation of its user'],
    ['RFC 6749 §5.2', 'a redemption against the deactivation of its user'],
    ['Back-Channel Logout §2.7', 'the end of a session against its sign-ins, codes and refreshes'],
    ['RFC 7009 §2.1', 'kept refresh tokens against their revocation'],
    ['RFC 6749 §5.2', 'kept refresh tokens against the revocation of their grant'],
    ['Back-Channel Logout §2.7', 'kept refresh tokens against the end of their session'],
    ['Back-Channel Logout §2.7', 'kept refresh tokens against the end of all sessions of their user'],
    ['RFC 6749 §5.2', 'kept refresh tokens against the deactivation of their user'],
    ['RFC 7644 §3.3', 'a userName'],
    ['RFC 7644 §3.5.2', 'the members of a group'],
  ])('%s: %s has one winner', async ([, subject = '']) => {
    const race = races[subject]
    const violations: string[] = []

    for (let round = 0; round < rounds; round += 1) violations.push(...((await race?.(round)) ?? ['no such race']))

    expect(violations).toEqual([])
  })
})
