import { createResourceServer, protectFetch } from '@mintmark/resource-server'

export const guard = protectFetch(
  createResourceServer({
    issuer: 'https://id.example.com',
    audience: 'https://api.example.com',
    mutualTls: { certificate: { format: 'client-cert', trust: 'this_proxy_sets_and_strips_it' } },
  }),
)
