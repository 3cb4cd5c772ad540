import { toExpressEndpoint } from '@mintmark/adapter-express'
import type { AuthorizationServer } from '@mintmark/core'
import type { Endpoint } from '@mintmark/core/http'
import type { OAuthStorage } from '@mintmark/storage-interface'
import express from 'express'
import { accountEndpoint } from './account-page.ts'
import { signInEndpoint, type SignInParts } from './sign-in.ts'

/** The account page and the sign-in page of your product. */
export function accountPages(server: AuthorizationServer, parts: SignInParts & { readonly storage: OAuthStorage }) {
  const mount = (endpoint: Endpoint) =>
    toExpressEndpoint(server, (request) =>
      endpoint(request).catch((error: unknown) => server.renderError(error, request)),
    )
  return express
    .Router()
    .all('/account', mount(accountEndpoint(parts)))
    .all('/sign-in', mount(signInEndpoint(parts)))
}
