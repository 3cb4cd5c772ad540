import { type ClientCredentials, createResourceServer, protectExpress } from '@mintmark/resource-server'
import express, { type Express } from 'express'

/** Creates the API that makes an approved payment, once. Responses have a `Date`, which Node sets (FAPI 2.0 SP §5.3.4). */
export function createPaymentsApi(settings: {
  readonly issuer: string
  readonly origin: string
  readonly credentials: ClientCredentials
  readonly fetch: typeof globalThis.fetch
}): Express {
  const { issuer, origin, credentials, fetch } = settings
  const guard = protectExpress(
    createResourceServer({
      issuer,
      audience: `${origin}/payments`,
      dpop: { origin },
      mutualTls: { certificate: 'tls_socket' },
      // FAPI 2.0 SP §5.3.4: a revoked token does not pay. Each payment asks the bank.
      credentials,
      introspection: { cacheFor: 0 },
      fetch,
    }),
  )
  // In production, use a table with a unique column, and write it in the transaction that pays.
  const usedTokenIds = new Set<string>()

  const api = express()
  api.use(guard.metadata)
  api.post('/payments', guard.requireDetail('payment'), express.json(), (request, response) => {
    const { authorizationDetails, tokenId } = guard.token(request)
    const { amount, creditor } = request.body as Readonly<Record<string, unknown>>
    const approved = authorizationDetails.find(
      (detail) => detail.type === 'payment' && detail['amount'] === amount && detail['creditor'] === creditor,
    )
    if (approved === undefined) return response.status(403).json({ error: 'not_approved' })
    if (usedTokenIds.has(tokenId)) return response.status(409).json({ error: 'already_paid' })
    usedTokenIds.add(tokenId)
    return response.json({ paid: amount, to: creditor, from: approved['account'] })
  })
  return api
}
