import { createSqlStorage, migrate } from '@mintmark/storage-sql'

import { openDatabase } from '#database'
import { createFirstUser } from '#first-user'
import { createRecords } from '#records'
import { settings } from '#settings'
import { openUsers } from '#users'

// Creates the tables, a user, a client and a directory, unless they exist.

const { issuer, environment } = settings
const database = openDatabase(environment)
await migrate({ dialect: database.dialect })
const storage = await createSqlStorage({ issuer, dialect: database.dialect })
const sources = { tables: database.tables, environment }
const users = await openUsers(sources)
const print = (line: string): void => console.log(line)
const target = { ...sources, users, storage, print }
await createFirstUser(target)
await createRecords({ issuer, storage, print })
print(`Done. Existing records were not changed, and their secrets cannot be shown again.`)

await database.close()
