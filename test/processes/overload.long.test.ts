import { expect, test } from 'vitest'

import { addressOfTheRun } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import type { Reply } from '../support/send.ts'
import { type ClientRequests, clientRequests, type Tokens } from './client-requests.ts'
import { startServerProcesses } from './server-processes.ts'
import { openPostgresSite } from './test-database.ts'

/** More requests at once than two processes admit together. */
const senders = 40
const maxConcurrentRequests = 3

test('two overloaded processes on PostgreSQL refuse requests, and end no session because of it (RFC 9110 §15.6.4)', async () => {
  const site = await openPostgresSite(await addressOfTheRun())
  const servers = await startServerProcesses(site.database, 2, { maxConcurrentRequests })
  const ports = servers.map(({ port }) => port)
  const client = clientRequests(site.clients)
  const families: Tokens[] = []
  for (let each = 0; each < 5; each += 1) families.push(await signIn(client, ports))

  const flooding = { isOver: false }
  const replies: Reply[] = []
  const flood = Array.from({ length: senders }, async (_, sender) => {
    while (!flooding.isOver) replies.push(await client.introspect(ports[sender % 2] ?? 0, `unknown-${sender}`))
  })
  const refreshed = await Promise.all(families.map((tokens) => refreshFiveTimes(client, tokens, ports)))
  while (replies.every(({ status }) => status !== 503)) await new Promise(setImmediate)
  flooding.isOver = true
  await Promise.all(flood)
  const afterwards: Reply[] = []
  for (const [at, token] of refreshed.entries()) afterwards.push(await client.refresh(ports[at % 2] ?? 0, token))

  const refused = replies.filter(({ status }) => status === 503)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect(refused.every((reply) => reply.header('retry-after') === '1')).toBe(true)
  // No session has ended, and the processes serve requests again at once.
  expect(afterwards.map(({ status }) => status)).toEqual(refreshed.map(() => 200))
  await Promise.all(servers.map((server) => server.kill()))
  await site.close()
})

async function signIn(client: ClientRequests, ports: readonly number[]): Promise<Tokens> {
  const [port = 0] = ports
  const started = await client.authorize(port)
  const redeemed = await client.redeem(port, started.location.searchParams.get('code') ?? '')
  return redeemed.json as unknown as Tokens
}

/** Refreshes five times, and repeats each request that was refused because the process was busy. */
async function refreshFiveTimes(client: ClientRequests, tokens: Tokens, ports: readonly number[]): Promise<string> {
  let token = tokens.refresh_token
  for (let done = 0; done < 5;) {
    const reply = await client.refresh(ports[done % 2] ?? 0, token)
    if (reply.status === 503) continue
    expect(reply.status).toBe(200)
    token = String(reply.json['refresh_token'])
    done += 1
  }
  return token
}
