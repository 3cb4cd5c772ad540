import { createResourceServer, protectFetch } from '@mintmark/resource-server'

const api = createResourceServer({
  issuer: 'https://login.example',
  audience: 'https://bank.example/payments',
})
const guard = protectFetch(api)

/** Pays exactly what the user has approved. */
export const pay = guard.requireDetail('payment', [], async (request, token) => {
  const { amount, creditor } = (await request.json()) as { readonly amount: unknown; readonly creditor: unknown }
  const approved = token.authorizationDetails.find(
    (detail) => detail.type === 'payment' && detail['amount'] === amount && detail['creditor'] === creditor,
  )
  if (approved === undefined) return Response.json({ error: 'not_approved' }, { status: 403 })
  // In production, the transaction that pays also marks the token's `tokenId` as used: an approval is for one payment.
  return Response.json({ paid: amount, from: approved['account'] })
})
