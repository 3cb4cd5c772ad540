import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient, type AuthorizationServerOptions, type ClientRegistration } from '@mintmark/core'
import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import express from 'express'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'

/** An API for language models, and the authorization server whose tokens it accepts. */
export interface ToolsApi {
  /** The API's URL, which is also its resource identifier. */
  readonly resource: string
  readonly site: ServerUnderTest
  call(bearer?: string): Promise<Response>
  register(registration: ClientRegistration): ReturnType<typeof registerClient>
  close(): Promise<void>
}

export async function startToolsApi(
  options: Partial<Omit<AuthorizationServerOptions, 'storage'>> = {},
): Promise<ToolsApi> {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const resource = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
  const site = await startLoopbackServer({
    scopes: { 'mcp.use': 'Use the tools' },
    resources: { [resource]: { scopes: ['mcp.use'] } },
    ...options,
  })
  const guard = protectExpress(createResourceServer({ issuer: site.issuer, audience: resource, scopes: ['mcp.use'] }))
  const app = express()
    .use(guard.metadata)
    .post('/mcp', guard.require('mcp.use'), (request, response) => {
      response.json({ subject: guard.token(request).subject })
    })
  listener.on('request', app)

  return {
    resource,
    site,
    call: (bearer) =>
      fetch(resource, {
        method: 'POST',
        ...(bearer !== undefined && { headers: { authorization: `Bearer ${bearer}` } }),
      }),
    register: (registration) => registerClient(registration, { storage: site.storage }),
    async close() {
      await new Promise((resolve) => listener.close(resolve))
      await site.close()
    },
  }
}
