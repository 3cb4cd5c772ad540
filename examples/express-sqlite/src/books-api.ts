import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import { Router } from 'express'

import { booksApi, type WebClientCredentials } from './clients.ts'
import type { Users } from './starter.ts'

interface BooksApiDependencies {
  readonly issuer: string
  readonly credentials: WebClientCredentials
  readonly users: Users
}

/** An API that verifies access tokens itself, and reads the revocation feed, so it refuses a revoked token within a second. */
export function createBooksApi({ issuer, credentials, users }: BooksApiDependencies): Router {
  const api = createResourceServer({
    issuer,
    audience: booksApi(issuer),
    scopes: ['books.read'],
    credentials,
    revocationFeed: {},
  })
  const guard = protectExpress(api)
  return Router()
    .use(guard.metadata)
    .get('/api/books', guard.require('books.read'), async (request, response) => {
      const user = await users.find(guard.token(request).subject ?? '')
      response.json({ reader: user && `${user.givenName} ${user.familyName}`, books: shelf })
    })
}

const shelf = ['The Sea Road', 'A Field Guide to Moss', 'Small Machines']
