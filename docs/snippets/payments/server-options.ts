import type { AuthorizationServerOptions, InteractionPage } from '@mintmark/core'
import { consentPage, readConsentForm } from '@mintmark/pages'

import { accounts } from './accounts.ts'
import { payment } from './payment.ts'

/** Shows each payment with the accounts that it can be paid from. */
export const consent: InteractionPage = async (pending, request) => {
  const details = pending.details.map((detail) => ({ ...detail, choices: accounts }))
  if (request.method !== 'POST') return consentPage({ ...pending, details })
  const { decision, ...answer } = readConsentForm(request)
  return decision === 'allow' ? pending.complete(answer) : pending.deny()
}

/** Add these to the options of your server. */
export const options = {
  authorizationDetails: { payment },
  resources: { 'https://bank.example/payments': { name: 'Payments', scopes: [] } },
} satisfies Partial<AuthorizationServerOptions>
