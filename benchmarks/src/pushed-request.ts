// Compares the cost of a pushed authorization request (RFC 9126) with the cost of the same request as a form plus the
// insertion of a row: `pnpm bench push`. All operations are measured in turns in one run, without sockets.
import { randomBytes } from 'node:crypto'

import { createAuthorizationServer, createMemoryRateLimiter, createStoredKeys, registerClient } from '@mintmark/core'
import { clientId, epochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { secretDigest } from '@mintmark/storage-interface/stores'

import { costsOf } from './costs-of.ts'
import { laneTo } from './driver/service-lane.ts'
import { environment } from './report.ts'
import { databasePath } from './targets/database-path.ts'
import { issuer, redirectUri } from './targets/fixture.ts'

console.log(`${environment()}\n\n| CPU us, lower quartile | form | insert | push | push / (form + insert) |`)
console.log('| --- | --- | --- | --- | --- |')
await report('memory', createMemoryStorage({ issuer }))
const dialect = openSqliteDialect(databasePath(), { migrate: 'on-open', synchronous: 'normal' })
await report('SQLite', await createSqlStorage({ dialect, issuer }))
process.exit()

async function report(name: string, storage: AdminStorage): Promise<void> {
  const [form = 0, insert = 0, push = 0] = await costsOf((await operations(storage)).map((run) => ({ run })))
  const ratio = (push / (form + insert)).toFixed(2)
  console.log(`| ${name} | ${form.toFixed(1)} | ${insert.toFixed(1)} | ${push.toFixed(1)} | ${ratio} |`)
}

/** Creates the operations: the authorization request as a form, the insertion of a row, and the pushed request. */
async function operations(storage: AdminStorage): Promise<readonly (() => Promise<unknown>)[]> {
  const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') })
  const unlimited = createMemoryRateLimiter({ points: 1e9, window: 60 })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: () => Promise.resolve(undefined),
    rateLimits: {
      pushedRequests: unlimited,
      startedInteractions: unlimited,
      interactionsOfNewBrowsers: unlimited,
    },
  })
  const { clientSecret = '' } = await registerClient(
    { clientId: 'client', clientName: 'Client', redirectUris: [redirectUri], servedAudiences: [issuer] },
    { storage },
  )
  const lane = laneTo(server)
  const post = (path: string, form: Readonly<Record<string, string>>) => {
    const head = [
      `POST ${path} HTTP/1.1`,
      `authorization: Basic ${btoa(`client:${encodeURIComponent(clientSecret)}`)}`,
      'content-type: application/x-www-form-urlencoded',
    ]
    const text = `${head.join('\r\n')}\r\n\r\n${new URLSearchParams(form).toString()}`
    return async () => {
      const { status, body } = await lane.exchange(text)
      // A refusal would be faster than the measured request.
      if (status >= 400) throw new Error(`${status} ${body}`)
    }
  }
  const request = {
    response_type: 'code',
    client_id: 'client',
    redirect_uri: redirectUri,
    scope: 'openid',
    state: 'af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  const at = epochSeconds(Math.floor(Date.now() / 1000))
  const insert = () => {
    const digest = secretDigest(randomBytes(32).toString('base64url'))
    const times = { usableUntil: at, createdAt: at, expiresAt: epochSeconds(at + 1860) }
    return storage.pushedRequests.insert({
      digest,
      clientId: clientId('client'),
      parameters: request,
      resources: [],
      ...times,
    })
  }
  return [post('/auth', request), insert, post('/auth/push', request)]
}
