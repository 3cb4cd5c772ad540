// A process that writes groups and may be killed at any time. Its argument is a DatabaseAddress in JSON; it prints a
// line for each round.
import { createSqlStorage } from '@mintmark/storage-sql'

import { openDatabase } from '../processes/open-database.ts'
import { issuer, type DatabaseAddress } from '../processes/server-config.ts'
import { writeRound } from './group-rounds.ts'

const database = JSON.parse(process.argv[2] ?? '') as DatabaseAddress
const storage = await createSqlStorage({ dialect: openDatabase(database), issuer })

for (;;) {
  await writeRound(storage)
  process.stdout.write('\n')
}
