import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { authorize, obtainCode, redeem } from '../support/flow.ts'
import { startProbedServer, type ProbedServer } from '../support/probed-server.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  serviceToken,
  tokensFor,
  userinfo,
  type Tokens,
} from '../support/token-calls.ts'
import { countWork, type Work } from './count-work.ts'

let site: ProbedServer
beforeAll(async () => {
  site = await startProbedServer()
  await authenticateEveryClient(site)
  // Stores the consent, and uses each key once.
  const tokens = await freshTokens()
  await introspect(site, tokens.access_token)
  await serviceToken(site)
})
afterAll(() => site.close())

const freshTokens = (): Promise<Tokens> => tokensFor(site, 'A', { scope: 'openid profile offline_access' })

const noWork: Work = { storage: [], signatures: 0, verifications: 0, keyImports: 0, digests: 0, randomDraws: 0 }

// A higher count makes every request slower, on every machine. Explain the reason when you raise one. An access token
// contains an HMAC for the client, which is kept, and an HMAC for the user; each HMAC is two digests. The identifiers of access
// tokens are drawn in blocks, and so is everything else by a server without the option `random`.
describe('work per flow', () => {
  it('client credentials take one read and one signature, and write nothing (RFC 6749 §4.4)', async () => {
    const work = await countWork(site, () => serviceToken(site))

    expect(work).toEqual({ ...noWork, storage: ['clients.find'], signatures: 1, digests: 1 })
  })

  it('an authorization request of a user who signed in and consented takes three reads and two writes (OIDC Core §3.1.2)', async () => {
    const work = await countWork(site, () => authorize(site, { scope: 'openid profile offline_access' }))

    expect(work).toEqual({
      ...noWork,
      storage: ['clients.find', 'users.find', 'grants.findUnrevoked', 'sessions.join', 'codes.insert'],
      digests: 1,
      randomDraws: 1,
    })
  })

  it('a code exchange takes two reads, two writes and one signature per token (RFC 6749 §4.1.3)', async () => {
    const code = await obtainCode(site, { scope: 'openid profile offline_access' })

    const work = await countWork(site, () => redeem(site, code))

    expect(work).toEqual({
      ...noWork,
      storage: ['clients.find', 'codes.consume', 'status.ofGrant', 'families.insert'],
      signatures: 2,
      digests: 10,
      randomDraws: 1,
    })
  })

  it('a refresh takes two reads, one write and one signature per token (RFC 9700 §4.14.2)', async () => {
    const tokens = await freshTokens()

    const work = await countWork(site, () => refresh(site, tokens.refresh_token))

    expect(work).toEqual({
      ...noWork,
      storage: ['clients.find', 'status.ofRefreshHandle', 'families.rotate'],
      signatures: 2,
      digests: 13,
      randomDraws: 1,
    })
  })

  it('introspection verifies an access token once, and does not verify it again (RFC 7662 §2)', async () => {
    const { access_token: token } = await freshTokens()

    const first = await countWork(site, () => introspect(site, token))
    const again = await countWork(site, () => introspect(site, token))

    const storage = ['clients.find', 'status.ofAccessToken']
    expect(first).toEqual({ ...noWork, storage, verifications: 1, digests: 2 })
    expect(again).toEqual({ ...noWork, storage, digests: 2 })
  })

  it('userinfo verifies an access token once, and reads its status each time (OIDC Core §5.3)', async () => {
    const { access_token: token } = await freshTokens()

    const first = await countWork(site, () => userinfo(site, token))
    const again = await countWork(site, () => userinfo(site, token))

    const storage = ['status.ofAccessToken']
    expect(first).toEqual({ ...noWork, storage, verifications: 1, digests: 1 })
    expect(again).toEqual({ ...noWork, storage, digests: 1 })
  })

  it.for(['/.well-known/openid-configuration', '/jwks'])(
    '%s takes no work (RFC 8414 §3, RFC 7517 §5)',
    async (path) => {
      await site.send({ path })

      const work = await countWork(site, () => site.send({ path }))

      expect(work).toEqual(noWork)
    },
  )
})
