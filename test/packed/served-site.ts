import { createServer } from 'node:http'

import { createStoredKeys } from '@mintmark/core'
import { epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { exportJWK } from 'jose'

import { adapters } from '../support/adapters.ts'
import { registerFixtureClients } from '../support/fixture-clients.ts'
import { createFixtureSite, insertFixtureUsers } from '../support/fixture-site.ts'

// Serves the site of the attack tests. The argument is the adapter's name, the variable PORT the port. With Express,
// the site stores its records in a SQLite file.

const issuer = 'https://as.test'
const adapter = adapters.find(({ name }) => name === process.argv[2])
if (adapter === undefined) throw new Error(`There is no adapter ${process.argv[2]}.`)

const storage =
  adapter.name === 'Express'
    ? await createSqlStorage({ issuer, dialect: openSqliteDialect('packed.db', { migrate: 'on-open' }) })
    : createMemoryStorage({ issuer })
const clients = await registerFixtureClients(storage)
await insertFixtureUsers(storage, epochSeconds(Date.now() / 1000))
const site = createFixtureSite({ issuer, storage, keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }) })

const secrets = { userAgent: navigator.userAgent, clients: { ...clients, B: await exportJWK(clients.B.privateKey) } }
const headers = [['Content-Type', 'application/json']] as const
const fixture = {
  service: site.server,
  endpoint: () => Promise.resolve({ status: 200, headers, body: JSON.stringify(secrets) }),
}
const listener = adapter.listener({ ...site, pages: { ...site.pages, '/fixture': fixture } })
createServer(listener).listen(Number(process.env['PORT']), '127.0.0.1')
