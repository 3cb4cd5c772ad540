import { createResourceServer, type ClientCredentials } from '@mintmark/resource-server'

export const createApi = (credentials: ClientCredentials) =>
  createResourceServer({
    issuer: 'https://id.example.com',
    audience: 'https://api.example.com',
    credentials,
    revocationFeed: {},
    introspection: {},
  })
