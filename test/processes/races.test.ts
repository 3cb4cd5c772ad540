import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { rounds } from '../support/rounds.ts'
import { unrotatedTokenRacesOf } from './unrotated-token-races.ts'
import { cibaRacesOf } from './ciba-races.ts'
import { assertionRacesOf, createPartner } from './assertion-races.ts'
import { endRacesOf } from './end-races.ts'
import { exchangeRacesOf } from './exchange-races.ts'
import { racesOf, type Race } from './races.ts'
import { scimRacesOf } from './scim-races.ts'
import { sessionRacesOf } from './session-races.ts'
import { startServerProcesses, type ServerProcess } from './server-processes.ts'
import { openMariadbSite, openPostgresSite, openSqliteSite, type ProcessSite } from './test-database.ts'

// `pnpm stress race` runs a thousand rounds.
const roundsOfEach = rounds({ fast: 1, long: 3 })

const databases = [
  { name: 'PostgreSQL', open: async () => openPostgresSite(await addressOfTheRun()) },
  { name: 'SQLite', open: openSqliteSite },
  { name: 'MariaDB', open: openMariadbSite },
]

describe.for(databases.slice(0, rounds({ fast: 2, long: 3 })))('several servers on one $name database', ({ open }) => {
  let site: ProcessSite
  let servers: readonly ServerProcess[]
  let races: Readonly<Record<string, Race>>

  beforeAll(async () => {
    site = await open()
    const partner = await createPartner(site)
    const [rotating, withoutRotation] = await Promise.all([
      startServerProcesses(site.database, rounds({ fast: 2, long: 4 }), { partnerKeys: partner.keys }),
      startServerProcesses(site.database, 2, { rotation: 'unbound_only' }),
    ])
    servers = [...rotating, ...withoutRotation]
    const ports = rotating.map(({ port }) => port)
    races = {
      ...racesOf(site, ports),
      ...scimRacesOf(site, ports),
      ...sessionRacesOf(site, ports),
      ...cibaRacesOf(site, ports),
      ...assertionRacesOf(site, ports, partner),
      ...exchangeRacesOf(site, ports),
      ...unrotatedTokenRacesOf(
        site,
        withoutRotation.map(({ port }) => port),
      ),
      ...endRacesOf(site, ports),
    }
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await site.close()
  })

  test.for([
    ['a code is redeemed once', 'RFC 6749 §10.5'],
    ['a pushed request is used once', 'RFC 9126 §4'],
    ['a refresh token gets one successor', 'RFC 9700 §4.14.2'],
    ['a client assertion is accepted once', 'RFC 7523 §3'],
    ['reuse of an old refresh token revokes the current one', 'RFC 9700 §4.14.2'],
    ['refreshed tokens do not survive the deactivation of their user', 'RFC 6749 §5.2'],
    ['tokens for a code do not survive the deactivation of their user', 'RFC 6749 §5.2'],
    ['codes and tokens do not survive the end of a session', 'Back-Channel Logout §2.7'],
    ['a backchannel request is redeemed once', 'CIBA Core 1.0 §10.1'],
    ['tokens for a backchannel request do not survive the deactivation of their user', 'CIBA Core 1.0 §11'],
    ['a backchannel request that expires while it is approved and polled has one outcome', 'CIBA Core 1.0 §7.3'],
    [
      'a backchannel request that is approved, denied, expired and deprived of its user at once has one outcome',
      'CIBA Core 1.0 §11',
    ],
    ['the assertion of an issuer is accepted once', 'RFC 7523 §3'],
    ['an ID-JAG that counts once is accepted once', 'RFC 7523 §3'],
    ['exchanged tokens do not survive the revocation of their subject token', 'RFC 7009 §2.1'],
    ['exchanged tokens do not survive the end of their session', 'Back-Channel Logout §2.7'],
    ['exchanged tokens do not survive the deactivation of their user', 'RFC 8693 §2.2.2'],
    ['a chain of exchanged tokens does not survive the end of its first token', 'RFC 8693 §2.2.2'],
    ['unrotated refresh tokens do not survive their revocation', 'RFC 7009 §2.1'],
    ['unrotated refresh tokens do not survive the revocation of their grant', 'RFC 6749 §5.2'],
    ['unrotated refresh tokens do not survive the end of their session', 'Back-Channel Logout §2.7'],
    ['unrotated refresh tokens do not survive the end of all sessions of their user', 'Back-Channel Logout §2.7'],
    ['unrotated refresh tokens do not survive the deactivation of their user', 'RFC 6749 §5.2'],
    ['a userName is assigned once', 'RFC 7644 §3.3'],
    ['concurrent changes of a group are all stored', 'RFC 7644 §3.5.2'],
    // The last, because it drops the signing key.
    ['no token survives when all that it depends on ends at once', 'RFC 6749 §5.2'],
  ])('%s (%s)', async ([name = '']) => {
    const race = races[name]
    const violations: string[] = []

    for (let round = 0; round < roundsOfEach; round += 1)
      violations.push(...((await race?.(round)) ?? ['no such race']))

    expect(violations).toEqual([])
  })
})
