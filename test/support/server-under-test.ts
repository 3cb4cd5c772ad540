import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import {
  createStoredKeys,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type KeyRing,
  type ServerEvent,
} from '@mintmark/core'
import { epochSeconds, type EpochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

import { expressAdapter, type Adapter } from './adapters.ts'
import { dumpDatabase } from './dump-database.ts'
import { registerFixtureClients, type FixtureClients } from './fixture-clients.ts'
import { createFixtureSite, insertFixtureUsers } from './fixture-site.ts'
import { send, type Reply, type Sent } from './send.ts'

/**
 * A running server with the clients and users of the attack tests. Tests reach it over HTTP, so it may run in another
 * process.
 */
export interface ReachableServer {
  readonly issuer: string
  readonly clients: FixtureClients
  readonly clock: { readonly now: () => EpochSeconds }
  send(sent: Sent): Promise<Reply>
}

/** A server in this process, on a free port of 127.0.0.1. */
export interface ServerUnderTest extends ReachableServer {
  readonly port: number
  readonly server: AuthorizationServer
  readonly storage: AdminStorage
  readonly keys: KeyRing
  /** Every event so far. */
  readonly events: readonly ServerEvent[]
  /** Returns the reason for the last refusal; `undefined` when nothing was refused. */
  lastReason(): string | undefined
  /** The server's clock; `advance` moves it forward. */
  readonly clock: { readonly now: () => EpochSeconds; readonly advance: (seconds: number) => void }
  /** Returns everything that is stored, as text: equal strings before and after a request mean that nothing changed. */
  dump(): string
  close(): Promise<void>
}

const sealingKey = Buffer.alloc(32, 7).toString('base64url')

type ServerOptions = Partial<Omit<AuthorizationServerOptions, 'storage'> & { readonly storage: AdminStorage }>

/** Starts the server of the attack tests: at a fixed time, with the issuer https://as.test unless the options change it. */
export async function startServer(
  options: ServerOptions = {},
  adapter: Adapter = expressAdapter,
): Promise<ServerUnderTest> {
  return start(
    { listener: createServer(), adapter, issuer: options.issuer ?? 'https://as.test', now: 1_790_000_000 },
    options,
  )
}

/**
 * Starts the same server for tests with third-party software: it uses the real time, and its issuer is its own address
 * unless the options name the address of a proxy in front of it.
 */
export async function startLoopbackServer(options: ServerOptions = {}): Promise<ServerUnderTest> {
  const listener = createServer()
  const address = `http://127.0.0.1:${await listen(listener)}`
  const issuer = options.issuer ?? address
  return start({ listener, adapter: expressAdapter, issuer, now: Math.floor(Date.now() / 1000) }, options)
}

async function start(
  {
    listener,
    adapter,
    issuer,
    now: startedAt,
  }: { readonly listener: Server; readonly adapter: Adapter; readonly issuer: string; readonly now: number },
  options: ServerOptions,
): Promise<ServerUnderTest> {
  let now = startedAt
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const database = createMemoryDatabase()
  const storage = options.storage ?? createMemoryStorage({ issuer, database })
  const keys = options.keys ?? createStoredKeys({ storage, sealingKey, clock: clock.now })
  const events: ServerEvent[] = []
  const clients = await registerFixtureClients(storage, options.clock ?? clock.now)
  await insertFixtureUsers(storage, clock.now())

  const site = createFixtureSite({
    issuer,
    storage,
    keys,
    clock: clock.now,
    onEvent: (event) => void events.push(event),
    interaction: { loginUrl: `${issuer}/login` },
    ...options,
  })
  listener.on('request', adapter.listener(site))
  const port = listener.listening ? (listener.address() as AddressInfo).port : await listen(listener)
  // Creates the keys now, so that their creation does not appear as a change of storage in a test.
  await keys.publicKeys()

  return {
    issuer,
    port,
    server: site.server,
    storage,
    keys,
    clients,
    events,
    clock,
    lastReason: () => events.findLast((event) => event.type === 'request.refused')?.reason,
    dump: () => dumpDatabase(database, issuer),
    send: (sent) => send(port, sent),
    close: () => new Promise((resolve, reject) => listener.close((error) => (error ? reject(error) : resolve()))),
  }
}

async function listen(listener: Server): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return (listener.address() as AddressInfo).port
}
