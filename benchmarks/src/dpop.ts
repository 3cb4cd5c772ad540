// Measures what DPoP adds to the cost of a token request (RFC 9449), with and without nonces: `pnpm bench dpop`. All
// requests are measured in turns in one run, without sockets. The proofs are signed between the measurements, because
// clients sign them on other machines.
import { createAuthorizationServer, createStoredKeys, registerClient } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { createProofKey } from '@mintmark/testkit'

import { costsOf } from './costs-of.ts'
import { laneTo } from './driver/service-lane.ts'
import { environment } from './report.ts'
import { databasePath } from './targets/database-path.ts'
import { issuer } from './targets/fixture.ts'

console.log(
  `${environment()}\n\n| CPU us, lower quartile | plain | with a proof | adds | with a proof and a nonce | adds |`,
)
console.log('| --- | --- | --- | --- | --- | --- |')
await report('memory', createMemoryStorage({ issuer }))
const dialect = openSqliteDialect(databasePath(), { migrate: 'on-open', synchronous: 'normal' })
await report('SQLite', await createSqlStorage({ dialect, issuer }))
process.exit()

async function report(name: string, storage: AdminStorage): Promise<void> {
  const [plain = 0, proven = 0, nonced = 0] = await costsOf(await operations(storage))
  const cells = [plain, proven, proven - plain, nonced, nonced - plain].map((cost) => cost.toFixed(1))
  console.log(`| ${[name, ...cells].join(' | ')} |`)
}

/**
 * Creates client credentials requests: without a proof, with a proof, and with a proof that contains the server's
 * nonce.
 */
async function operations(storage: AdminStorage): Promise<Parameters<typeof costsOf>[0]> {
  const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: () => Promise.resolve(undefined),
    scopes: { 'api.read': 'Read' },
  })
  const { clientSecret = '' } = await registerClient(
    { clientId: 'client', clientName: 'Client', grantTypes: ['client_credentials'], scopes: ['api.read'] },
    { storage },
  )
  const lane = laneTo(server)
  const key = await createProofKey()
  const request = (proof?: string): string =>
    [
      'POST /token HTTP/1.1',
      `authorization: Basic ${btoa(`client:${encodeURIComponent(clientSecret)}`)}`,
      'content-type: application/x-www-form-urlencoded',
      ...(proof === undefined ? [] : [`dpop: ${proof}`]),
      '\r\ngrant_type=client_credentials&scope=api.read',
    ].join('\r\n')

  const exchange = async (text: string) => {
    const reply = await lane.exchange(text)
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body}`)
    return reply
  }
  const proofFor = (nonce?: string): Promise<string> =>
    key.proof({ method: 'POST', url: `${issuer}/token`, ...(nonce !== undefined && { nonce }) })
  const proven = (nonceOf: () => Promise<string | undefined>) => {
    let texts: string[] = []
    return {
      async prepare(count: number) {
        const nonce = await nonceOf()
        texts = await Promise.all(Array.from({ length: count }, async () => request(await proofFor(nonce))))
      },
      run: () => exchange(texts.pop() ?? ''),
    }
  }
  const nonceOfServer = async (): Promise<string> => {
    const { head } = await exchange(request(await proofFor()))
    const [, nonce] = /\r\ndpop-nonce: (\S+)/i.exec(head) ?? []
    if (nonce === undefined) throw new Error('The server sent no nonce.')
    return nonce
  }
  const plain = request()
  return [{ run: () => exchange(plain) }, proven(() => Promise.resolve(undefined)), proven(nonceOfServer)]
}
