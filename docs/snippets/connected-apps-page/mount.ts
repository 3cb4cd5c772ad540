import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import type { AuthorizationServer, CookieSessions } from '@mintmark/core'
import type { Endpoint } from '@mintmark/core/http'
import type { OAuthStorage } from '@mintmark/storage-interface'
import express from 'express'
import { accountEndpoint } from './account-page.ts'

export function createApp(
  server: AuthorizationServer,
  deps: { readonly storage: OAuthStorage; readonly sessions: CookieSessions },
) {
  const account = accountEndpoint(deps)
  const page: Endpoint = (request) => account(request).catch((error: unknown) => server.renderError(error, request))
  return express().use(toExpress(server)).all('/account', toExpressEndpoint(server, page))
}
