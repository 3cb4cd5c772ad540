import { epochSeconds } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { readDocument } from './document-metadata.ts'

const id = 'https://cli.test/oauth.json'

const read = (change: object) =>
  readDocument(
    {
      id,
      body: JSON.stringify({ client_id: id, client_name: 'Tool', redirect_uris: ['https://cli.test/cb'], ...change }),
      readAt: epochSeconds(1000),
    },
    'any_https',
  )

it('reads a document that describes a client (Client ID Metadata Document §4)', async () => {
  expect(await read({})).toMatchObject({ clientName: 'Tool', redirectUris: ['https://cli.test/cb'] })
})

it.each([
  ['a secret', { client_secret: 'x' }],
  ['only the expiry of a secret', { client_secret_expires_at: 0 }],
])('refuses a document with %s (Client ID Metadata Document §4.1)', async (_, change) => {
  expect(await read(change)).toBeUndefined()
})

it('leaves out characters of a name that nobody sees or that change the writing direction (RFC 7591 §5)', async () => {
  expect(await read({ client_name: 'My\u200B \u202EBank\u2066\nApp' })).toMatchObject({ clientName: 'My Bank App' })
  expect(await read({ client_name: '\u202E\u200B' })).toBeUndefined()
})

it('accepts only https and loopback redirect URIs, whatever the policy (RFC 8252 §8.4)', async () => {
  const redirectUris = ['com.example.app:/cb', 'https://elsewhere.test/cb', 'http://127.0.0.1/cb']

  expect(await read({ redirect_uris: redirectUris })).toMatchObject({
    redirectUris: ['https://elsewhere.test/cb', 'http://127.0.0.1/cb'],
  })
  expect(await read({ redirect_uris: ['com.example.app:/cb'] })).toBeUndefined()
})

it('accepts a document with at most 50 redirect URIs', async () => {
  const redirectUris = (count: number) => Array.from({ length: count }, (_, index) => `https://cli.test/cb/${index}`)

  expect((await read({ redirect_uris: redirectUris(50) }))?.redirectUris).toEqual(redirectUris(50))
  expect(await read({ redirect_uris: redirectUris(51) })).toBeUndefined()
})
