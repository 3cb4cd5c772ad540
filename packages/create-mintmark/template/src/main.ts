import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import { createApp } from './app.ts'
import { logger } from './logger.ts'
import { openUsers } from './users.ts'
import { settings } from './settings.ts'

const { issuer, database, sealingKey, trustedProxies } = settings
const dialect = { ...openSqliteDialect(database), migrateCommand: 'npm run migrate' }
const storage = await createSqlStorage({ issuer, dialect })
const users = openUsers(settings.users)
const app = await createApp({ storage, users, sealingKey, trustedProxies, logger })

// In a container, set HOST=0.0.0.0, and put a proxy with https in front of it.
const port = Number(process.env['PORT'] ?? (new URL(issuer).port || 3000))
const listener = app.listen(port, process.env['HOST'] ?? 'localhost', (error) => {
  if (error === undefined) {
    return console.log(`${issuer} is running. Press Ctrl-C to stop it.
Try it: ${issuer}/try signs you in to a client, and shows the tokens that it gets.`)
  }
  console.error(`The server cannot listen on port ${port}: ${error.message}. If another program uses it, stop it.`)
  process.exit(1)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

/** Waits for open requests for at most a second, because browsers keep idle connections open. */
function stop(): void {
  listener.close(() => void dialect.close().then(() => users.close()))
  setTimeout(() => listener.closeAllConnections(), 1000).unref()
}
