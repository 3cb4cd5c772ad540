import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode } from '../support/flow.ts'
import { plainPost } from '../support/plain-request.ts'
import { startProbedServer, type ProbedServer } from '../support/probed-server.ts'
import { noteSecretsInUse } from '../support/token-calls.ts'

let under: ProbedServer
beforeAll(async () => {
  under = await startProbedServer()
  await noteSecretsInUse(under)
  await changeClient(under.storage, clientId('RS'), { disabledAt: under.clock.now() })
})
afterAll(() => under.close())

/** What a request cost and how it was answered, to the last byte. */
async function costOf(authorization: string, form: Readonly<Record<string, string>> = {}): Promise<unknown> {
  // It counts and lets every call through.
  const digest = vi.spyOn(process.getBuiltinModule('node:crypto'), 'hash')
  under.probe.reset()
  const headers = authorization === '' ? {} : { authorization }
  const body = encode({ grant_type: 'client_credentials', ...form })

  const answer = await under.server.handle(plainPost(under.issuer, '/token', { body, headers }))

  const digests = digest.mock.calls.map(([algorithm]) => algorithm)
  digest.mockRestore()
  return { answer, digests, calls: [...under.probe.calls] }
}

const flip = (secret: string, at: number): string =>
  secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1)

// Time is noisy and work is not: what costs the same calls and the same digests takes the same time.
describe('a failed client authentication tells nothing by its cost or its answer (RFC 6819 §4.3.5)', () => {
  it.each<readonly [string, () => readonly [authorization: string, form?: Readonly<Record<string, string>>]]>([
    ['ATK-214 an unknown client', () => [basic('unknown', under.clients.M.secret)]],
    ['ATK-214 a wrong secret of the right length', () => [basic('M', 'x'.repeat(43))]],
    ['ATK-214 a wrong secret of another length', () => [basic('M', 'x')]],
    ['ATK-214 an empty secret', () => [basic('M', '')]],
    ['ATK-214 a secret of 5,000 characters', () => [basic('M', 'x'.repeat(5000))]],
    ['ATK-215 a secret with a wrong last byte', () => [basic('M', flip(under.clients.M.secret, 42))]],
    ['ATK-215 a secret with a wrong first byte', () => [basic('M', flip(under.clients.M.secret, 0))]],
    ['RFC 6749 §2.3: the right secret of a client that is disabled', () => [basic('RS', under.clients.RS.secret)]],
    ['RFC 6749 §2.3: the right secret by another method', () => [basic('X', under.clients.X.secret)]],
    ['RFC 6749 §2.3: a secret for a public client', () => [basic('P', 'x')]],
    ['RFC 6749 §2.3: a secret for a client that signs', () => [basic('B', 'x')]],
    ['RFC 6749 §2.3.1: a header that is unreadable', () => ['Basic !']],
    ['RFC 6749 §2.3.1: another scheme', () => ['Bearer x']],
    ['RFC 6749 §2.3.1: a wrong secret in the body', () => ['', { client_id: 'X', client_secret: 'wrong' }]],
    ['RFC 6749 §2.3.1: an unknown client in the body', () => ['', { client_id: 'unknown', client_secret: 'wrong' }]],
  ])('%s', async (_, presented) => {
    const wrongSecret = await costOf(basic('M', 'wrong'))

    expect(await costOf(...presented())).toEqual(wrongSecret)
  })

  it('RFC 6819 §4.3.5: the cost is one read, one digest', async () => {
    expect(await costOf(basic('M', 'wrong'))).toMatchObject({ digests: ['sha256'], calls: ['clients.find'] })
  })
})
