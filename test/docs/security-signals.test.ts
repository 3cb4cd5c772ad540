import { toFetch } from '@mintmark/adapter-fetch'
import { registerClient } from '@mintmark/core'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import { expect, it, vi } from 'vitest'

import { blocksOf } from './follow-page.ts'

const page = 'docs/how-to/security-signals.md'

/** Starts the server of the page. */
async function startServer() {
  vi.stubEnv('SEALING_KEY', 'A'.repeat(43))
  const { server, transmitter, receiver, storage } = await import('../../docs/snippets/readme/signals.ts')
  const { client, clientSecret } = await registerClient(
    { clientName: 'receiver', grantTypes: ['client_credentials'], redirectUris: [], scopes: ['ssf.manage'] },
    { storage },
  )
  const send = toFetch(server, transmitter, receiver)
  return { send, storage, credentials: btoa(`${client.clientId}:${clientSecret ?? ''}`) }
}

it('a receiver finds the transmitter of the page, creates the stream of the page and polls the event of a deactivation', async () => {
  const { send, storage, credentials } = await startServer()
  const origin = 'https://id.example.com'
  const [, body = ''] =
    blocksOf(page)
      .find(({ language }) => language === 'http')
      ?.code.split('\n\n') ?? []
  const configuration = (await (await send(new Request(`${origin}/.well-known/ssf-configuration`))).json()) as {
    readonly configuration_endpoint: string
  }
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'ssf.manage' })
  const issued = await send(
    new Request(`${origin}/token`, { method: 'POST', body: form, headers: { authorization: `Basic ${credentials}` } }),
  )
  const { access_token: token } = (await issued.json()) as { readonly access_token: string }
  const post = async (url: string, content: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await send(new Request(url, { method: 'POST', headers, body: JSON.stringify(content) }))
    return (await reply.json()) as Record<string, unknown>
  }

  const { events_requested: events } = JSON.parse(body) as { readonly events_requested: readonly string[] }
  const stream = await post(configuration.configuration_endpoint, { events_requested: events })
  const { endpoint_url: poll } = stream['delivery'] as { readonly endpoint_url: string }
  const now = epochSeconds(Math.floor(Date.now() / 1000))
  await storage.users.insert({ userId: userId('ann'), claims: {}, createdAt: now })
  await storage.users.deactivate(userId('ann'), now)
  const { sets } = await post(poll, { returnImmediately: true })

  expect(stream['events_delivered']).toEqual(events)
  expect(Object.keys(sets as object)).toHaveLength(1)
})

it('the receiver of the page refuses the events of issuers that the page does not name', async () => {
  const { send } = await startServer()
  const token = [{ alg: 'RS256' }, { iss: 'https://other.example' }].map((part) => btoa(JSON.stringify(part))).join('.')

  const reply = await send(
    new Request('https://id.example.com/signals', {
      method: 'POST',
      headers: { 'content-type': 'application/secevent+jwt' },
      body: `${token}.AAAA`,
    }),
  )

  expect([reply.status, await reply.json()]).toEqual([400, expect.objectContaining({ err: 'invalid_issuer' })])
})
