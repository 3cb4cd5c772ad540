// The server that a hostile tenant attacks. Its argument is a DatabaseAddress in JSON. It prints its port, responds to
// each message with a report of its use since the last one, and exits when its parent exits.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { toNodeListener } from '@mintmark/adapter-node'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createScimServer } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'

import { openDatabase } from '../processes/open-database.ts'
import { issuer, type DatabaseAddress } from '../processes/server-config.ts'
import { reportStalls } from './stalls.ts'

const storage = await createSqlStorage({
  dialect: openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseAddress),
  issuer,
})
const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({
    storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    algorithms: ['ES256'],
  }),
  signedIn: async (request) => {
    const [, subject, time] = /(?:^|; )host=([^.;]+)\.(\d+)/.exec(request.headers.get('cookie') ?? '') ?? []
    return subject === undefined ? undefined : { subject, authTime: Number(time), amr: ['pwd'] }
  },
})

const listener = createServer(toNodeListener(server, createScimServer({ issuer, storage })))
reportStalls(listener)
// More connections than Node's 511 may wait to be accepted: a client whose connection is dropped tries again after a second.
listener.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.stdout.write(`${(listener.address() as AddressInfo).port}\n`),
)
process.on('disconnect', () => process.exit())
