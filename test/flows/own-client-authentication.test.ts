import { createHmac } from 'node:crypto'

import { registerClient, updateClient, type ClientAuthenticationMethod } from '@mintmark/core'
import { clientId, epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { workloadIdentity } from '../../docs/snippets/own-client-authentication/workload.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, postForm, type Change } from '../support/flow.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const method = 'urn:example:client-auth:workload'
const macOf = (id: string) => createHmac('sha256', 'workload secret').update(id).digest('hex')

/** The identifiers of the clients whose credentials were verified. */
let verified: string[]
let outage: Error | undefined

/** Workloads sign their name with a secret of the platform. */
const workload: ClientAuthenticationMethod = {
  method,
  read(request) {
    const [, id, mac] = /^([\w-]+) ([0-9a-f]{64})$/.exec(request.headers.get('x-workload') ?? '') ?? []
    if (!request.headers.has('x-workload')) return undefined
    return {
      clientId: id,
      verify: ({ clientId }) => {
        verified.push(clientId)
        return outage === undefined ? Promise.resolve(macOf(clientId) === mac) : Promise.reject(outage)
      },
    }
  },
}

let site: ServerUnderTest
beforeEach(async () => {
  verified = []
  outage = undefined
  site = await startServer({ clientAuthentication: [workload] })
  await registerClient(
    {
      clientId: 'W',
      clientName: 'Worker',
      tokenEndpointAuthMethod: method,
      grantTypes: ['client_credentials'],
      scopes: ['api.read'],
    },
    { storage: site.storage, clientRules: site.server.clientRules },
  )
})
afterEach(() => site.close())

const ask = (headers: Record<string, string>, form: Change = {}) =>
  postForm(site, '/token', encode({ grant_type: 'client_credentials', ...form }), headers)

const workloadHeader = (id: string, signed = id) => ({ 'x-workload': `${id} ${macOf(signed)}` })

describe('a client authentication method of the host', () => {
  it.each([{}, { client_id: 'W' }])('authenticates its clients, with form %o (RFC 6749 §2.3.2)', async (form) => {
    const reply = await ask(workloadHeader('W'), form)

    expect([reply.status, reply.json['scope'], verified]).toEqual([200, 'api.read', ['W']])
  })

  it('is listed in discovery (RFC 8414 §2)', async () => {
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })

    for (const endpoint of ['token', 'revocation', 'introspection'])
      expect(json[`${endpoint}_endpoint_auth_methods_supported`]).toContain(method)
  })

  it.each([
    ['with wrong credentials', workloadHeader('W', 'V'), {}, 'client_credentials_wrong', ['W']],
    ['with unreadable credentials', { 'x-workload': 'W' }, {}, 'client_unknown', []],
    ['of an unknown client', workloadHeader('V'), {}, 'client_unknown', []],
    ['of a client with another method', workloadHeader('M'), {}, 'client_authentication_method', []],
    ['of a public client', workloadHeader('P'), {}, 'client_authentication_method', []],
    ['without credentials', {}, { client_id: 'W' }, 'client_authentication_method', []],
    ['with a secret', {}, { client_id: 'W', client_secret: 'x' }, 'client_authentication_method', []],
  ] as const)('refuses a request %s (RFC 6749 §5.2)', async (_case, headers, form, reason, called) => {
    await expectJsonRefusal(site, { status: 401, error: 'invalid_client' }, { send: () => ask(headers, form), reason })

    expect(verified).toEqual(called)
  })

  it('refuses a request with two methods (RFC 6749 §2.3)', async () => {
    const headers = { ...workloadHeader('W'), authorization: basic('M', site.clients.M.secret) }

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => ask(headers), reason: 'client_authentication_twice' },
    )
  })

  it('refuses credentials that do not belong to the client that client_id names (RFC 6749 §2.3.1)', async () => {
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => ask(workloadHeader('W'), { client_id: 'M' }), reason: 'client_id_contradicted' },
    )
  })

  it('is not called for a disabled client (RFC 6749 §5.2)', async () => {
    await changeClient(site.storage, clientId('W'), { disabledAt: site.clock.now() })

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => ask(workloadHeader('W')), reason: 'client_disabled' },
    )
    expect(verified).toEqual([])
  })

  it('can report an outage of the host, which leads to a 503 response (RFC 6749 §5.2)', async () => {
    outage = new StorageUnavailableError('The platform does not answer.')

    const reply = await ask(workloadHeader('W'))

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([
      503,
      'temporarily_unavailable',
      'storage_unavailable',
    ])
  })

  it('must be configured before a client can use it (RFC 7591 §3.2.2)', async () => {
    const { storage, server } = site
    const deps = { storage, clientRules: server.clientRules }
    const change = { tokenEndpointAuthMethod: 'urn:example:other' } as const

    await expect(updateClient({ clientId: 'M' }, change, deps)).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      message: expect.stringContaining('the server has no authentication method urn:example:other') as string,
    })
    await expect(updateClient({ clientId: 'M' }, { tokenEndpointAuthMethod: ':' }, { storage })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
    })
  })

  it.each([
    ['a name that is not an absolute URI', [{ ...workload, method: 'no:// uri' }], 'must be an absolute URI'],
    ['a name twice', [workload, workload], 'must have different names'],
    ['a read that is not a function', [{ method, read: undefined as never }], 'must be a function'],
  ] as const)('is refused at start-up with %s', async (_case, clientAuthentication, problem) => {
    await expect(startServer({ clientAuthentication })).rejects.toThrow(problem)
  })
})

it.each([0, '', null, undefined, {}, { instanceKey: '' }, { instanceKey: 1 }, 'no', 1])(
  'a method that returns %o authenticates no client (RFC 6749 §2.3.2)',
  async (returned) => {
    const careless = { method, read: () => ({ clientId: 'W', verify: () => Promise.resolve(returned) }) }
    const server = await startServer({ clientAuthentication: [careless as never] })
    await registerClient(
      {
        clientId: 'W',
        clientName: 'W',
        tokenEndpointAuthMethod: method,
        grantTypes: ['client_credentials'],
        scopes: [],
      },
      { storage: server.storage, clientRules: server.server.clientRules },
    )

    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      {
        send: () => postForm(server, '/token', 'grant_type=client_credentials', {}),
        reason: 'client_credentials_wrong',
      },
    )
    await server.close()
  },
)

describe('the workload identity of the how-to guide', () => {
  const token = [{ alg: 'RS256', kid: 'k' }, { sub: 'W' }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const noForm = { get: () => undefined, all: () => [], isRepeated: () => false, names: [] }
  const verify = (respond: () => Promise<Response>) => {
    vi.stubGlobal('fetch', respond)
    onTestFinished(() => void vi.unstubAllGlobals())
    const request = { headers: new Map([['x-workload-token', `${token}.AAAA`]]) } as unknown as Parameters<
      typeof workloadIdentity.read
    >[0]
    const read = workloadIdentity.read(request, noForm)
    return read?.verify(aClientRecord({ clientId: clientId('W') }), epochSeconds(0))
  }

  it.each([
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['fails', () => Promise.resolve(new Response('', { status: 500 }))],
    ['answers without keys', () => Promise.resolve(Response.json({}))],
  ])('throws StorageUnavailableError if the cluster %s', async (_case, respond) => {
    await expect(verify(respond)).rejects.toThrow(StorageUnavailableError)
  })

  it('does not accept a token that no key of the cluster signed', async () => {
    expect(await verify(() => Promise.resolve(Response.json({ keys: [] })))).toBe(false)
  })
})
