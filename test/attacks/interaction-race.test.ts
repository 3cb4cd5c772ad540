import { OAuthError, type PendingInteraction } from '@mintmark/core'
import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { InteractionRecord, AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { dumpDatabase } from '../support/dump-database.ts'
import { answerInteraction, authorize, browserCookie, browserCookies } from '../support/flow.ts'
import { expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const issuer = 'https://as.test'

/** Returns a form post to the host's page from the browser that started the interaction. */
const formPost = (site: ServerUnderTest, started: Reply): ServerRequest => ({
  method: 'POST',
  url: started.location,
  headers: new Map([
    ['cookie', browserCookies(started)],
    ['origin', site.issuer],
  ]),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})

/** Starts an interaction and reads it several times before it is completed. */
async function readRepeatedly(site: ServerUnderTest, times: number): Promise<readonly PendingInteraction[]> {
  const started = await authorize(site)
  return Promise.all(Array.from({ length: times }, () => site.server.interaction(formPost(site, started))))
}

const countCodes = (site: ServerUnderTest): number =>
  (JSON.parse(site.dump()) as { codes: readonly unknown[] }).codes.length

describe('concurrent requests that found the same interaction before any of them completed it (RFC 6749 §4.1.2)', () => {
  it.each([
    ['ten equal decisions', (pending: PendingInteraction) => pending.complete({ grantedScopes: ['openid'] })],
    ['ten refusals', (pending: PendingInteraction) => pending.deny()],
  ])('%s get one response, and at most one code is stored', async (_, end) => {
    const site = await startServer()
    const found = await readRepeatedly(site, 10)

    const locations = new Set((await Promise.all(found.map(end))).map(locationOf))

    expect(locations.size).toBe(1)
    expect(countCodes(site)).toBe([...locations].join().includes('code=') ? 1 : 0)
    expect(site.events.filter(({ type }) => type === 'code.issued' || type === 'interaction.denied')).toHaveLength(1)
    await site.close()
  })

  it.each([
    [
      'completions and refusals',
      (pending: PendingInteraction, at: number) =>
        at % 2 === 0 ? pending.deny() : pending.complete({ grantedScopes: ['openid'] }),
    ],
    [
      'completions with different scope values',
      (pending: PendingInteraction, at: number) =>
        pending.complete({ grantedScopes: at % 2 === 0 ? ['openid'] : ['profile'] }),
    ],
  ])('%s: one decision succeeds, and at most one code is stored', async (_, end) => {
    const site = await startServer()
    const found = await readRepeatedly(site, 10)

    const ended = await Promise.allSettled(found.map(end))

    const refused = ended.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    const answers = ended.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const [location = '', ...others] = new Set(answers.map(locationOf))
    expect(others).toEqual([])
    expect(refused.map((error) => (error instanceof OAuthError ? error.reason : error))).toEqual(
      Array.from({ length: 5 }, () => 'interaction_completed'),
    )
    expect(countCodes(site)).toBe(new URL(location).searchParams.has('code') ? 1 : 0)
    await site.close()
  })
})

const locationOf = ({ headers }: ServerResponse): string => headers.find(([name]) => name === 'Location')?.[1] ?? ''

it('a sign-in in one tab is refused after another tab has completed the interaction (RFC 6749 §4.1.2)', async () => {
  const site = await startServer()
  const [tab, other] = await readRepeatedly(site, 2)
  const signedIn = { subject: 'U1', authTime: site.clock.now() }
  await other?.complete({ ...signedIn, grantedScopes: ['openid'] })
  const before = site.dump()

  await expect(tab?.complete(signedIn)).rejects.toMatchObject({
    code: 'invalid_request',
    reason: 'interaction_completed',
  })

  expect(site.dump()).toBe(before)
  await site.close()
})

describe('records that a faulty store returns are checked again (RFC 9700 §4.7)', () => {
  it.each([
    ['an interaction that another browser requests', (record: InteractionRecord) => record],
    ['an interaction without a browser', ({ browserDigest: _dropped, ...record }: InteractionRecord) => record],
  ])('%s is not found', async (_, read) => {
    const { site, close } = await startCareless(read)
    const started = await startSignedIn(site)
    const other = browserCookie(await authorize(site))

    await expectErrorPage(site, {
      send: () => site.send({ path: started.location.pathname + started.location.search, headers: { cookie: other } }),
      reason: 'interaction_unknown',
    })
    await close()
  })

  it.each([
    ['an interaction that has expired', (record: InteractionRecord) => ({ ...record, expiresAt: record.createdAt })],
    [
      'an interaction of another browser',
      (record: InteractionRecord) => ({ ...record, browserDigest: 'x'.repeat(43) }),
    ],
    ['an interaction without an expiry time', ({ expiresAt: _dropped, ...record }: InteractionRecord) => record],
  ])('%s is not found', async (_, read) => {
    const { site, close } = await startCareless(read)
    const started = await startSignedIn(site)

    await expectErrorPage(site, {
      send: () =>
        site.send({
          path: started.location.pathname + started.location.search,
          headers: { cookie: browserCookie(started) },
        }),
      reason: 'interaction_unknown',
    })
    await close()
  })
})

/** Starts an interaction in which a user has signed in, so that it is stored. */
async function startSignedIn(site: ServerUnderTest): Promise<Reply> {
  const started = await authorize(site, {}, { cookie: '' })
  await answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now()}`)
  return started
}

/** Starts a server whose store finds interactions by their handle alone and returns what `read` makes of them. */
async function startCareless(
  read: (record: InteractionRecord) => object,
): Promise<{ site: ServerUnderTest; close: () => Promise<void> }> {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const records = new Map<string, InteractionRecord>()
  const careless: AdminStorage = {
    ...storage,
    interactions: {
      ...storage.interactions,
      insert(record) {
        records.set(record.digest, record)
        return storage.interactions.insert(record)
      },
      find(digest) {
        const record = records.get(digest)
        return Promise.resolve(record === undefined ? undefined : (read(record) as InteractionRecord))
      },
    },
  }
  const server = await startServer({ storage: careless })
  return { site: { ...server, dump: () => dumpDatabase(database, issuer) }, close: () => server.close() }
}
