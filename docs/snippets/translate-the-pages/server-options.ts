import type { AuthorizationServerOptions, InteractionPage } from '@mintmark/core'
import { readConsentForm } from '@mintmark/pages'
import { consentPage, errorPage, locales } from './pages.ts'

/** The options of your server that concern languages. */
export const languageOptions = {
  renderErrorPage: errorPage,
  discovery: { uiLocales: [...locales] },
} satisfies Partial<AuthorizationServerOptions>

/** Passes the request to the page, because its `Accept-Language` header contains the languages that the user reads. */
export const consent: InteractionPage = async (pending, request) => {
  if (request.method !== 'POST') return consentPage(pending, request)
  const { decision, grantedScopes, organization } = readConsentForm(request)
  return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
}
