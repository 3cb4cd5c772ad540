import { once } from 'node:events'
import { connect } from 'node:net'

import type { AuthorizationServerOptions } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'

import { adapters, expressAdapter } from '../support/adapters.ts'
import { authorize, basic, encode, obtainTokens, postForm } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file: all tests hold the reads of clients back, so that requests are in progress for as long as a test needs.
const releases: (() => void)[] = []
afterEach(() => releaseAll())

function releaseAll(): void {
  for (const release of releases.splice(0)) release()
}

/** Starts a server whose reads of clients wait, once `hold` was called, until the test releases them. */
async function startHeld(options: Partial<AuthorizationServerOptions> = {}, adapter = expressAdapter) {
  const stored = createMemoryStorage({ issuer: 'https://as.test' })
  let isHeld = false
  const storage: AdminStorage = {
    ...stored,
    clients: {
      ...stored.clients,
      find: async (id) => {
        if (isHeld) await new Promise<void>((resolve) => void releases.push(resolve))
        return stored.clients.find(id)
      },
    },
  }
  const site = await startServer({ ...options, storage }, adapter)
  onTestFinished(() => site.close())
  const hold = (): void => void (isHeld = true)
  const letGo = (): void => {
    isHeld = false
    releaseAll()
  }
  return { site, hold, letGo }
}

const introspect = (site: ServerUnderTest) =>
  postForm(site, '/token/introspection', encode({ token: 'x' }), { authorization: basic('RS', site.clients.RS.secret) })

/** Waits until this number of requests are in progress. */
async function inProgress(count: number): Promise<void> {
  while (releases.length < count) await new Promise<void>((resolve) => void setImmediate(resolve))
}

describe('a process that works on maxConcurrentRequests requests (RFC 9110 §15.6.4)', () => {
  it('refuses each further one with 503 and Retry-After, and admits requests again once it has time', async () => {
    const { site, hold, letGo } = await startHeld({ maxConcurrentRequests: 3 })
    hold()
    const admitted = [introspect(site), introspect(site), introspect(site)]
    await inProgress(3)

    const refused = await Promise.all(Array.from({ length: 20 }, () => introspect(site)))
    const page = await authorize(site, {}, { cookie: '' })

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]))
    expect([refused[0]?.json['error'], refused[0]?.header('retry-after')]).toEqual(['temporarily_unavailable', '1'])
    expect([page.status, page.header('retry-after'), page.header('content-type')]).toEqual([
      503,
      '1',
      'text/html; charset=utf-8',
    ])
    expect(site.lastReason()).toBe('server_busy')
    // Nobody else has read a client.
    expect(releases).toHaveLength(3)
    letGo()
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await introspect(site)).status).toBe(200)
  })

  it('still returns its keys and its metadata', async () => {
    const { site, hold } = await startHeld({ maxConcurrentRequests: 1 })
    hold()
    const admitted = introspect(site)
    await inProgress(1)

    const paths = ['/jwks', '/.well-known/openid-configuration']
    const replies = await Promise.all(paths.map((path) => site.send({ path })))

    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    releaseAll()
    await admitted
  })

  it('does not count clients that send their body slowly', async () => {
    const { site } = await startHeld({ maxConcurrentRequests: 1 })
    const sockets = Array.from({ length: 3 }, () => connect(site.port, '127.0.0.1'))
    onTestFinished(() => void sockets.map((socket) => socket.destroy()))
    const head = 'POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Type: application/x-www-form-urlencoded\r\n'
    await Promise.all(
      sockets.map(
        (socket) => new Promise((resolve) => socket.write(`${head}Content-Length: 100\r\n\r\ngrant_type=`, resolve)),
      ),
    )

    expect((await introspect(site)).status).toBe(200)
  })

  it('does not count requests that wait for the server of a client', async () => {
    let answer: ((response: Response) => void) | undefined
    const answered = new Promise<Response>((resolve) => void (answer = resolve))
    const { site } = await startHeld({
      maxConcurrentRequests: 1,
      clientDocuments: { allow: '*' },
      fetch: () => answered,
    })
    const waiting = Array.from({ length: 3 }, (_, n) =>
      authorize(site, { client_id: `https://cli${n}.test/a` }, { cookie: '' }),
    )

    expect((await introspect(site)).status).toBe(200)
    answer?.(new Response(null, { status: 404 }))
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([400, 400, 400])
  })
})

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))(
  'a client that disconnects while its request is in progress (%s)',
  (_, adapter) => {
    it('keeps its refresh token, because nobody would receive the successor (RFC 9700 §4.14.2)', async () => {
      const { site, hold, letGo } = await startHeld({}, adapter)
      const tokens = await obtainTokens(site)
      const form = encode({ grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] })
      const authorization = basic('A', site.clients.A.secret)
      hold()
      const socket = connect(site.port, '127.0.0.1')
      socket.write(
        `POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
          `Authorization: ${authorization}\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      )
      await inProgress(1)
      socket.destroy()
      await once(socket, 'close')
      // The server reads the end of that connection before a request that arrives later.
      await site.send({ path: '/jwks' })
      letGo()
      await site.send({ path: '/jwks' })
      site.clock.advance(1000)

      // A token that had been rotated so long ago would count as stolen.
      expect((await postForm(site, '/token', form, { authorization })).status).toBe(200)
      expect(site.events.filter(({ type }) => type === 'request.refused')).toEqual([])
    })
  },
)
