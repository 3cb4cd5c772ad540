import { clientId } from '@mintmark/storage-interface'
import { describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, browserCookies } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 0xff])
const logoUri = 'https://cdn.app.test/logo.png'

/** Starts a server with client A. `serve` answers requests for the logo of A. */
async function startWithLogo(serve: () => Response = () => new Response(png), change = {}) {
  const fetched: string[] = []
  const site = await startServer({
    fetch: async (input) => {
      fetched.push(new Request(input).url)
      return serve()
    },
  })
  onTestFinished(() => site.close())
  await changeClient(site.storage, clientId('A'), { logoUri, ...change })
  return { site, fetched }
}

const requestLogo = (site: ServerUnderTest, id = 'A') => site.send({ path: `/client-logo?client_id=${id}` })

describe('the logo of a client is fetched by the server (RFC 7591 §2)', () => {
  it('is served with the media type that its bytes show, and from the cache after the first request', async () => {
    const { site, fetched } = await startWithLogo(() => new Response(png, { headers: { 'content-type': 'text/html' } }))

    const replies = [await requestLogo(site), await requestLogo(site)]

    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(replies[0]?.header('content-type')).toBe('image/png')
    expect(replies[0]?.header('x-content-type-options')).toBe('nosniff')
    expect(replies[0]?.header('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(fetched).toEqual([logoUri])
  })

  it.each([
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 1]],
    ['image/webp', [...new TextEncoder().encode('RIFF'), 1, 2, 3, 4, ...new TextEncoder().encode('WEBP')]],
  ])('is served as %s if it starts with the bytes of that type', async (type, bytes) => {
    const { site } = await startWithLogo(() => new Response(new Uint8Array(bytes)))

    const reply = await requestLogo(site)

    expect([reply.status, reply.header('content-type')]).toEqual([200, type])
  })

  it('has a URL of this server in the pending interaction, and is not fetched for it', async () => {
    const { site, fetched } = await startWithLogo()
    const started = await authorize(site)
    const { pathname, search } = started.location

    const page = await site.send({ path: pathname + search, headers: { cookie: browserCookies(started) } })

    expect(page.json['client']).toMatchObject({ logoUrl: 'https://as.test/client-logo?client_id=A' })
    await answerInteraction(site, started, 'deny=yes')
    expect(fetched).toEqual([])
  })

  it.each([
    ['an SVG image', () => new Response('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a page', () => new Response('<!doctype html><script>alert(1)</script>')],
    ['an image of more than 64 KiB', () => new Response(new Uint8Array([...png, ...new Uint8Array(65_536)]))],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://10.0.0.1/' } })],
    ['an error', () => new Response(png, { status: 500 })],
  ])('is not served if it is %s, and is not fetched again immediately', async (_case, serve) => {
    const { site, fetched } = await startWithLogo(serve)

    const replies = [await requestLogo(site), await requestLogo(site)]

    expect(replies.map(({ status }) => status)).toEqual([404, 404])
    expect(replies[0]?.json).toMatchObject({ error: 'not_found' })
    expect(site.lastReason()).toBe('client_logo_unavailable')
    expect(fetched).toHaveLength(1)
  })

  it.each([
    ['has no logo', { logoUri: undefined }],
    ['is disabled', { disabledAt: 1 }],
    ['registered itself', { origin: 'registration', selfManagement: { statementIssuer: null } }],
    [
      'has a software statement with a logo and no name',
      { origin: 'registration', selfManagement: { statementIssuer: 'https://m.test', statementMembers: ['logo_uri'] } },
    ],
    ['has a metadata document', { origin: 'document' }],
  ])('is neither fetched nor served if the client %s (RFC 7591 §5)', async (_case, change) => {
    const { site, fetched } = await startWithLogo(undefined, change)

    expect((await requestLogo(site)).status).toBe(404)
    expect(site.lastReason()).toBe('client_logo_unavailable')
    expect((await requestLogo(site, 'unknown')).status).toBe(404)
    expect(fetched).toEqual([])
  })

  it('is fetched at most twelve times in an hour, however often its URL changes', async () => {
    const { site, fetched } = await startWithLogo()

    for (let turn = 0; turn < 15; turn += 1) {
      await changeClient(site.storage, clientId('A'), { logoUri: `${logoUri}?${turn}` })
      await requestLogo(site)
    }

    expect(fetched).toHaveLength(12)
  })
})
