import type { BrowserContext } from 'playwright-core'

import { openFormBrowser, type VisitedPage } from '../support/form-browser.ts'
import { passwordOf, type Username } from './sign-in-steps.ts'

/**
 * Completes a sign-in to the web client like `signInFully`, but does not render pages, which would take most of a test's
 * time. The browser has the cookies afterwards.
 */
export async function signInWithoutRendering(
  context: BrowserContext,
  clientUrl: string,
  { username = 'ada', scope }: SignInOptions = {},
): Promise<void> {
  const formBrowser = formBrowserIn(context)
  const start = { url: new URL('sign-in', clientUrl), status: 200, text: '' }
  const end = await signInAndAllow(
    formBrowser,
    await formBrowser.fillIn(start, scope === undefined ? {} : { scope }),
    username,
  )
  if (!end.text.includes('Signed in as'))
    throw new Error(`The sign-in to ${clientUrl} ended with status ${end.status} at ${end.url.href}.`)
}

/** Signs Ada in and consents to the authorization request at the URL. @returns the last page. */
export async function consentWithoutRendering(context: BrowserContext, start: string): Promise<VisitedPage> {
  const formBrowser = formBrowserIn(context)
  return signInAndAllow(formBrowser, await formBrowser.open(start), 'ada')
}

interface SignInOptions {
  readonly username?: Username
  /** A scope value that the client requests in addition to its usual ones. */
  readonly scope?: 'email' | 'offline_access'
}

type FormBrowser = ReturnType<typeof openFormBrowser>

async function signInAndAllow(formBrowser: FormBrowser, login: VisitedPage, username: Username): Promise<VisitedPage> {
  const consent = await formBrowser.fillIn(login, { username, password: passwordOf(username) })
  return formBrowser.fillIn(consent, { decision: 'allow' })
}

/** Sends requests with the browser's cookies and stores the cookies of the answers in the browser. */
const formBrowserIn = (context: BrowserContext): FormBrowser =>
  openFormBrowser(async (url, { method, headers, body }) => {
    const reply = await context.request.fetch(url.href, {
      method: method ?? 'GET',
      headers: {
        ...(headers as Record<string, string>),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      maxRedirects: 0,
      ...(body instanceof URLSearchParams && { data: body.toString() }),
    })
    return new Response(await reply.text(), {
      status: reply.status(),
      headers: reply.headersArray().map(({ name, value }) => [name, value]),
    })
  })
