import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode } from '../support/flow.ts'
import { plainPost } from '../support/plain-request.ts'
import { startProbedServer, type ProbedServer } from '../support/probed-server.ts'
import { authenticateEveryClient } from '../support/token-calls.ts'

let site: ProbedServer
beforeAll(async () => {
  site = await startProbedServer()
  await authenticateEveryClient(site)
  await changeClient(site.storage, clientId('RS'), { disabledAt: site.clock.now() })
})
afterAll(() => site.close())

/** Returns the answer to a request and its cost: the digests that were computed and the calls of storage. */
async function costOf(authorization: string, form: Readonly<Record<string, string>> = {}): Promise<unknown> {
  // Counts the calls without changing them.
  const digest = vi.spyOn(process.getBuiltinModule('node:crypto'), 'hash')
  site.probe.reset()
  const headers = authorization === '' ? {} : { authorization }
  const body = encode({ grant_type: 'client_credentials', ...form })

  const answer = await site.server.handle(plainPost(site.issuer, '/token', { body, headers }))

  const digests = digest.mock.calls.map(([algorithm]) => algorithm)
  digest.mockRestore()
  // Every response has its own correlation identifier.
  const compared = answer.headers.filter(([name]) => name !== 'X-Correlation-Id')
  return { answer: { ...answer, headers: compared }, digests, calls: [...site.probe.calls] }
}

const flip = (secret: string, at: number): string =>
  secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1)

// Timing is noisy, so the test compares work: equal calls and equal digests take equal time.
describe('every failed client authentication has the same cost and the same response (RFC 6819 §4.3.5)', () => {
  it.each<readonly [string, () => readonly [authorization: string, form?: Readonly<Record<string, string>>]]>([
    ['an unknown client', () => [basic('unknown', site.clients.M.secret)]],
    ['a wrong secret of the right length', () => [basic('M', 'x'.repeat(43))]],
    ['a wrong secret of another length', () => [basic('M', 'x')]],
    ['an empty secret', () => [basic('M', '')]],
    ['a secret of 5,000 characters', () => [basic('M', 'x'.repeat(5000))]],
    ['a secret with a wrong last byte', () => [basic('M', flip(site.clients.M.secret, 42))]],
    ['a secret with a wrong first byte', () => [basic('M', flip(site.clients.M.secret, 0))]],
    ['the right secret of a client that is disabled (RFC 6749 §2.3)', () => [basic('RS', site.clients.RS.secret)]],
    [
      'the right secret with a method that the client did not register (RFC 6749 §2.3)',
      () => [basic('X', site.clients.X.secret)],
    ],
    ['a secret for a public client (RFC 6749 §2.3)', () => [basic('P', 'x')]],
    ['a secret for a private_key_jwt client (RFC 6749 §2.3)', () => [basic('B', 'x')]],
    ['a malformed header (RFC 6749 §2.3.1)', () => ['Basic !']],
    ['another scheme (RFC 6749 §2.3.1)', () => ['Bearer x']],
    ['a wrong secret in the body (RFC 6749 §2.3.1)', () => ['', { client_id: 'X', client_secret: 'wrong' }]],
    ['an unknown client in the body (RFC 6749 §2.3.1)', () => ['', { client_id: 'unknown', client_secret: 'wrong' }]],
  ])('%s', async (_, presented) => {
    const wrongSecret = await costOf(basic('M', 'wrong'))

    expect(await costOf(...presented())).toEqual(wrongSecret)
  })

  it('costs one read and one digest (RFC 6819 §4.3.5)', async () => {
    expect(await costOf(basic('M', 'wrong'))).toMatchObject({ digests: ['sha256'], calls: ['clients.find'] })
  })
})
