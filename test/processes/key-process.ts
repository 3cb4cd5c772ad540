// One of several processes that share the same keys. Its argument is a DatabaseAddress in JSON. It executes each line of
// stdin as a command, prints the result as a line of JSON, and exits when stdin ends.
import { createInterface } from 'node:readline'

import { createStoredKeys } from '@mintmark/core'
import { createSqlStorage } from '@mintmark/storage-sql'

import { openDatabase } from './open-database.ts'
import { issuer, type DatabaseAddress } from './server-config.ts'

const database = JSON.parse(process.argv[2] ?? '') as DatabaseAddress
const dialect = openDatabase(database)
const storage = await createSqlStorage({ dialect, issuer })
const sealingKey = Buffer.alloc(32, 7).toString('base64url')
// Reads storage for every command, so that changes by other processes are visible at once and no test has to wait.
const keys = createStoredKeys({ storage, sealingKey, algorithms: ['ES256'], schedule: { staleness: 0 } })

const commands: Readonly<Record<string, (keyId: string) => Promise<unknown>>> = {
  rotate: async () => (await keys.rotate({ when: 'now' })).algorithms[0],
  drop: (keyId) => keys.drop(keyId),
  sign: async () => (await keys.signer('ES256')).keyId,
  publish: async () => (await keys.publicKeys()).map(({ keyId }) => keyId),
}

process.stdout.write('"ready"\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', keyId = ''] = line.split(' ')
  process.stdout.write(`${JSON.stringify(await commands[name]?.(keyId))}\n`)
}
await dialect.close()
// A pool would keep the process alive until its connections time out.
process.exit()
