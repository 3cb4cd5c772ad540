// Compares the cost of ending a session and delivering its logout token (Back-Channel Logout §2.5) with the same signature,
// writes and request, written by hand: `pnpm bench deliveries`. All operations are measured in turns in one run.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'

import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { clientId, epochSeconds, sessionId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aJoin, aSessionEnd, aUser } from '@mintmark/storage-interface/fixtures'
import { generateKeyPair, SignJWT } from 'jose'

import { costsOf } from './costs-of.ts'
import { environment } from './report.ts'
import { benchStorage } from './targets/bench-storage.ts'
import { databasePath } from './targets/database-path.ts'
import { issuer } from './targets/fixture.ts'
import { sqlConnection } from './targets/floor/sql-connection.ts'
import type { Later } from './targets/later.ts'

const receiver = fork(new URL('./receiver-process.ts', import.meta.url))
const [port] = (await once(receiver, 'message')) as [number]
const origin = `http://127.0.0.1:${port}`
const now = () => epochSeconds(Math.floor(Date.now() / 1000))

const [inMemory, onSqlite, memory, sqlite] = await costsOf([
  floor(memoryWrites()),
  floor(await sqliteWrites()),
  await mintmark('memory'),
  await mintmark('sqlite'),
])
console.log(`${environment()}\n\n| CPU us, lower quartile | floor | Mintmark | ratio |\n| --- | --- | --- | --- |`)
for (const [name, base = 0, ours = 0] of [
  ['memory', inMemory, memory],
  ['SQLite', onSqlite, sqlite],
] as const)
  console.log(`| ${name} | ${base.toFixed(0)} | ${ours.toFixed(0)} | ${(ours / base).toFixed(2)} |`)
process.exit()

/** Ends sessions with one client each, through Mintmark. */
async function mintmark(storageName: 'memory' | 'sqlite'): Promise<Operation> {
  const { storage } = await benchStorage({ storage: storageName, sqlitePath: databasePath() }, issuer)
  await storage.clients.insert(
    aClientRecord({
      clientId: clientId('client'),
      idTokenSignedResponseAlg: 'ES256',
      backchannelLogoutUri: `${origin}/logout`,
    }),
  )
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') }),
    signedIn: () => Promise.resolve(undefined),
    dangerouslyAllowOutbound: [origin],
    purge: false,
    backChannelLogout: { afterRequests: false },
    onEvent: () => {},
  })
  await server.ready()
  return endingSessions(
    (id) => join(id, storage),
    async (id) => {
      await storage.sessions.revoke(aSessionEnd({ sessionId: sessionId(id), now: now() }))
      const { delivered } = await server.deliverOnce()
      if (delivered !== 1) throw new Error(`${delivered} logout tokens were delivered.`)
    },
  )
}

/** Creates a user and a session of this name, which the client has joined. */
async function join(id: string, storage: AdminStorage): Promise<void> {
  const [user, session] = [userId(id), sessionId(id)]
  await storage.users.insert(aUser({ userId: user }))
  const keptUntil = epochSeconds(now() + 86_400)
  const joined = {
    sessionId: session,
    userId: user,
    authTime: now(),
    keptUntil,
    clientId: clientId('client'),
    now: now(),
  }
  await storage.sessions.join(aJoin(joined))
}

/** The writes of a floor, for one session and its message. */
interface Writes {
  readonly join: (id: string) => Later<unknown>
  /** Ends the session, and stores the message. */
  readonly end: (id: string) => Later<unknown>
  readonly settle: (id: string) => Later<unknown>
}

function memoryWrites(): Writes {
  const sessions = new Map<string, number | undefined>()
  const messages = new Map<string, { readonly client: string; readonly settledAt?: number }>()
  return {
    join: (id) => sessions.set(id, undefined),
    end: (id) => {
      sessions.set(id, Date.now())
      messages.set(id, { client: 'client' })
    },
    settle: (id) => messages.set(id, { client: 'client', settledAt: Date.now() }),
  }
}

async function sqliteWrites(): Promise<Writes> {
  const { run, row } = await sqlConnection({
    storage: 'sqlite',
    sqlitePath: databasePath(),
    algorithm: 'ES256',
    accessTokens: 'jwt',
    rows: 0,
  })
  await run(`
    CREATE TABLE sessions (session_id TEXT PRIMARY KEY, client TEXT NOT NULL, ended_at INTEGER) STRICT, WITHOUT ROWID;
    CREATE TABLE messages (id TEXT PRIMARY KEY, client TEXT NOT NULL, settled_at INTEGER) STRICT, WITHOUT ROWID;`)
  const insert = row('INSERT INTO sessions VALUES (?, ?, NULL)')
  const end = row('UPDATE sessions SET ended_at = ? WHERE session_id = ? RETURNING client')
  const store = row('INSERT INTO messages VALUES (?, ?, NULL)')
  const settle = row('UPDATE messages SET settled_at = ? WHERE id = ?')
  return {
    join: (id) => insert(id, 'client'),
    end: async (id) => {
      await end(now(), id)
      await store(id, 'client')
    },
    settle: (id) => settle(now(), id),
  }
}

/** Ends sessions by hand: the writes, a signature by jose, and a request over a connection that stays open. */
function floor({ join, end, settle }: Writes): Operation {
  const agent = new Agent({ keepAlive: true })
  const keys = generateKeyPair('ES256')
  return endingSessions(join, async (id) => {
    await end(id)
    const claims = { sub: id, sid: id, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: 'k' })
    token.setIssuer(issuer).setAudience('client').setIssuedAt().setExpirationTime('2m').setJti(randomUUID())
    const body = new URLSearchParams({ logout_token: await token.sign((await keys).privateKey) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }
    const sent = request(`${origin}/logout`, { method: 'POST', agent, headers }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    if (response.statusCode !== 204) throw new Error(`The receiver answered ${response.statusCode}.`)
    await settle(id)
  })
}

type Operation = Parameters<typeof costsOf>[0][number]

/** An operation that ends a session; the sessions are created between the measurements. */
function endingSessions(join: (id: string) => Later<unknown>, end: (id: string) => Promise<void>): Operation {
  let ids: string[] = []
  return {
    async prepare(count) {
      ids = Array.from({ length: count }, () => randomUUID())
      for (const id of ids) await join(id)
    },
    run: () => end(ids.pop() ?? ''),
  }
}
