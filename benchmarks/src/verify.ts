// Measures how many access tokens an API verifies per second: with @mintmark/resource-server, with
// express-oauth2-jwt-bearer, and with jose alone: `pnpm bench verify`. All verify the same tokens in turns in one process,
// without sockets; each token is new to them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createResourceServer } from '@mintmark/resource-server'
import { auth } from 'express-oauth2-jwt-bearer'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'

import { costsOf } from './costs-of.ts'
import { environment } from './report.ts'

const audience = 'https://api.test'
const { publicKey, privateKey } = await generateKeyPair('ES256')
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256', use: 'sig' }] }

const server = createServer((request, response) => {
  const metadata = { issuer, jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(request.url === '/jwks' ? keys : metadata))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

let count = 0
async function newToken(): Promise<string> {
  count += 1
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, sub: 'user', aud: audience, client_id: 'client', scope: 'api.read', jti: String(count) }
  return new SignJWT({ ...claims, iat: now, exp: now + 3600 })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'key' })
    .sign(privateKey)
}

/** Creates an operation that verifies a new token each time. */
function verifying(verify: (token: string) => Promise<unknown>) {
  let tokens: string[] = []
  return {
    prepare: async (size: number) => {
      tokens = await Promise.all(Array.from({ length: size }, newToken))
    },
    run: () => verify(tokens.pop() ?? ''),
  }
}

/** Calls the middleware as Express does, and throws what it passes on. */
function middleware(): (token: string) => Promise<void> {
  const handler = auth({ issuerBaseURL: issuer, audience, strict: true })
  const express = {
    app: { get: () => () => false },
    get: (name: string) => (name === 'Host' ? 'api.test' : undefined),
    protocol: 'https',
    method: 'GET',
    originalUrl: '/',
    query: {},
    is: () => false,
    socket: {},
  }
  return (token) =>
    new Promise((resolve, reject) => {
      const request = { ...express, headers: { authorization: `Bearer ${token}` } }
      handler(request as never, {} as never, (error?: unknown) => {
        if (error === undefined) resolve()
        else reject(error instanceof Error ? error : new Error('The middleware refused the token.'))
      })
    })
}

const localKeys = createLocalJWKSet(keys)
const rule = createResourceServer({ issuer, audience }).require('api.read')
const rows = [
  {
    name: 'jose alone',
    operation: verifying((token) => jwtVerify(token, localKeys, { issuer, audience, typ: 'at+jwt' })),
  },
  { name: '@mintmark/resource-server', operation: verifying((token) => rule.admit([`Bearer ${token}`])) },
  { name: 'express-oauth2-jwt-bearer', operation: verifying(middleware()) },
]
const costs = await costsOf(rows.map(({ operation }) => operation))
const [alone = Number.NaN] = costs
console.log(
  `${environment()}\n\n| | CPU us, lower quartile | x jose alone | per second of CPU time |\n| --- | --- | --- | --- |`,
)
for (const [index, { name }] of rows.entries()) {
  const cost = costs[index] ?? Number.NaN
  console.log(`| ${name} | ${cost.toFixed(1)} | ${(cost / alone).toFixed(2)} | ${(1_000_000 / cost).toFixed(0)} |`)
}
process.exit()
