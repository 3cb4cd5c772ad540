import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import { createApp } from './app.ts'
import { logger } from './logger.ts'
import { openPeople } from './people.ts'
import { settings } from './settings.ts'

const { issuer, database, sealingKey } = settings
const dialect = { ...openSqliteDialect(database), migrateCommand: 'npm run migrate' }
const storage = await createSqlStorage({ issuer, dialect })
const people = openPeople(settings.people)
const app = createApp({ storage, people, sealingKey, logger })

// In a container, HOST=0.0.0.0; in front of it a proxy that speaks https.
const port = Number(process.env['PORT'] ?? (new URL(issuer).port || 3000))
const listener = app.listen(port, process.env['HOST'] ?? 'localhost', (error) => {
  if (error === undefined) return console.log(`${issuer} is up. Ctrl-C stops it.`)
  console.error(`The server cannot listen on port ${port}: ${error.message}. Stop what uses it.`)
  process.exit(1)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

/** Lets what is being answered finish, for a second at most: browsers hold connections open that say nothing. */
function stop(): void {
  listener.close(() => void dialect.close().then(() => people.close()))
  setTimeout(() => listener.closeAllConnections(), 1000).unref()
}
