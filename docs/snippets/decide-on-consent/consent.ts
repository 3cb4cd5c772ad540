import type { InteractionPage } from '@mintmark/core'
import { consentPage, readConsentForm } from '@mintmark/pages'
import { nameOf } from './users.ts'

/** Your own applications. Their users have agreed to your terms. */
const firstParty: ReadonlySet<string> = new Set(['shop'])

export const consent: InteractionPage = async (pending, request) => {
  const isFirstParty = firstParty.has(pending.client.clientId) && pending.redirectUri?.startsWith('https:') === true
  if (isFirstParty) return pending.complete({ grantedScopes: pending.scopes.map(({ name }) => name) })

  if (request.method !== 'POST') return consentPage({ ...pending, accountName: await nameOf(pending.subject ?? '') })
  const { decision, grantedScopes, organization } = readConsentForm(request)
  return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
}
