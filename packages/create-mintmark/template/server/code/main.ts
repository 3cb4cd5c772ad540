import { createSqlStorage } from '@mintmark/storage-sql'

import { createApp, toServer } from '#app'
import { createSite } from '#create-site'
import { openDatabase } from '#database'
import { logger } from '#logger'
import { settings } from '#settings'
import { openUsers } from '#users'

const { issuer, environment, trustedProxies } = settings
const database = openDatabase(environment)
const storage = await createSqlStorage({ issuer, dialect: database.dialect })
const sources = { tables: database.tables, environment }
const users = await openUsers(sources)
const site = await createSite({ ...settings, storage, users, logger })
const server = await toServer(createApp(site, { trustedProxies }))

// In a container, set HOST=0.0.0.0, and put a proxy with https in front of it.
const port = Number(environment['PORT'] ?? (new URL(issuer).port || 3000))
server.once('error', (error) => {
  console.error(`The server cannot listen on port ${port}: ${error.message}. If another program uses it, stop it.`)
  process.exit(1)
})
server.listen(port, environment['HOST'] ?? 'localhost', () => {
  console.log(`${issuer} is running. Press Ctrl-C to stop it.
Try it:   ${issuer}/try?key=${settings.tryKey} signs you in to a client
Tokens:   ${issuer}/try?show=token shows the tokens that the client gets`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

/** Waits for open requests for at most a second, because browsers keep idle connections open. */
function stop(): void {
  server.close(() => void database.close())
  setTimeout(() => server.closeAllConnections(), 1000).unref()
}
